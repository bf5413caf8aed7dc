"""The search: the lines that a snippet's rows may stand for, and the best paths through both."""
