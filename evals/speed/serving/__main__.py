"""`python -m evals.speed.serving`: a service with the stand-in target, at a free port."""

from __future__ import annotations


def main() -> None:
    # The service's workers import this module, and have no need of a target.
    from evals.speed.serving.standin import make_standin
    from fastedit.server.loading import TargetSlot
    from fastedit.server.run import serve
    from fastedit.server.settings import load_server_settings

    settings = load_server_settings(port=0)
    serve(settings, TargetSlot("stand-in", target=make_standin(), num_requests=settings.model_requests))


if __name__ == "__main__":
    main()
