"""The shapes that other services' clients speak, with a real client of OpenAI's."""

from __future__ import annotations

import json
from collections.abc import Iterator

import openai
import pytest

from fastedit.edits.tags import read_tagged
from fastedit.errors import EditUnreadable
from fastedit.server.answers import MOST_PIECES, pieces_of
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH, Running, events_of

TAGGED = f"<instruction>rename it</instruction>\n<code>{ORIGINAL}</code>\n<update>{EDIT}</update>"


@pytest.fixture
def client(plain: Running) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{plain.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def ask(client: openai.OpenAI, content: object, **fields: object):
    return client.chat.completions.create(
        model="auto",
        messages=[{"role": "system", "content": "You merge."}, {"role": "user", "content": content}],
        **fields,
    )


@pytest.mark.parametrize(
    "message",
    [
        TAGGED,
        f"<code>{ORIGINAL}</code><update>{EDIT}</update>",
        f"<instructions>rename</instructions><code>{ORIGINAL}</code>\n\n<edit>{EDIT}</edit>\n",
        f"Merge this:\n<code>\n{ORIGINAL}\n</code>\n<update>\n{EDIT}\n</update>",
    ],
)
def test_tags_in_a_message(client: openai.OpenAI, message: str) -> None:
    answer = ask(client, message)
    assert answer.choices[0].message.content == EXPECTED
    assert answer.choices[0].finish_reason == "stop"
    assert answer.model == "fastedit"
    assert answer.usage is not None
    assert answer.usage.total_tokens == 0


def test_a_message_in_parts(client: openai.OpenAI) -> None:
    half = len(TAGGED) // 2
    parts = [{"type": "text", "text": TAGGED[:half]}, {"type": "text", "text": TAGGED[half:]}]
    assert ask(client, parts).choices[0].message.content == EXPECTED


@pytest.mark.parametrize("content", [ORIGINAL, [{"type": "text", "text": ORIGINAL}]])
def test_a_prediction_is_the_original(client: openai.OpenAI, content: object) -> None:
    answer = ask(client, EDIT, prediction={"type": "content", "content": content})
    assert answer.choices[0].message.content == EXPECTED
    assert answer.usage is not None
    assert answer.usage.completion_tokens_details is not None
    assert answer.usage.completion_tokens_details.accepted_prediction_tokens == 0


def test_a_stream_joins_to_the_file(client: openai.OpenAI) -> None:
    chunks = list(ask(client, TAGGED, stream=True, stream_options={"include_usage": True}))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == EXPECTED
    assert [choice.finish_reason for chunk in chunks for choice in chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None


LONG = "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(40)) + ORIGINAL
LONG_EXPECTED = LONG.replace("'shape'", "'solid'")


def test_a_text_that_is_there_at_once_is_streamed_in_pieces_too(plain: Running, client: openai.OpenAI) -> None:
    chunks = ask(client, f"<code>{LONG}</code><update>{EDIT}</update>", stream=True)
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    body = {"initial_code": LONG, "edit_snippet": EDIT, "stream": True}
    events = [json.loads(data) for _, data in events_of(plain.client.post("/v1/code/apply", json=body).text)]
    deltas = [event["delta"] for event in events[:-1]]
    for pieces in ([text for text in texts if text], deltas):
        assert "".join(pieces) == LONG_EXPECTED
        assert len(pieces) > 5
        assert all(piece.endswith("\n") for piece in pieces)


@pytest.mark.parametrize("text", ["", "a", "\n" * 1000, "a" * 1000, "a\nb" * 100_000])
def test_pieces_join_to_the_text_and_are_not_too_many(text: str) -> None:
    pieces = list(pieces_of(text))
    assert "".join(pieces) == text
    assert all(pieces)
    assert len(pieces) <= MOST_PIECES


def test_models_are_listed(client: openai.OpenAI) -> None:
    names = [model.id for model in client.models.list()]
    assert "fastedit" in names
    assert client.models.retrieve("fastedit").id == "fastedit"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt-4")


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"n": 2}, "n"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
    ],
)
def test_what_is_not_done_here_is_refused_in_openais_shape(
    client: openai.OpenAI, fields: dict[str, object], param: str
) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        ask(client, TAGGED, **fields)
    assert (caught.value.code, caught.value.param, caught.value.type) == ("UNSUPPORTED", param, "invalid_request_error")


