"""A stand-in for vLLM's server: its completions protocol, spoken by a few lines, with answers that the test writes."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.default import EMBEDDED_FOLDER

STOP = 1
PIECE = 5  # tokens of an event
Answer = Callable[[str, str], str]  # (original, edit) as the plain template shows them
Output = Callable[[tuple[int, ...]], Sequence[int]]  # of a prompt


def edited(original: str, edit: str) -> str:
    """What a target makes of the edit that all these tests have."""
    return original.replace("'shape'", "'solid'")


def plain_checkpoint(folder: Path) -> Path:
    """A checkpoint without weights that is asked by the plain template."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "config.json", "generation_config.json"):
        shutil.copy(EMBEDDED_FOLDER / name, folder)
    template = json.loads((EMBEDDED_FOLDER / "fastedit.json").read_bytes())
    usual = {"name": "plain", "has_marks": False, "context_lines": 8, "declaration_lines": 40}
    (folder / "fastedit.json").write_text(json.dumps(template | usual))
    return folder


class StandIn:
    """Answers as `answer` says. asked: the bodies of the completions, in order.

    fault: what goes wrong with completions from now on: `cut` (the connection amid the answer), `status` (500),
    `no_ids`, `no_json`, `error` (an event), `abort` (an end that is none), `no_probabilities`, `other_tokens` (of a
    prompt), or nothing. likelihood: the logarithm of a prompt's token's. go_on: completions
    wait for it behind their first event. num_left: those whose client went away. output: instead of `answer`, the
    whole output of a prompt, in tokens.
    """

    def __init__(self, folder: Path, answer: Answer = edited, name: str = "target", key: str | None = None) -> None:
        self.codec = TokenizerCodec(Tokenizer.from_file(str(folder / "tokenizer.json")))
        self.name, self.key, self.version, self.length = name, key, "0.32.0", 4096
        self.fault, self.is_well, self.tells_drafts = "", True, True
        self.asked: list[dict[str, Any]] = []
        self.num_left = 0
        self.go_on = threading.Event()
        self.go_on.set()
        self.output: Output = self._written
        self.likelihood: Callable[[int], float] = lambda _: -1.0
        self._answer = answer
        self._server: _Server | None = None

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @contextmanager
    def running(self, port: int = 0) -> Iterator[StandIn]:
        self._server = _Server(("127.0.0.1", port), self)
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.go_on.set()
            self._server.shutdown()
            self._server.server_close()

    def serve_at(self, host: str, port: int) -> None:
        self._server = _Server((host, port), self)
        self._server.serve_forever()

    def events(self, body: dict[str, Any]) -> Iterator[bytes]:
        """The data of a completion's events."""
        prompt = tuple(body["prompt"])
        end = prompt.index(self._special("<|merged|>")) + 1
        output = list(self.output(prompt[:end]))[len(prompt) - end :][: body["max_tokens"]]
        for start in range(0, len(output), PIECE):
            tokens = output[start : start + PIECE]
            is_last = start + PIECE >= len(output)
            finish = ("stop" if tokens[-1] in body["stop_token_ids"] else "length") if is_last else None
            yield self._event(tokens, finish)
            self.go_on.wait(30)
        usage = {"prompt_tokens": len(prompt), "completion_tokens": len(output)}
        cost: dict[str, Any] = {"choices": [], "usage": usage | {"prompt_tokens_details": {"cached_tokens": 16}}}
        if self.tells_drafts:
            accepted = max(0, len(output) - 2)
            drafts = {"num_draft_tokens": accepted + 3, "num_accepted_draft_tokens": accepted}
            cost["metrics"] = {"speculative_decoding": drafts}
        yield json.dumps(cost).encode()
        yield b"[DONE]"

    def scored(self, body: dict[str, Any]) -> bytes:
        """The answer to a completion that asks for its prompt's probabilities."""
        self.go_on.wait(30)
        if self.fault == "no_json":
            return b"<html>"
        shift = self.fault == "other_tokens"
        told = [{str(token + shift): {"logprob": self.likelihood(token), "rank": 1}} for token in body["prompt"]]
        choice = {"index": 0, "text": "x", "finish_reason": "length", "prompt_logprobs": [None, *told[1:]]}
        if self.fault == "no_probabilities":
            del choice["prompt_logprobs"]
        return json.dumps({"choices": [choice]}).encode()

    def metrics(self) -> str:
        return (
            'vllm:spec_decode_num_draft_tokens_total{engine="0"} 30.0\n'
            'vllm:spec_decode_num_draft_tokens_total{engine="1"} 12.0\n'
            'vllm:spec_decode_num_accepted_tokens_total{engine="0"} 40.0\n'
            'vllm:num_requests_running{engine="0"} 3.0\n'
        )

    def _event(self, tokens: Sequence[int], finish: str | None) -> bytes:
        choice = {"index": 0, "text": "", "token_ids": list(tokens), "finish_reason": finish, "stop_reason": None}
        if self.fault == "no_ids":
            del choice["token_ids"]
        if self.fault == "abort":
            choice["finish_reason"] = "abort"
        faults = {"no_json": b"<html>", "error": b'{"error": {"message": "the engine is dead"}}'}
        return faults.get(self.fault, json.dumps({"choices": [choice]}).encode())

    def _written(self, prompt: tuple[int, ...]) -> list[int]:
        edit_at = prompt.index(self._special("<|edit|>"))
        original, edit = (self.codec.text(list(part)) for part in (prompt[1:edit_at], prompt[edit_at + 1 : -1]))
        return [*self.codec.encode(self._answer(original, edit)), STOP]

    def _special(self, word: str) -> int:
        token = self.codec.special_id(word)
        assert token is not None
        return token


class _Server(ThreadingHTTPServer):
    def __init__(self, address: tuple[str, int], standin: StandIn) -> None:
        super().__init__(address, _Handler)
        self.standin = standin


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        standin = self.server.standin
        if not self._may_ask():
            return self._send(401, b"{}")
        answers = {
            "/version": json.dumps({"version": standin.version}),
            "/v1/models": json.dumps({"data": [{"id": standin.name, "max_model_len": standin.length}]}),
            "/metrics": standin.metrics(),
            "/health": "",
        }
        return self._send(200 if standin.is_well else 503, answers[self.path].encode())

    def do_POST(self) -> None:
        standin = self.server.standin
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._may_ask():
            return self._send(401, b"{}")
        if self.path == "/tokenize":
            return self._send(200, json.dumps({"tokens": standin.codec.encode(body["prompt"])}).encode())
        standin.asked.append(body)
        if standin.fault == "status":
            return self._send(500, b"{}")
        if "prompt_logprobs" in body:
            return self._send(200, standin.scored(body))
        return self._stream(standin, body)

    def _may_ask(self) -> bool:
        key = self.server.standin.key
        is_open = key is None or not self.path.startswith("/v1/")
        return is_open or self.headers.get("Authorization") == f"Bearer {key}"

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, standin: StandIn, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for number, data in enumerate(standin.events(body)):
                if standin.fault == "cut" and number == 2:
                    self.close_connection = True
                    return
                chunk = b"data: " + data + b"\n\n"
                self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            standin.num_left += 1

    def log_message(self, *_: object) -> None:
        pass
