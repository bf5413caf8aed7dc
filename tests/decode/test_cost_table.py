from __future__ import annotations

import pytest

from fastedit.decode.controller import CostTable


def test_time_is_interpolated_and_goes_on_at_the_last_slope():
    costs = CostTable({1: 5.0, 11: 6.0, 21: 8.0})
    assert [costs.seconds(width) for width in (0, 1, 6, 11, 16, 31)] == [0.0, 5.0, 5.5, 6.0, 7.0, 10.0]


def test_a_step_table_charges_the_next_width():
    costs = CostTable({16: 1.0, 128: 1.1, 256: 2.0}, is_step=True)
    assert [costs.seconds(width) for width in (1, 16, 17, 128, 129)] == [1.0, 1.0, 1.1, 1.1, 2.0]
    assert costs.seconds(512) > 2.0


def test_time_never_falls_with_width():
    costs = CostTable({1: 2.0, 16: 1.0})
    assert costs.seconds(100) >= costs.seconds(16)


def test_a_single_measurement_is_taken_as_proportional_beyond():
    costs = CostTable({64: 1.0})
    assert [costs.seconds(width) for width in (1, 64, 128)] == [1.0, 1.0, 2.0]


def test_measuring_stops_on_a_slow_machine():
    asked = []
    costs = CostTable.measure(lambda width: asked.append(width) or width / 100)
    assert max(asked) == 64
    assert costs.widths == [1, 16, 64]


def test_a_step_table_is_measured_at_its_steps():
    costs = CostTable.measure(lambda width: width / 10_000, step_widths=(16, 128))
    assert costs.widths == [16, 128]
    assert costs.seconds(17) == costs.seconds(128)


def test_a_hiccup_does_not_count():
    hiccups = iter([0.1, 9.0, 0.1, 0.1])
    costs = CostTable.measure(lambda width: next(hiccups, 0.2))
    assert costs.seconds(1) == 0.1


def test_a_wider_pass_never_seems_cheaper():
    costs = CostTable.measure(lambda width: {1: 0.05}.get(width, 0.01))
    assert costs.seconds(256) == 0.05


def test_width_for_a_time():
    costs = CostTable({1: 0.01, 1001: 1.01})
    assert costs.width_for(0.0) == 1
    for seconds in (0.011, 0.05, 0.3, 0.7, 3.0):
        width = costs.width_for(seconds)
        assert costs.seconds(width) <= seconds < costs.seconds(width + max(1, width // 8))


def test_an_empty_table_is_refused():
    with pytest.raises(ValueError, match="measurement"):
        CostTable({})