def test_neutral_parameters_are_taken(client: openai.OpenAI) -> None:
    answer = ask(client, TAGGED, n=1, temperature=0, top_p=1, max_tokens=5, stop=["\n"], user="me", seed=-5)
    assert answer.choices[0].message.content == EXPECTED


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ("hello", 422),
        (f"<code>{ORIGINAL}</code>", 422),
        ("<code>a</code><update>b</update>c</code><update>d</update>", 422),
        ([{"type": "image_url", "image_url": {"url": "http://x"}}], 400),
        (f"<code>{ORIGINAL}</code><update>{PATCH.replace('shape', 'nowhere')}</update>", 409),
    ],
)
def test_messages_that_cannot_be_used(client: openai.OpenAI, content: object, status: int) -> None:
    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, content)
    assert caught.value.status_code == status
    assert caught.value.response.headers["x-should-retry"] == "false"


def test_an_async_client_works_as_well(plain: Running) -> None:
    import asyncio

    async def run() -> str | None:
        async with openai.AsyncOpenAI(base_url=f"{plain.url}/v1", api_key="none") as client:
            answers = await asyncio.gather(*(ask(client, TAGGED) for _ in range(4)))
        assert len({answer.id for answer in answers}) == 4
        return answers[0].choices[0].message.content

    assert asyncio.run(run()) == EXPECTED


@pytest.mark.parametrize(
    "body",
    [
        {"initial_code": ORIGINAL, "edit_snippet": EDIT, "instruction": "x", "model": "relace-apply-3"},
        {"initialCode": ORIGINAL, "editSnippet": EDIT, "instructions": "x", "relace-metadata": {"a": 1}},
    ],
)
def test_code_apply_in_both_cases(plain: Running, body: dict[str, object]) -> None:
    answer = plain.client.post("/v1/code/apply", json=body)
    assert answer.json() == {
        "mergedCode": EXPECTED,
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }
    streamed = plain.client.post("/v1/code/apply", json={**body, "stream": True})
    assert json.loads(events_of(streamed.text)[-1][1])["mergedCode"] == EXPECTED


@pytest.mark.parametrize(
    ("message", "original", "edit", "instruction"),
    [
        ("<code>a</code><update>b</update>", "a", "b", None),
        ("<code>\na\n</code><update>\nb\n</update>", "a", "b", None),
        ("<code>\na\n</code><update>b</update>", "\na\n", "b", None),
        ("<code>\r\na\r\n</code>\r\n<update>\r\nb\r\n</update>", "a", "b", None),
        ("<code><code>x</code></code><update>b</update>", "<code>x</code>", "b", None),
        ("<code>a<update></code><update>b</update></update>", "a<update>", "b</update>", None),
        ("<instruction>use <code> here</instruction>\n<code>a</code><update>b</update>", "a", "b", "use <code> here"),
        ("x<instructions>\ndo\n</instructions> y <code>a</code><edit>b</edit>", "a", "b", "do"),
        ("<code></code><update></update>", "", "", None),
    ],
)
def test_tags_are_told_apart_by_their_positions(
    message: str, original: str, edit: str, instruction: str | None
) -> None:
    found = read_tagged(message)
    assert (found.original, found.edit, found.instruction) == (original, edit, instruction)


@pytest.mark.parametrize(
    "message", ["", "<code>a", "<code>a</code>", "</code><update>b</update>", "<code>a</code><update>b", "<update>b"]
)
def test_missing_tags_are_refused(message: str) -> None:
    with pytest.raises(EditUnreadable):
        read_tagged(message)


def test_tags_are_read_in_linear_time() -> None:
    for part in ("</code>", "<code>", "</code> ", "<instruction>", "</instruction> ", "<update>", "</code>\n" * 3):
        with pytest.raises(EditUnreadable):
            read_tagged(part * (400_000 // len(part)))
