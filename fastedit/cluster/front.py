"""A front: takes clients' requests, passes each on to its file's replica, and to another one where that dies."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from ray.exceptions import ActorDiedError, ObjectLostError, RayActorError, RayTaskError, WorkerCrashedError
from ray.serve.exceptions import BackPressureError, DeploymentUnavailableError, ReplicaUnavailableError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from fastedit.cluster.replica import Call, Head, WholeAnswer
from fastedit.cluster.routing import read_asked
from fastedit.errors import Code, EditRefused, EngineUnavailable, InputRefused
from fastedit.server.answers import RequestProblem, problem_response
from fastedit.server.settings import load_server_settings

logger = logging.getLogger("ray.serve")

# An edit changes nothing but its answer, so it can be asked for again. A request that kills whoever takes it must not
# kill them all; one whose replica can't be reached waits until the cluster has noticed that it is dead.
MAX_DEATHS = 4
PATIENCE_S = 30.0
FIRST_PAUSE_S, MAX_PAUSE_S = 0.1, 2.0
DEATHS = (RayActorError, WorkerCrashedError, ObjectLostError, ReplicaUnavailableError)
REPLICA_HEADER = b"x-fastedit-replica"
REQUEST_ID_HEADER = b"x-request-id"  # Ray Serve's proxy has it in every answer
CLIENT_GONE = 499  # nobody reads it

T = TypeVar("T")


class Front:
    """Passes requests on. replicas: a handle of their deployment. settings: as theirs."""

    def __init__(self, replicas: Any, settings: dict[str, Any]) -> None:
        self._replicas = replicas
        self._max_body_bytes = load_server_settings(**settings).max_body_bytes

    async def __call__(self, request: Request) -> Response:
        """The replica's answer, or an error in the shape of its errors."""
        try:
            return await self._answer(request)
        except ClientDisconnect:
            return Response(status_code=CLIENT_GONE)
        except EditRefused as refusal:
            return problem_response(RequestProblem.of(refusal), request.url.path)

    async def _answer(self, request: Request) -> Response:
        body = await self._body(request)
        asked = read_asked(request.headers, body)
        client = (request.client.host, request.client.port) if request.client else None
        path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
        headers = tuple((bytes(name), bytes(value)) for name, value in request.headers.raw)
        call = Call(request.method, path, request.scope["query_string"], headers, body, client)

        def replicas(detour: int) -> Any:
            return self._replicas.options(session_id=f"{asked.key}{detour or ''}", stream=asked.is_streamed)

        if asked.is_streamed:
            head, pieces = await _with_tries(lambda detour: _begin(replicas(detour).stream.remote(call)))
            return _headed(StreamingResponse(pieces), head)
        answer: WholeAnswer = await _with_tries(lambda detour: replicas(detour).answer.remote(call))
        return _headed(Response(answer.body), answer.head)

    async def _body(self, request: Request) -> bytes:
        """The request's body. Raises InputRefused(TOO_LARGE) before more than the limit is held."""
        pieces = bytearray()
        async for piece in request.stream():
            pieces += piece
            if len(pieces) > self._max_body_bytes:
                raise InputRefused(Code.TOO_LARGE, f"The body has more than {self._max_body_bytes} bytes.")
        return bytes(pieces)


async def _with_tries(ask: Callable[[int], Awaitable[T]]) -> T:
    """Gives what `ask` gives, asked again where the replica dies. Raises EngineUnavailable where there is no answer.

    ask: takes the number of the detour, of which each leads elsewhere: the router leaves out a replica that has died,
    but one that can't be reached stays its first choice until the cluster knows more.
    """
    num_deaths, num_detours, pause_s = 0, 0, FIRST_PAUSE_S
    end_s = time.monotonic() + PATIENCE_S
    while num_deaths < MAX_DEATHS and time.monotonic() < end_s:
        try:
            return await ask(num_detours)
        except BackPressureError as error:
            raise EngineUnavailable(Code.OVERLOADED, "Too many requests are waiting.") from error
        except DeploymentUnavailableError as error:
            raise EngineUnavailable(Code.TARGET_UNAVAILABLE, "No replica could be started.") from error
        except RayTaskError as error:
            logger.exception("a replica failed")
            raise EngineUnavailable(Code.ENGINE_ERROR, f"Internal: {type(error.cause).__name__}.") from error
        except DEATHS as error:
            logger.warning("a replica died (%s): asking another one", type(error).__name__)
            has_died = isinstance(error, ActorDiedError)
            num_deaths, num_detours = num_deaths + has_died, num_detours + (not has_died)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, MAX_PAUSE_S)
    raise EngineUnavailable(Code.TARGET_UNAVAILABLE, "One replica after the other died amid the request.")


async def _begin(pieces: AsyncGenerator[Head | bytes]) -> tuple[Head, AsyncIterator[bytes]]:
    """An answer's head and the rest of it."""
    head = await anext(pieces)
    assert isinstance(head, Head)

    async def rest() -> AsyncIterator[bytes]:
        async for piece in pieces:
            assert isinstance(piece, bytes)
            yield piece

    return head, rest()


def _headed(response: Response, head: Head) -> Response:
    """The response with the status and headers that the replica gave it, and its name."""
    response.status_code = head.status
    theirs = [(name, value) for name, value in head.headers if name != REQUEST_ID_HEADER]
    response.raw_headers = [*theirs, (REPLICA_HEADER, head.replica.encode())]
    return response
