"""A target is described without its weights and without torch; what is missing is named."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fastedit.engines.target import connect, described
from fastedit.engines.tokenizer import ChatMarkup
from fastedit.engines.wire import Server
from fastedit.errors import Code, EngineUnavailable
from fastedit.targets.templates import OSMOSIS
from support.standin_vllm import StandIn, plain_checkpoint

CHATML = (
    "{%- for message in messages %}\n{{- '<|im_start|>' + message.role + '\\n' }}\n"
    "{%- generation %}{{ message.content }}{% endgeneration %}\n"
    "{{- '<|im_end|>\\n' }}\n{%- endfor %}\n"
    "{%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\\n' }}\n"
    "    {%- if enable_thinking is defined and not enable_thinking %}{{ eos_token }}{% endif %}\n{%- endif %}\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return plain_checkpoint(tmp_path / "target")


def refusal_of(ask: Callable[[], object]) -> str:
    with pytest.raises(EngineUnavailable) as caught:
        ask()
    assert caught.value.code is Code.TARGET_UNAVAILABLE
    assert "\n" not in caught.value.message
    return caught.value.message


def test_neither_torch_nor_transformers_is_loaded(folder: Path) -> None:
    code = (
        "import sys\nfrom fastedit.engines.target import described\nfrom fastedit.server import elsewhere\n"
        f"target = described({str(folder)!r})\nassert target.prompt('a', 'b')\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=250)


def test_no_weights_are_needed_but_a_tokenizer_is(folder: Path) -> None:
    assert described(folder).template.name == "plain"
    (folder / "tokenizer.json").unlink()
    assert refusal_of(lambda: described(folder)) == "target has no tokenizer.json."


def test_a_broken_tokenizer_is_named(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")
    assert "tokenizer.json" in refusal_of(lambda: described(folder))


def test_nobody_there(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    assert f"{url} can't be reached" in refusal_of(lambda: connect(Server(url), folder))


def test_an_old_version_is_refused(folder: Path) -> None:
    with StandIn(folder).running() as standin:
        standin.version = "0.9.1"
        assert "vLLM 0.9.1; 0.32 or newer" in refusal_of(lambda: connect(Server(standin.url), folder))


def test_another_key_is_asked_for(folder: Path) -> None:
    with StandIn(folder, key="a-right-one").running() as standin:
        assert connect(Server(standin.url, "a-right-one"), folder).template.name == "plain"
        assert "FASTEDIT_ENGINE_KEY" in refusal_of(lambda: connect(Server(standin.url, "a-wrong-one"), folder))


def test_a_model_with_another_tokenizer_is_refused(folder: Path, tmp_path: Path) -> None:
    other = plain_checkpoint(tmp_path / "other")
    spec = json.loads((other / "tokenizer.json").read_bytes())
    vocabulary = spec["model"]["vocab"]
    vocabulary["r"], vocabulary["f"] = vocabulary["f"], vocabulary["r"]
    vocabulary["return"], vocabulary["def"] = vocabulary["def"], vocabulary["return"]
    (other / "tokenizer.json").write_text(json.dumps(spec))
    with StandIn(folder).running() as standin:
        assert "whose tokenizer isn't other's" in refusal_of(lambda: connect(Server(standin.url), other))


def test_chat_markup_is_what_transformers_makes(folder: Path) -> None:
    from transformers import AutoTokenizer

    config = json.loads((folder / "tokenizer_config.json").read_bytes())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | {"chat_template": CHATML}))
    turns = [{"role": message.role, "content": message.content} for message in OSMOSIS.messages]
    how = {"add_generation_prompt": True, **OSMOSIS.chat_options}
    theirs = AutoTokenizer.from_pretrained(folder).apply_chat_template(turns, tokenize=False, **how)
    ours = ChatMarkup.read(folder)
    assert ours.apply_chat_template(turns, tokenize=False, **how) == theirs
    shutil.move(folder / "tokenizer_config.json", folder / "kept.json")
    (folder / "chat_template.jinja").write_text(CHATML)
    assert ChatMarkup.read(folder).chat_template == CHATML


def test_a_chat_template_that_refuses_is_one_line(folder: Path) -> None:
    markup = ChatMarkup("{{ raise_exception('no such role') }}", {})
    assert "chat template" in refusal_of(lambda: markup.apply_chat_template([]))
    outside = ChatMarkup("{{ ''.__class__.__mro__ }}", {})
    assert "chat template" in refusal_of(lambda: outside.apply_chat_template([]))
