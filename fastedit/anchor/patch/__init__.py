"""Lays edits with their own context (diffs, SEARCH/REPLACE, V4A) on the original.

align       all hunks of an edit: their changes together, and what is wrong with them
hunks       each hunk: changed, applied already, or a problem
candidates  the places that each piece of a hunk could have
choose      one place for each, all chosen together
changes     what a hunk changes at its place, and how its new lines are indented
scopes      what the text behind `@@` names
locate      runs of lines: exactly, white space apart, nearly
fit         lines that were quoted from memory, laid on a stretch of the original
quoted      how faithfully one line quotes another
"""
