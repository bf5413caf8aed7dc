"""The service on many machines: replicas behind fronts, on Ray Serve. Needs the extras `server` and `ray`.

A front takes a request, tells by `routing` which file it is about, and passes it on to that file's replica; where a
replica dies, the front asks another one, so that no request is lost. A replica is the whole service.
"""
