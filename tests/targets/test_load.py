from __future__ import annotations

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.errors import Code, EngineUnavailable
from fastedit.targets import Target


@pytest.fixture
def copy(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "model")


def refused(path, **options):
    with pytest.raises(EngineUnavailable) as error:
        Target.load(path, **options)
    assert error.value.code == Code.TARGET_UNAVAILABLE
    return error.value.message


def test_a_folder_is_loaded(folder):
    target = Target.load(folder, dtype="bfloat16", device="cpu")
    assert (target.dtype, target.device.type) == (torch.bfloat16, "cpu")
    assert target.template.name == "chat"
    assert target.codec.special_id("<|im_end|>") == target.stop_tokens[0]
    assert target.max_positions == 4096


@pytest.mark.parametrize(("is_slow", "most", "dtype"), [
    (True, 10**9, torch.float32), (True, 10, torch.bfloat16), (False, 10**9, torch.bfloat16)
])  # fmt: skip
def test_small_models_are_widened_where_the_cpu_is_slow_in_bfloat16(copy, monkeypatch, is_slow, most, dtype):
    Target.load(copy).model.bfloat16().save_pretrained(copy)
    monkeypatch.setattr("fastedit.targets.target.is_slow_in_bfloat16", lambda: is_slow)
    monkeypatch.setattr("fastedit.targets.target.MAX_WIDENED", most)
    assert Target.load(copy, device="cpu").dtype == dtype
    assert Target.load(copy, device="cpu", dtype="bfloat16").dtype == torch.bfloat16


def test_a_path_may_be_a_string(folder):
    assert Target.load(str(folder)).name == str(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(copy, name):
    (copy / name).unlink()
    assert name in refused(copy)


def test_weights_that_are_cut_off_are_named(copy):
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    assert "model.safetensors" in refused(copy)
    weights.write_bytes(b"")
    assert "model.safetensors" in refused(copy)


def test_pickled_weights_are_refused(copy):
    (copy / "model.safetensors").unlink()
    torch.save({}, copy / "pytorch_model.bin")
    assert "safetensors" in refused(copy)


def test_a_tensor_of_another_shape_is_refused(copy):
    config = json.loads((copy / "config.json").read_text())
    config["intermediate_size"] += 2
    (copy / "config.json").write_text(json.dumps(config))
    assert copy.name in refused(copy)


def test_a_missing_tensor_is_named_and_not_made_up(copy):
    tensors = load_file(copy / "model.safetensors")
    del tensors["model.layers.1.mlp.up_proj.weight"]
    save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})
    assert "up_proj" in refused(copy)


def test_a_shard_that_the_index_names_has_to_be_there(copy):
    (copy / "model.safetensors").unlink()
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (copy / "model.safetensors.index.json").write_text(json.dumps(index))
    assert "model-00001-of-00002.safetensors" in refused(copy)
    (copy / "model.safetensors.index.json").write_text("{}")
    assert "index" in refused(copy)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"model_type": "nonesuch"}'])
def test_a_broken_config_is_refused(copy, content):
    (copy / "config.json").write_text(content)
    refused(copy)


def test_code_that_comes_with_a_model_is_not_run(copy):
    config = json.loads((copy / "config.json").read_text())
    config["model_type"] = "homemade"
    config["auto_map"] = {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}
    (copy / "config.json").write_text(json.dumps(config))
    (copy / "evil.py").write_text("raise SystemExit('ran')\n")
    refused(copy)


def test_a_rotation_that_depends_on_the_batch_is_refused(copy):
    config = json.loads((copy / "config.json").read_text())
    config["rope_parameters"] = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}
    (copy / "config.json").write_text(json.dumps(config))
    assert "dynamic" in refused(copy)


def test_a_folders_own_template_is_used(copy):
    (copy / "fastedit.json").write_text(json.dumps({"messages": [{"role": "user", "content": "{original}{edit}"}]}))
    assert Target.load(copy).template.name == "fastedit"
    assert Target.load(copy, template="kortix").template.name == "kortix"


def test_an_unknown_name_lists_the_known_ones():
    assert "hf download no-such/model" in refused("no-such/model")
    assert "kortix-7b" in refused("kortix-70b")


def test_a_target_that_is_not_there_is_said_to_be_missing(tmp_path):
    assert "nowhere" in refused(tmp_path / "nowhere")


def test_a_device_that_is_not_there_is_refused(folder):
    if not torch.cuda.is_available():
        assert "cuda" in refused(folder, device="cuda")
    assert "abacus" in refused(folder, device="abacus")


def test_a_template_that_the_tokenizer_cannot_serve_is_refused(copy):
    (copy / "chat_template.jinja").unlink()
    assert "chat template" in refused(copy)
    assert Target.load(copy, template="plain").prompt("a", "b")


QUANTIZATIONS = {
    "awq": {"quant_method": "awq", "bits": 4, "group_size": 16},
    "gptq": {"quant_method": "gptq", "bits": 4, "group_size": 16},
    "bitsandbytes": {"quant_method": "bitsandbytes", "load_in_4bit": True},
    "compressed-tensors": {"quant_method": "compressed-tensors", "format": "int-quantized", "config_groups": {}},
    "torchao": {"quant_method": "torchao", "quant_type": {"default": {"_type": "Int8WeightOnlyConfig", "_data": {}}}},
}


@pytest.mark.parametrize("method", QUANTIZATIONS)
def test_a_quantised_checkpoint_whose_package_is_absent_says_which(copy, method, monkeypatch):
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | {"quantization_config": QUANTIZATIONS[method]}))
    message = refused(copy)
    assert method in message
    assert "needs a package" in message
    assert any(word in message for word in ("pip install", "No module named"))
    assert "\n" not in message


def test_fp8_weights_are_expanded_and_that_is_said(copy):
    """As transformers does where there is no GPU that computes with them."""
    tensors, block = load_file(copy / "model.safetensors"), 12
    for name in [name for name in tensors if name.endswith("_proj.weight")]:
        rows, columns = (size // block for size in tensors[name].shape)
        scales = torch.rand(rows, columns) + 0.5
        blocks = scales.repeat_interleave(block, 0).repeat_interleave(block, 1)
        tensors[name] = (tensors[name] / blocks).to(torch.float8_e4m3fn)
        tensors[name.replace("weight", "weight_scale_inv")] = scales
    save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})
    quantization = {"quant_method": "fp8", "weight_block_size": [block, block], "activation_scheme": "dynamic"}
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | {"quantization_config": quantization}))
    target = Target.load(copy, device="cpu")
    assert target.notes == (f"its fp8 weights are expanded to {str(target.dtype).removeprefix('torch.')}",)
    runner = ModelRunner(target, EngineSettings(num_slots=1, slot_len=64, min_slot_len=16))
    assert target.notes[0] in runner.fallbacks


def test_weights_go_to_their_device_as_they_are_read(folder, monkeypatch):
    """A large model needn't pass through the host's memory whole."""
    from transformers import AutoModelForCausalLM

    asked = {}
    load = AutoModelForCausalLM.from_pretrained

    def loaded(*given, device_map=None, **named):
        asked["device_map"] = device_map
        return load(*given, **named)

    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", loaded)
    monkeypatch.setattr("fastedit.targets.target._device_named", torch.device)
    Target.load(folder, device="meta")
    assert asked["device_map"] == {"": torch.device("meta")}
    Target.load(folder, device="cpu")
    assert asked["device_map"] is None
