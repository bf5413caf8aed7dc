"""Where a run of lines stands: by which measure, at which lines, and where it nearly does."""

from __future__ import annotations

from fastedit.anchor.patch.locate import MAX_RUNS, MIN_RUNS, Level, LineIndex, RunIndex, StraightSpans

LINES = [
    "def moor(vessel):",  # 0
    "    check(vessel)",
    "",
    "    berth = free_berth(vessel.length)",
    "    berth.take(vessel)",
    "",  # 5
    "def cast_off(vessel):",
    "    check(vessel)",
    "    vessel.berth.leave()",
]


def test_a_run_index_finds_each_place_of_a_run():
    index = RunIndex(["a", "b", "a", "b", "a"])
    assert index.find(["a", "b"]) == [0, 2]
    assert index.find(["a"]) == [0, 2, 4]
    assert index.find(["b", "b"]) == []
    assert index.find(["c"]) == []
    assert index.find([]) == []


def test_overlapping_places_are_all_found():
    assert RunIndex(["a"] * 4).find(["a", "a"]) == [0, 1, 2]


def test_codes_are_compared_whole():
    # As bytes the codes 1, 256 hold what 0, 1 looks like one byte further on.
    keys = [f"line {number}" for number in range(300)]
    index = RunIndex([*keys, keys[1], keys[256]])
    assert index.find([keys[1], keys[256]]) == [300]
    assert index.find([keys[256]]) == [256, 301]


def test_of_very_many_places_those_near_the_hint_are_taken():
    index = RunIndex(["a"] * 20_000)
    found = index.find(["a"], near=9_000)
    assert len(found) == MAX_RUNS
    assert found == sorted(found)
    assert found[0] < 9_000 < found[-1]
    assert len(index.find(["a"] * 18_000)) == MIN_RUNS


def test_the_measures_find_what_the_stricter_ones_do_not():
    index = LineIndex(LINES)
    exact = ["    berth.take(vessel)"]
    assert [place.start for place in index.runs(exact, Level.EXACT)] == [4]
    indented = ["check(vessel)"]
    assert index.runs(indented, Level.EXACT) == []
    assert [place.start for place in index.runs(indented, Level.INDENT)] == [1, 7]
    loose = ["check( vessel )", "berth = free_berth( vessel.length )"]
    assert index.runs(loose, Level.INDENT) == []
    (place,) = index.runs(loose, Level.LOOSE)
    assert (place.start, place.end, list(place.spans)) == (1, 4, [(1, 2), (3, 4)])
    assert place.quality < index.runs(indented, Level.INDENT)[0].quality < 1


def test_blank_lines_that_a_patch_shows_get_the_blank_lines_of_the_file():
    (place,) = LineIndex(LINES).runs(["", "Def Cast_off(vessel):", "", "check(vessel)"], Level.LOOSE)
    assert list(place.spans) == [(5, 6), (6, 7), None, (7, 8)]
    assert (place.start, place.end) == (5, 8)


def test_a_run_of_blank_lines_alone_has_no_loose_place():
    assert LineIndex(LINES).runs(["", ""], Level.LOOSE) == []


def test_windows_lie_around_the_lines_that_are_there():
    lines = [f"    total_{number} = measure({number})" for number in range(400)]
    windows, are_all = LineIndex(lines).windows(["total_200 = measure(200)", "unheard = of(this)", lines[202]])
    assert are_all
    assert len(windows) == 1
    assert windows[0][0] <= 200 < 203 <= windows[0][1]


def test_windows_are_sought_by_likeness_where_no_line_is_quoted_right():
    lines = [f"# nothing to see in line {number}" for number in range(50)]
    lines[30] = "    return self.registry.lookup_vessel_by_callsign(callsign)"
    windows, _ = LineIndex(lines).windows(["return self.registry.lookup_vessel_by_call_sign(sign)"])
    assert windows
    assert windows[0][0] <= 30 < windows[0][1]


def test_straight_spans_are_a_sequence():
    spans = StraightSpans(3, 2)
    assert (len(spans), list(spans), spans[-1], spans[:1]) == (2, [(3, 4), (4, 5)], (4, 5), [(3, 4)])
