"""`python -m fastedit` is the `fastedit` command."""

from fastedit.cli import main

if __name__ == "__main__":
    main()
