"""What does the target say? The declarations that an edit touches are put to it, and its text is put back."""
