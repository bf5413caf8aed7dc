"""Replicas and bulk work on a real Ray cluster: two nodes on this machine. `make test-ray` runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("ray", reason="Ray isn't installed: `make test-ray` runs this in an environment of its own")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Ray's own, at import
    import ray.data
    import ray.serve

from ray.cluster_utils import Cluster as Machines
from ray.exceptions import ActorDiedError, ActorUnavailableError, RayTaskError

from evals.speed.cluster import PATIENCE
from fastedit.bulk import apply_many
from fastedit.bulk.local import LocalRunner
from fastedit.bulk.on_ray import RayRunner
from fastedit.bulk.rows import How
from fastedit.cluster import front
from fastedit.cluster.arguments import Cluster
from fastedit.cluster.connection import connect
from fastedit.cluster.deploy import deploy
from fastedit.errors import Code, EditRefused
from support.serving import EDIT, EXPECTED, ORIGINAL, events_of, running

# Ray leaves sockets open, and waits for whole seconds.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]
PORT = 8392
MAX_BODY_BYTES = 20_000
POISON = (
    "import os\nimport fastedit.bulk.rows as rows\nwhole = rows.apply_row\n"
    "rows.apply_row = lambda row, how: os._exit(9) if b'POISON' in row.text else whole(row, how)\n"
)


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Two nodes, whose processes die of rows that have POISON in them."""
    folder = tmp_path_factory.mktemp("poison")
    (folder / "sitecustomize.py").write_text(POISON)
    root = str(Path(__file__).parents[2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join((str(folder), root)))
        for name, value in PATIENCE.items():
            patch.setenv(name, value)
        machines = Machines(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
        machines.add_node(num_cpus=2)
        yield machines
        ray.shutdown()
        machines.shutdown()


@pytest.fixture(scope="module")
def client(machines: Machines) -> Iterator[httpx.Client]:
    """A client of two replicas."""
    settings = {"target": "none", "structural_workers": 1, "port": PORT, "max_body_bytes": MAX_BODY_BYTES}
    assert not deploy(Cluster(replicas=2, fronts=1, settings=settings), machines.address)
    with httpx.Client(base_url=f"http://127.0.0.1:{PORT}", timeout=120, trust_env=False) as client:
        yield client


def body(path: str = "shapes.py", **fields: Any) -> dict[str, Any]:
    return {"original": ORIGINAL, "edit": EDIT, "path": path, **fields}


def told(answer: httpx.Response) -> tuple[int, Any]:
    """The answer without what differs from run to run."""
    fields = answer.json()
    for item in [fields, *(one["result"] or {} for one in fields.get("results", ()))]:
        item.pop("stats", None)
        item.pop("id", None)
        item.pop("created", None)
    return answer.status_code, fields


def test_answers_are_those_of_the_service(client: httpx.Client) -> None:
    chat = f"<code>{ORIGINAL}</code>\n<update>{EDIT}</update>"
    asked: list[tuple[str, dict[str, Any]]] = [
        ("/v1/apply", body()),
        ("/v1/apply", body(edit="def nothing():\n    pass\n", sha256="0" * 64)),
        ("/v1/apply", {"original": ORIGINAL}),
        ("/v1/apply/batch", {"requests": [body(), body(edit="")]}),
        ("/v1/files", {"edit": EDIT}),
        ("/v1/code/apply", {"initial_code": ORIGINAL, "edit_snippet": EDIT}),
        ("/v1/chat/completions", {"model": "fastedit", "messages": [{"role": "user", "content": chat}]}),
        ("/v1/nothing", {}),
    ]
    with running() as service:
        for path, fields in asked:
            assert told(client.post(path, json=fields)) == told(service.client.post(path, json=fields)), path
    assert client.post("/v1/apply", json=body()).json()["text"] == EXPECTED
    assert client.get("/readyz").json()["status"] == "ready"


def test_a_file_has_one_replica(client: httpx.Client) -> None:
    by_file = {
        path: {client.post("/v1/apply", json=body(path)).headers["x-fastedit-replica"] for _ in range(3)}
        for path in (f"file_{number}.py" for number in range(12))
    }
    assert all(len(replicas) == 1 for replicas in by_file.values())
    assert len(set.union(*by_file.values())) == 2


def test_an_answer_comes_in_pieces(client: httpx.Client) -> None:
    answer = client.post("/v1/apply", json=body(stream=True))
    events = events_of(answer.text)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert [name for name, _ in events][-1] == "result"
    assert "".join(json.loads(data)["text"] for name, data in events if name == "span") == EXPECTED
    refused = client.post("/v1/apply", json=body(stream=True, edit=""))
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "EDIT_EMPTY")


def test_a_body_over_the_limit_goes_to_no_replica(client: httpx.Client) -> None:
    refused = client.post("/v1/apply", json=body(original="x" * MAX_BODY_BYTES))
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "TOO_LARGE")
    assert "x-fastedit-replica" not in refused.headers


