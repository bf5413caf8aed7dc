"""Asks the target: it gets the declarations that an edit touches, and its text is put back into the file."""
