"""The paths that the service answers."""

from fastedit.server.routes import chat, code_apply, docs, health, native, playground

ROUTERS = (native.router, code_apply.router, chat.router, health.router, docs.router, playground.router)

__all__ = ["ROUTERS"]
