"""The HTTP service: `fastedit serve`. What it speaks is described in README.md beside this file.

The way of a request, from the socket to the new file:

run        a uvicorn on loopback, its signals, its end
app        the FastAPI application, put together
observe    requests' ids, counts and times, log lines
gate       what is judged before a body is read: Host, Origin, key, rate, size
routes     native shapes, shapes that other clients speak, health, pages
schemas    the native shapes, checked
answers    errors in one shape, server-sent events
service    which lane a job takes, how long it may take, what becomes of it when its client leaves
workers    the processes that do structural work and make drafts
jobs       what they and the target's threads do, as plain data
spans      a new file as pieces of the original and of new text, as it comes
explain    how a message was read, for the playground
loading    the target: absent, loading, ready
elsewhere  the same where another engine computes it
settings   all that can be set, by environment or command
"""