def test_bulk_work_is_the_same_as_without_ray(machines: Machines, tmp_path: Path) -> None:
    rows = [body(f"file_{number}.py", id=number) for number in range(40)]
    rows[17] |= {"instruction": "POISON"}
    rows[20] |= {"edit": "<<<<<<< SEARCH\nnowhere\n=======\n1\n>>>>>>> REPLACE\n"}
    edits = tmp_path / "edits.jsonl"
    edits.write_text("".join(json.dumps(row) + "\n" for row in rows))
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    summary = apply_many(edits, there, How("structural"), RayRunner(machines.address))
    assert (summary.applied, summary.refused, summary.unfinished) == (38, 1, 1)
    with pytest.MonkeyPatch.context() as patch:
        poison = next(path for path in machines_path() if (Path(path) / "sitecustomize.py").exists())
        patch.setenv("PYTHONPATH", os.pathsep.join((poison, str(Path(__file__).parents[2]))))
        assert apply_many(edits, here, How("structural"), LocalRunner(1)) == summary
    assert here.read_bytes() == there.read_bytes()


def machines_path() -> list[str]:
    return os.environ["PYTHONPATH"].split(os.pathsep)


def test_a_run_on_ray_goes_on_where_it_was_ended(machines: Machines, tmp_path: Path) -> None:
    edits, output = tmp_path / "edits.jsonl", tmp_path / "out.jsonl"
    edits.write_text("".join(json.dumps(body(f"file_{number}.py")) + "\n" for number in range(48)))

    def ended(rows: Any, how: How) -> Iterator[Any]:
        yield next(RayRunner(machines.address)(rows, how))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        apply_many(edits, output, How("structural"), ended)
    summary = apply_many(edits, output, How("structural"), RayRunner(machines.address))
    assert 0 < summary.done_before < 48
    assert summary.applied == 48


@pytest.mark.skipif(find_spec("torch") is None, reason="the embedded target needs the extra `model`")
def test_a_target_finds_a_file_where_it_read_it_before(machines: Machines) -> None:
    settings = {"target": "embedded", "structural_workers": 1, "model_requests": 2, "port": PORT}
    deploy(Cluster(replicas=2, fronts=1, settings=settings), machines.address)
    with httpx.Client(base_url=f"http://127.0.0.1:{PORT}", timeout=120, trust_env=False) as client:
        first, second = (client.post("/v1/apply", json=body()).json() for _ in range(2))
    assert first["stats"]["accepted"] > 0
    assert second["stats"]["cached_tokens"] > first["stats"]["cached_tokens"]
    assert first["text"] == second["text"] == EXPECTED


@pytest.mark.parametrize("command", [("apply-many", "edits.jsonl", "--ray"), ("deploy",)])
def test_a_cluster_that_cannot_be_reached(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "edits.jsonl").write_text(json.dumps(body()) + "\n")
    # A process of its own: a fork of this one would be connected already.
    whole = [sys.executable, "-m", "fastedit", *command, "--address", "127.0.0.1:1"]
    root = str(Path(__file__).parents[2])
    refused = subprocess.run(
        whole, cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True, check=False
    )
    words = "fastedit: no Ray cluster answers at 127.0.0.1:1: Connection refused (TARGET_UNAVAILABLE)\n"
    assert (refused.returncode, refused.stdout, refused.stderr) == (6, "", words)


def test_an_address_that_is_none() -> None:
    ray.shutdown()
    for address in ("nonsense", "host:port"):
        with pytest.raises(EditRefused, match="no Ray cluster answers at"):
            connect(address)


class Asked:
    """Gives the outcomes one after the other. detours: the numbers that it was asked with."""

    def __init__(self, *outcomes: Any) -> None:
        self._outcomes = list(outcomes)
        self.detours: list[int] = []

    async def __call__(self, detour: int) -> Any:
        self.detours.append(detour)
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


async def _with_tries(monkeypatch: pytest.MonkeyPatch, asked: Asked) -> Any:
    monkeypatch.setattr(front, "FIRST_PAUSE_S", 0.001)
    return await front._with_tries(asked)


@pytest.mark.anyio
async def test_a_request_whose_replica_dies_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(ActorDiedError(), ActorUnavailableError("away", None), 3)
    assert await _with_tries(monkeypatch, asked) == 3
    assert asked.detours == [0, 0, 1]


@pytest.mark.anyio
async def test_a_request_that_kills_replicas_does_not_kill_all(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(*(ActorDiedError() for _ in range(9)))
    with pytest.raises(EditRefused) as refused:
        await _with_tries(monkeypatch, asked)
    assert (refused.value.code, asked.detours) == (Code.TARGET_UNAVAILABLE, [0] * front.MAX_DEATHS)


@pytest.mark.anyio
async def test_a_replica_that_fails_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(RayTaskError("answer", "secret", ZeroDivisionError("secret")))
    with pytest.raises(EditRefused) as refused:
        await _with_tries(monkeypatch, asked)
    assert (refused.value.code, refused.value.message) == (Code.ENGINE_ERROR, "Internal: ZeroDivisionError.")
    assert asked.detours == [0]
