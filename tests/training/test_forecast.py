"""Fitting the forecast of what becomes of each line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from fastedit.anchor.lazy.forecast import network as read
from fastedit.anchor.lazy.forecast.network import ForecastNetwork, forecast_network
from fastedit.errors import SettingsError
from fastedit.training.alignment import forecast
from fastedit.training.alignment.cases import Case, ProcessMap
from fastedit.training.alignment.forecast import (
    UNKNOWN,
    ForecastSample,
    fit_forecast,
    fitted_network,
    sample_of,
    store,
    use_forecast,
    use_those_without,
)
from fastedit.training.alignment.wordings import PARTS, held_out, part_of

ORIGINAL = "import os\n\n\ndef load(path):\n    check(path)\n    return read(path)\n\n\nEND = 1\n"
EDITS = {
    "both": (
        "```python\ndef load(path):\n    # ...\n    log(path)\n    return read(path)\n```\n",
        ORIGINAL.replace("    return", "    log(path)\n    return"),
    ),
    "instead": (
        "```python\ndef load(path):\n    log(path)\n    return read(path)\n```\n",
        ORIGINAL.replace("    check(path)", "    log(path)"),
    ),
    "end": ("The end is another:\n```python\nEND = 2\n```\n", ORIGINAL.replace("END = 1", "END = 2")),
}


def case(name: str) -> Case:
    message, expected = EDITS[name]
    return Case(name, name, "a.py", ORIGINAL, message, expected)


@pytest.fixture
def samples() -> list[ForecastSample]:
    found = [sample_of(case(name)) for name in EDITS]
    return [one for one in found if one is not None]


def test_what_became_of_the_tokens(samples: list[ForecastSample]) -> None:
    both, instead, end = samples
    assert not both.gone.any()
    assert np.flatnonzero(both.new).tolist() == [5]
    assert both.fates.tolist() == [1, 2, 0, 1]
    assert both.places.tolist() == [UNKNOWN, UNKNOWN, 5, UNKNOWN]
    assert np.flatnonzero(instead.gone).tolist() == [4]
    assert instead.places.tolist() == [UNKNOWN, 4, UNKNOWN]
    assert np.flatnonzero(end.gone).tolist() == [8]
    assert sample_of(Case("none", "none", "a.py", ORIGINAL, "Nothing to do.", ORIGINAL)) is None


def test_what_is_read_is_what_was_fitted(
    samples: list[ForecastSample], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The two implementations say the same, of samples alone and beside longer ones."""
    monkeypatch.setattr(forecast, "EPOCHS", 2)
    network = fitted_network(samples, 1)
    exact = ForecastNetwork({name: value.numpy() for name, value in network.state_dict().items()})
    store(network, tmp_path / "forecast.npz")
    stored = forecast_network(tmp_path / "forecast.npz")
    with torch.no_grad():
        gone, new, fates, places = network(forecast._Batch(samples))
    for at, one in enumerate(samples):
        found, rounded = exact.outcomes(one.tokens), stored.outcomes(one.tokens)
        n, r = one.num_lines, one.num_rows
        assert np.allclose(found.gone, gone[at, :n], atol=1e-4)
        assert np.allclose(found.new, new[at, :n], atol=1e-4)
        assert np.allclose(found.fates, torch.log_softmax(fates[at, :r], -1), atol=1e-4)
        assert np.allclose(found.places, torch.log_softmax(places[at, :r, :n], -1), atol=1e-4)
        assert np.allclose(found.gone, rounded.gone, atol=0.05)
        assert not np.array_equal(found.gone, rounded.gone)


def test_it_learns_what_goes(samples: list[ForecastSample], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast, "EPOCHS", 30)
    monkeypatch.setattr(forecast, "CELLS", 1)  # each sample by itself
    monkeypatch.setattr(forecast, "DROPPED", 0.0)
    monkeypatch.setattr(forecast, "DROPPED_FACTS", 0.0)
    said: list[str] = []
    network = fitted_network(samples, 1, said.append)
    first, last = (float(text.rpartition(" ")[2]) for text in (said[0], said[-1]))
    assert last < first / 4
    told = ForecastNetwork({name: value.numpy() for name, value in network.state_dict().items()})
    for one in samples:
        found = told.outcomes(one.tokens)
        assert np.array_equal(found.gone > 0, one.gone > 0)
        assert np.array_equal(found.fates.argmax(axis=1)[one.fates >= 0], one.fates[one.fates >= 0])


def test_packages_are_held_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[set[str]] = []

    def fitted(samples: list[ForecastSample], seed: int) -> forecast._Network:
        seen.append({one.package for one in samples})
        return forecast._Network()

    monkeypatch.setattr(forecast, "fitted_network", fitted)
    path = tmp_path / "fits" / "forecast.npz"
    told = fit_forecast([case(name) for name in EDITS], path, 0, ProcessMap())
    assert told["samples"] == told["written"] == len(EDITS)
    assert 0 < told["altered"] <= forecast.ALTERED * len(EDITS)
    assert seen[0] == set(EDITS)
    for part in range(PARTS):
        assert seen[part + 1] == {name for name in EDITS if part_of(name) != part}
    use_forecast(path)
    use_those_without("both")
    assert held_out(path, part_of("both")) == read._FILE
    held_out(path, part_of("both")).unlink()
    use_those_without("both")
    assert path == read._FILE


def test_nothing_to_learn_from_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="can be read"):
        fit_forecast(
            [Case("none", "none", "a.py", ORIGINAL, "Nothing.", ORIGINAL)], tmp_path / "f.npz", 0, ProcessMap()
        )


def test_rows_that_nothing_is_like_are_read(tmp_path: Path) -> None:
    store(forecast._Network(), tmp_path / "forecast.npz")
    lonely = sample_of(Case("new", "new", "a.py", ORIGINAL, "```python\nzebra()\n```\n", f"{ORIGINAL}zebra()\n"))
    assert lonely is not None
    assert not len(lonely.tokens.pairs)
    told = forecast_network(tmp_path / "forecast.npz").outcomes(lonely.tokens)
    assert np.isfinite(told.places).all()
