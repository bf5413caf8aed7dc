"""A network that forecasts what becomes of each row and line, and what it reads."""
