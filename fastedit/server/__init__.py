"""The HTTP service: `fastedit serve`. What it speaks is described in README.md beside this file.

run        a uvicorn on loopback, its signals, its end
app        the FastAPI application, put together
gate       what is judged before a body is read: Host, Origin, key, rate, size
routes/    native shapes, shapes that other clients speak, health
service    which lane a job takes, how long it may take, what becomes of it when its client leaves
lanes      a bounded queue each for structural work, for drafts and for model work
workers    the processes that do structural work and make drafts
loading    the target: absent, loading, ready
spans      a new file as pieces of the original and of new text, as it comes
metrics, logs
"""
