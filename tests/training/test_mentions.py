"""Fitting what reads the names in words: it learns, it reads as it was fitted, and packages are held out."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from fastedit.anchor.lazy.words import mentions as read
from fastedit.anchor.lazy.words.mentions import ROLES, MentionNetwork
from fastedit.errors import SettingsError
from fastedit.training.alignment import mentions
from fastedit.training.alignment.__main__ import MENTIONS
from fastedit.training.alignment.cases import Case, ProcessMap
from fastedit.training.alignment.mentions import (
    MentionSample,
    common_words,
    fit_mentions,
    fitted_network,
    read_roles,
    use_mentions,
    use_mentions_without,
)
from fastedit.training.alignment.wordings import held_out, part_of

ORIGINAL = "".join(f"def {name}():\n    return 1\n\n\n" for name in ("alpha", "beta", "gamma", "delta"))
TOLD = {
    "Drop `{}`.": "gone",
    "`{}` is gone.": "gone",
    "Put it after `{}`:": "after",
    "It goes below `{}`:": "after",
    "`{}` stays.": "stays",
}


def _cases() -> tuple[list[Case], dict[str, list[tuple[int, int, str]]]]:
    cases, roles = [], {}
    for words, role in TOLD.items():
        for name in ("alpha", "beta", "gamma", "delta"):
            message = f"{words.format(name)}\n```python\ndef new():\n    return 2\n```\n"
            case = Case(f"{words} {name}", name, "a.py", ORIGINAL, message, ORIGINAL)
            cases.append(case)
            roles[case.name] = [(0, words.index("{") - 1, role)]
    return cases, roles


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mentions, "EPOCHS", 30)
    monkeypatch.setattr(mentions, "BATCH", 4)
    monkeypatch.setattr(mentions, "DROPPED", 0.0)
    monkeypatch.setattr(mentions, "DROPPED_WORDS", 0.0)
    monkeypatch.setattr(mentions, "COMMON", 0.1)


@pytest.mark.usefixtures("quick")
def test_packages_that_were_held_out_are_read(tmp_path: Path) -> None:
    cases, roles = _cases()
    path = tmp_path / "mentions.npz"
    found = fit_mentions(roles, cases, path, 1, ProcessMap())
    assert found["messages"] == len(cases)
    assert found["roles"] == {"after": 8, "gone": 8, "stays": 4}
    assert found["accuracy_on_held_out_packages"] == 1  # the words tell, not the names
    assert found["found_on_held_out_packages"] == {"gone": 1, "after": 1, "stays": 1}
    use_mentions(path)
    use_mentions_without("alpha")
    assert held_out(path, part_of("alpha")) == read._FILE
    held_out(path, part_of("alpha")).unlink()
    use_mentions_without("alpha")
    assert path == read._FILE


@pytest.mark.usefixtures("quick")
def test_what_is_stored_says_what_was_fitted(tmp_path: Path) -> None:
    cases, roles = _cases()
    path = tmp_path / "mentions.npz"
    np.savez_compressed(path, common=np.array(["stays", "drop"]))
    samples = [mentions._sample_of((path, case, roles[case.name])) for case in cases]
    known = [one for one in samples if isinstance(one, MentionSample)]
    network = fitted_network(known, 2)
    exact = MentionNetwork({name: value.numpy() for name, value in network.state_dict().items()}, frozenset())
    for one in known:
        buckets, facts, _ = mentions._batch([one])
        with torch.no_grad():
            odds = network(buckets, facts)[0, torch.from_numpy(one.tokens.at)]
        assert np.allclose(exact.chances(one.tokens), odds.softmax(dim=1), atol=1e-5)


def test_common_words() -> None:
    messages = [{"the", "store"}, {"the"}, {"the", "load"}]
    assert common_words(messages) >= {"the"}
    assert common_words([]) == set()


def test_shipped_roles_are_of_many_messages() -> None:
    roles = read_roles(MENTIONS)
    assert len(roles) > 7000
    assert {role for told in roles.values() for _, _, role in told} == set(ROLES)


@pytest.mark.parametrize(
    "row", [{"mentions": []}, {"id": "a", "mentions": [[0, 1]]}, {"id": "a", "mentions": [[0, 1, "x"]]}]
)
def test_what_is_no_role_is_refused(row: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "roles.jsonl.gz"
    path.write_bytes(gzip.compress(f"{json.dumps(row)}\n".encode()))
    with pytest.raises(SettingsError, match="not mentions"):
        read_roles(path)


def test_no_known_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="names whose roles"):
        fit_mentions({}, _cases()[0], tmp_path / "m.npz", 1, ProcessMap())
