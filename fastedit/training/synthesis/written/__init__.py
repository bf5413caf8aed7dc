"""Messages as assistants write them: habits in the shares that were measured, prose composed of what a change does.

habits      the shares, kept in `habits.json`
measure     takes them from a split of ApplyBench
facts       what a change does, and the names that a message would mention
prose       the words around the fences, from `phrases.toml`
snippets    what the fences show
message     the whole
"""
