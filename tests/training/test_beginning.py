from __future__ import annotations

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from fastedit.errors import SettingsError
from fastedit.training.beginning import begin_copying


def new_model(**changes):
    torch.manual_seed(0)
    shape = {
        "vocab_size": 500, "hidden_size": 256, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 64, "tie_word_embeddings": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e8},
    }  # fmt: skip
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model("qwen3", **(shape | changes)))
    for name, weight in model.named_parameters():
        if "o_proj" in name or "down_proj" in name:
            torch.nn.init.zeros_(weight)
    return model


def share_copied(model) -> float:
    """Of a random sequence's second occurrence, how many tokens the model says from the third one on."""
    sequence = torch.randint(500, (1, 120), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        said = model(torch.cat([sequence, sequence], dim=1)).logits.argmax(-1)
    return float((said[0, 121:239] == sequence[0, 2:]).float().mean())


def test_a_new_model_copies_at_once():
    model = new_model()
    assert share_copied(model) < 0.1
    begin_copying(model)
    assert share_copied(model) > 0.9


def test_tells_occurrences_apart_by_two_tokens():
    """`a b X ... c b Y ... a b`: what follows is X, though Y stood behind the nearer b."""
    model = new_model()
    begin_copying(model)
    filler = list(range(100, 140))
    tokens = torch.tensor([[*filler, 1, 2, 3, *filler, 4, 2, 5, *filler, 1, 2]])
    with torch.no_grad():
        assert int(model(tokens).logits[0, -1].argmax()) == 3


@pytest.mark.parametrize("change", [{"num_attention_heads": 2}, {"num_key_value_heads": 2}, {"num_hidden_layers": 1}])
def test_says_what_shape_it_needs(change):
    with pytest.raises(SettingsError, match="copying heads need"):
        begin_copying(new_model(**change))
