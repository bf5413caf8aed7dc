"""The clients for programs: results and refusals as without a service, and another try where it is worth one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, get_args, get_type_hints

import pytest

import fastedit
from fastedit import client
from fastedit.client import AsyncClient, Client
from fastedit.errors import Code, EditRefused, EngineUnavailable, InputRefused
from support.choosing import EDIT as UNSURE
from support.choosing import ORIGINAL as SHAPES
from support.choosing import reading
from support.serving import EDIT, EXPECTED, ORIGINAL, Running


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_PAUSE_S", 0.001)


def test_both_clients_apply(plain: Running) -> None:
    assert Client(plain.url).apply(ORIGINAL, EDIT, path="shapes.py").text == EXPECTED
    assert asyncio.run(AsyncClient(plain.url).apply(ORIGINAL, EDIT, path="shapes.py")).text == EXPECTED


def test_refusals_have_their_readings(plain: Running) -> None:
    with pytest.raises(EditRefused) as refused:
        Client(plain.url).apply(SHAPES, UNSURE, path="shapes.py", certainty=1)
    assert refused.value.certainty is not None
    assert refused.value.candidates[1].choice == 2
    chosen = Client(plain.url).apply(SHAPES, UNSURE, path="shapes.py", choose=2)
    assert chosen.text == reading(2)
    with pytest.raises(ValueError, match="certainty"):
        Client(plain.url).apply(SHAPES, UNSURE, certainty=2)


class Busy:
    """Refuses the first tries."""

    def __init__(self, times: int, refusal: EditRefused) -> None:
        self.left, self.refusal, self.asked = times, refusal, 0

    def __call__(self, *_: object, **__: object) -> str:
        self.asked += 1
        if self.asked <= self.left:
            raise self.refusal
        return "done"


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("refusal", "times", "asked"),
    [
        (EngineUnavailable(Code.OVERLOADED, "busy"), 2, 3),
        (EngineUnavailable(Code.OVERLOADED, "busy"), 3, 3),
        (EngineUnavailable(Code.TIMEOUT, "late"), 1, 1),
        (InputRefused(Code.TOO_LARGE, "large"), 1, 1),
    ],
)
def test_what_passes_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, is_async: bool, refusal: EditRefused, times: int, asked: int
) -> None:
    busy = Busy(times, refusal)
    monkeypatch.setattr(client, "_apply", busy)
    is_given_up = times >= asked

    def run() -> object:
        return asyncio.run(AsyncClient().apply("", "")) if is_async else Client().apply("", "")

    if is_given_up:
        with pytest.raises(EditRefused):
            run()
    else:
        assert run() == "done"
    assert busy.asked == asked


def test_keys_are_not_shown() -> None:
    assert "secret" not in repr(Client(key="secret")) + repr(AsyncClient(key="secret"))


@pytest.mark.parametrize("method", [Client.apply, AsyncClient.apply])
def test_the_options_are_those_of_a_call_here_and_their_types_are_known(method: Callable[..., object]) -> None:
    (options,) = get_args(get_type_hints(method)["how"])
    here = {
        name: one.annotation
        for name, one in signature(fastedit.apply).parameters.items()
        if one.kind is Parameter.KEYWORD_ONLY and name != "target"
    }
    assert {name: one.__forward_arg__ for name, one in options.__annotations__.items()} == here


@pytest.mark.parametrize("is_async", [False, True])
def test_an_option_that_does_not_exist_is_told(is_async: bool) -> None:
    how: dict[str, Any] = {"certanty": 1}
    with pytest.raises(TypeError, match="certanty"):
        asyncio.run(AsyncClient().apply("a\n", "b\n", **how)) if is_async else Client().apply("a\n", "b\n", **how)
