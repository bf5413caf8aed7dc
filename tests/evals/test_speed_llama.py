"""The llama.cpp peer: the file that it gets holds the same model, and what is measured is summed up rightly."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from transformers import AutoModelForCausalLM

from evals.report.write import read_section
from evals.speed.baselines import Timing
from evals.speed.decode import Case
from evals.speed.llama import __main__ as command
from evals.speed.llama.agreement import Agreement, Judge, choices, num_equal
from evals.speed.llama.comparison import LOOKUP, OURS, PLAIN, Taken, by_scope, in_turn, line_of, ratios, row_of
from evals.speed.llama.export import ExportError, export_gguf
from evals.speed.pairs import Pair
from evals.speed.replay import Trace
from fastedit.targets.synthetic import Shape, make_checkpoint
from fastedit.verify.windows import whole_file

gguf = pytest.importorskip("gguf")

TEXTS = ["def area(width, height):\n    return width * height\n" * 3, "for index in range(10):\n    print(index)\n"]
SHAPE = Shape(family="qwen3", hidden=64, layers=2, heads=4, kv_heads=2, head_dim=32, vocabulary=300)
BOTH = {True: "tied", False: "untied"}


@pytest.fixture(scope="module", params=[True, False], ids=BOTH.get)
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    shape = Shape(**{name: getattr(SHAPE, name) for name in Shape.__slots__} | {"is_tied": request.param})
    return make_checkpoint(tmp_path_factory.mktemp("tiny"), shape, TEXTS)


def weights_of(checkpoint: Path) -> dict[str, torch.Tensor]:
    with safe_open(checkpoint / "model.safetensors", framework="pt") as opened:
        return {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118


def values(tensor: object) -> np.ndarray:
    return np.asarray(gguf.dequantize(tensor.data, tensor.tensor_type))  # type: ignore[attr-defined]


NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def renamed(name: str) -> str:
    stem = name.removesuffix(".weight")
    if stem.startswith("model.layers."):
        layer, part = stem.removeprefix("model.layers.").split(".", 1)
        return f"blk.{layer}.{NAMES[part]}.weight"
    return f"{NAMES[stem]}.weight"


@pytest.mark.parametrize("matrices", ["bf16", "f16", "f32", "q8_0"])
def test_the_export_holds_every_weight(checkpoint: Path, tmp_path: Path, matrices: str) -> None:
    reader = gguf.GGUFReader(export_gguf(checkpoint, tmp_path / "tiny.gguf", matrices))
    found = {tensor.name: tensor for tensor in reader.tensors}
    expected = {renamed(name): tensor for name, tensor in weights_of(checkpoint).items()}
    is_tied = json.loads((checkpoint / "config.json").read_text())["tie_word_embeddings"]
    assert found.keys() == expected.keys()
    assert ("output.weight" in found) != is_tied
    relative = {"bf16": 2**-8, "f16": 2**-11, "f32": 0.0, "q8_0": 0.0}[matrices]
    for name, tensor in expected.items():
        assert found[name].shape.tolist() == list(tensor.shape)[::-1], name
        is_norm = tensor.dim() == 1
        assert found[name].tensor_type.name == ("F32" if is_norm else matrices.upper())
        most = 0.0 if is_norm else float(tensor.abs().max()) / 127 if matrices == "q8_0" else 1e-7 * (relative > 0)
        np.testing.assert_allclose(values(found[name]), tensor.float().numpy(), rtol=relative, atol=most)


def test_the_export_tells_shape_and_tokenizer(checkpoint: Path, tmp_path: Path) -> None:
    reader = gguf.GGUFReader(export_gguf(checkpoint, tmp_path / "tiny.gguf"))
    config = json.loads((checkpoint / "config.json").read_text())
    tokenizer = json.loads((checkpoint / "tokenizer.json").read_text("utf-8"))
    told = {key: field.contents() for key, field in reader.fields.items()}
    assert told["general.architecture"] == "qwen3"
    for key, name in {
        "context_length": "max_position_embeddings",
        "embedding_length": "hidden_size",
        "block_count": "num_hidden_layers",
        "feed_forward_length": "intermediate_size",
        "attention.head_count": "num_attention_heads",
        "attention.head_count_kv": "num_key_value_heads",
        "attention.key_length": "head_dim",
        "attention.value_length": "head_dim",
        "vocab_size": "vocab_size",
    }.items():
        assert told[f"qwen3.{key}"] == config[name], key
    assert told["qwen3.attention.layer_norm_rms_epsilon"] == pytest.approx(config["rms_norm_eps"])
    assert told["qwen3.rope.freq_base"] == pytest.approx(config["rope_parameters"]["rope_theta"])
    assert told["tokenizer.ggml.eos_token_id"] == config["eos_token_id"]
    tokens, kinds = told["tokenizer.ggml.tokens"], told["tokenizer.ggml.token_type"]
    assert len(tokens) == len(kinds) == config["vocab_size"]
    assert {content: tokens.index(content) for content in tokenizer["model"]["vocab"]} == tokenizer["model"]["vocab"]
    special = [token["id"] for token in tokenizer["added_tokens"]]
    assert [number for number, kind in enumerate(kinds) if kind == gguf.TokenType.CONTROL] == special
    assert [tuple(merge.split(" ")) for merge in told["tokenizer.ggml.merges"]] == [
        tuple(pair) for pair in tokenizer["model"]["merges"]
    ]


ODD = [
    ({"model_type": "llama"}, "model_type is 'llama'"),
    ({"attention_bias": True}, "attention_bias"),
    ({"use_sliding_window": True}, "use_sliding_window"),
    ({"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e4}}, "rope_type is 'yarn'"),
    ({"rope_parameters": None, "rope_scaling": {"rope_type": "linear", "factor": 2.0}}, "rope_type is 'linear'"),
]


@pytest.mark.parametrize(("change", "told"), ODD, ids=[told for _, told in ODD])
def test_another_model_is_refused(checkpoint: Path, tmp_path: Path, change: dict[str, object], told: str) -> None:
    for path in checkpoint.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((checkpoint / "config.json").read_text()) | change
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ExportError, match=told):
        export_gguf(tmp_path, tmp_path / "odd.gguf")
    assert not (tmp_path / "odd.gguf").exists()


def test_what_is_no_checkpoint_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"config\.json can't be read"):
        export_gguf(tmp_path, tmp_path / "none.gguf")
    with pytest.raises(ExportError, match="not 'int3'"):
        export_gguf(checkpoint, tmp_path / "none.gguf", "int3")


def case(num_output: int = 6, scope: str = "windows") -> Case:
    window = whole_file(["a\n"], [], [])
    pair = Pair("a.py", "a\n", "b\n", "b\n", ("b\n",))
    return Case(pair, scope, [(window, Trace((1, 2), tuple(range(num_output)))) for _ in range(2)])


def test_ways_take_turns_and_the_median_counts() -> None:
    order: list[str] = []
    seconds = {"a": iter([5.0, 1.0, 2.0, 1.0, 9.0, 1.0]), "b": iter([1.0] * 6)}

    def way(name: str) -> object:
        def run(case: Case) -> list[Timing]:
            order.append(name)
            return [Timing(next(seconds[name]), 6, 3) for _ in case.traces]

        return run

    taken = in_turn({name: way(name) for name in "ab"}, case(), 3)  # type: ignore[misc]
    assert order == ["a", "b"] * 3
    assert taken == {"a": Taken(6.0, 6), "b": Taken(2.0, 6)}


def rows() -> list[dict[str, object]]:
    def taken(ours: float, plain: float, *lookups: float) -> dict[str, Taken]:
        ways = {f"{LOOKUP}{index}": Taken(seconds, 4) for index, seconds in enumerate(lookups)}
        return {OURS: Taken(ours, 1), PLAIN: Taken(plain, 9), **ways}

    return [
        row_of(case(6), taken(1.0, 3.0, 4.0, 2.0)),
        row_of(case(8), taken(2.0, 10.0, 2.0, 6.0)),
        row_of(case(9, "file"), taken(1.0, 8.0, 7.0, 7.5)),
    ]


def test_ratios_are_medians_over_the_best_setting_of_each_case() -> None:
    assert [row["lookup_s"] for row in rows()] == [2.0, 2.0, 7.0]
    assert ratios(rows()) == {"engine_x_llama": 5.0, "engine_x_llama_lookup": 2.0}
    assert by_scope(rows()) == {
        "windows": {"cases": 2, "output_tokens": 14.0, "engine_x_llama": 4.0, "engine_x_llama_lookup": 1.5},
        "file": {"cases": 1, "output_tokens": 18, "engine_x_llama": 8.0, "engine_x_llama_lookup": 7.0},
    }
    assert "( 3.0x), look-up  2.000 ( 2.0x)" in line_of(rows()[0])


def test_agreement_is_held_against_that_of_two_precisions() -> None:
    total = Agreement(60, 57, 60, 58, 40) + Agreement(40, 40, 39, 40, 40)
    assert total == Agreement(100, 97, 99, 98, 80)
    assert total.share == 0.97
    assert total.is_same_model
    assert not Agreement(100, 90, 90, 98, 80).is_same_model
    assert Agreement(100, 90, 90, 91, 80).is_same_model
    assert num_equal([1, 2, 3], [1, 5, 3]) == 2
    with pytest.raises(ValueError, match="zip"):
        num_equal([1], [1, 2])


def trace_of(num_prompt: int, num_output: int, num_ids: int) -> Trace:
    """Its output repeats a part of its prompt, so that look-up finds something."""
    chance = np.random.default_rng(0)
    prompt = tuple(chance.integers(3, num_ids, num_prompt).tolist())
    return Trace(prompt, (*prompt[5 : 5 + num_output - 3], *chance.integers(3, num_ids, 3).tolist()))


def test_the_judge_knows_what_the_model_chooses(checkpoint: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(checkpoint).eval()
    trace = trace_of(20, 10, 290)
    own = choices(model, trace)
    with torch.inference_mode():
        one_by_one = [
            int(model(torch.tensor([trace.prompt + trace.output[:count]])).logits[0, -1].argmax())
            for count in range(10)
        ]
    assert own == one_by_one
    found = Judge(model).compare(trace, [*own[:-1], own[-1] + 1])
    assert (found.tokens, found.equal, found.equal_float32, found.equal_precisions) == (10, 9, 9, 10)


def test_a_result_is_shown(tmp_path: Path) -> None:
    agreement = {"tokens": 100, "equal": 99, "equal_float32": 100, "equal_precisions": 99, "equal_known": 98}
    report = {
        "machine": {"command": "python -m evals.speed.llama"}, "num_parameters": 6_000_000, "matrices": "bf16",
        "source": "pairs from cases", "left_out": ["b.py (file)"], "agreement": agreement,
        "summary": {**ratios(rows()), "agreement": 0.99, "edits": 1}, "by_scope": by_scope(rows()), "rows": rows(),
    }  # fmt: skip
    path = tmp_path / "llama.json"
    path.write_text(json.dumps(report), "utf-8")
    section = read_section(path)
    assert [(figure.name, figure.value) for figure in section.figures] == [
        ("engine_x_llama", "5"), ("engine_x_llama_lookup", "2"), ("agreement", "0.99"), ("edits", "1"),
    ]  # fmt: skip
    assert "Of 100 tokens llama.cpp chooses 99" in section.intro
    ways = {row[0]: row[1:] for row in section.tables[0].rows}
    assert ways[PLAIN] == (5.0, 27)
    assert all(len(row) == len(table.head) for table in section.tables for row in table.rows)


def test_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "llama_cpp" else find_spec(name))
    assert command.main(["--quick"]) == 1
    assert "llama_cpp not installed" in capsys.readouterr().err


def test_llama_cpp_computes_the_same_model(checkpoint: Path, tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp")
    from contextlib import closing
    from time import perf_counter

    from evals.speed.llama.binding import Binding
    from evals.speed.llama.peer import LlamaPeer, prompt_lookup

    model = AutoModelForCausalLM.from_pretrained(checkpoint).eval()
    path = export_gguf(checkpoint, tmp_path / "tiny.gguf", "f32")
    trace = trace_of(40, 30, 290)
    with closing(LlamaPeer(path, 1, 128)) as peer, closing(Binding(path, 1, 128, 4)) as binding:
        timing, own = peer.one_pass(trace, perf_counter)
        assert (timing.num_tokens, timing.passes) == (30, 1)
        assert num_equal(own, choices(model, trace)) >= 29
        assert peer.decode(trace, perf_counter).passes == 30
        assert peer.decode(trace, perf_counter, max_tokens=7).passes == 7
        looked_up = peer.decode(trace, perf_counter, prompt_lookup(4)).passes
        assert 30 / 5 <= looked_up <= 30 / 3
        assert binding.decode(trace, perf_counter).passes == looked_up
        # Drafts and what was rolled back leave no trace.
        assert peer.one_pass(trace, perf_counter)[1] == own


@pytest.mark.slow
def test_the_whole_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("llama_cpp")
    monkeypatch.setattr(command, "ROUNDS", 1)
    target = make_checkpoint(tmp_path / "target", SHAPE, TEXTS)
    lines = [f"a{number} = {number}\n" for number in range(110)]
    for side, first in (("original", 0), ("expected", 7)):
        folder = tmp_path / "cases" / "one" / side
        folder.mkdir(parents=True)
        (folder / "a.py").write_text("".join([*lines[:50], f"first = {first}\n", f"second = {first}\n", *lines[50:]]))
    (tmp_path / "cases" / "one" / "edit.md").write_text("```python\nfirst = 7\nsecond = 7\n```\n")
    out = tmp_path / "result.json"
    arguments = ["--quick", "--target", str(target), "--cases", str(tmp_path / "cases"), "--dtype", "float32",
                 "--matrices", "f32", "--json", str(out)]  # fmt: skip
    assert command.main(arguments) == 0
    last = capsys.readouterr().out.rstrip().split("\n")[-1]
    assert last.startswith("engine_x_llama=")
    assert last.endswith("edits=1")
    assert [row["scope"] for row in json.loads(out.read_text())["rows"]] == ["windows", "file"]
    assert read_section(out).figures
