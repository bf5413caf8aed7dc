"""What `evals.speed.serve` watches and sends: the memory over many requests, and connections that close."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("fastapi")
from evals.speed import serve
from evals.speed.serving.load import Connection
from evals.speed.serving.process import running


def test_memory_is_told_after_each_tenth(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with running(["fastedit", "serve", "--port", "0", "--target", "none"]) as server:
        soak = serve._soak(server, 30)
        monkeypatch.setattr(serve, "SOAK_LIMIT_S", 0.0)
        out_of_time = serve._soak(server, 30)
    held = [each["server"] + each["workers"] for each in soak["memory_mib"]]
    assert [each["requests"] for each in soak["memory_mib"]] == list(range(3, 31, 3))
    assert (soak["requests"], soak["errors"]) == (30, 0)
    assert min(held) > 10
    assert soak["growth_mib"] == pytest.approx(held[-1] - held[0], abs=0.1)
    assert soak["growth_second_half_mib"] == pytest.approx(held[-1] - held[4], abs=0.1)
    assert f"growth_mib={soak['growth_mib']:.1f}" in capsys.readouterr().out
    assert (out_of_time["requests"], len(out_of_time["memory_mib"])) == (0, 10)


def test_a_client_whose_idle_connection_was_closed_connects_again() -> None:
    async def ask_twice() -> list[int]:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            connection = Connection(server.sockets[0].getsockname()[1])
            statuses = []
            for _ in range(2):
                status, _ = await connection.ask(b"POST / HTTP/1.1\r\n\r\n")
                statuses.append(status)
                await asyncio.sleep(0.05)
            connection.close()
            return statuses

    assert asyncio.run(ask_twice()) == [200, 200]
