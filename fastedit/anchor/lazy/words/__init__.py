"""The words around snippets, and the comments in them: what each may say."""
