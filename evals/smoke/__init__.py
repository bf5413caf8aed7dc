"""What a newcomer meets: the wheels, in an empty environment, and every command that README names.

wheels    builds the wheels, looks into them, installs them
readme    the commands that README names, and what README says they print
walk      where each of them is run, and with what
"""
