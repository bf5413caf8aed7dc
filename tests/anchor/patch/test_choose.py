"""One place for each run: what quality, order and line numbers decide together."""

from __future__ import annotations

from fastedit.anchor.patch.choose import HINT_WORTH, QUALITY_WORTH, Run, RunPlace, choose
from fastedit.anchor.patch.locate import Level, Place


def at(start: int, length: int = 2, quality: float = 1.0, hint: int | None = None) -> RunPlace:
    worth = QUALITY_WORTH * quality + (0.0 if hint is None else HINT_WORTH / (1 + hint / 10))
    place = Place(start, start + length, (), Level.EXACT, quality)
    return RunPlace(place, (start, start + length), worth, hint)


def starts(runs: list[Run]) -> list[int]:
    return [chosen.candidate.place.start for chosen in choose(runs)]


def test_nothing_to_choose_is_nothing_chosen():
    assert choose([]) == []


def test_the_better_place_is_taken_and_its_margin_told():
    (chosen,) = choose([Run([at(3, quality=0.8), at(9)])])
    assert chosen.candidate.place.start == 9
    assert not chosen.rivals
    assert 1.5 < chosen.margin < 2.5


def test_a_place_without_any_other_has_the_widest_margin():
    (chosen,) = choose([Run([at(3)])])
    assert chosen.margin == QUALITY_WORTH


def test_equal_places_are_rivals():
    (chosen,) = choose([Run([at(3), at(9)])])
    assert [rival.place.start for rival in chosen.rivals] == [9]
    assert not chosen.by_hint


def test_a_true_line_number_tells_equal_places_apart():
    (chosen,) = choose([Run([at(3, hint=6), at(9, hint=0)])])
    assert (chosen.candidate.place.start, chosen.rivals, chosen.by_hint) == (9, (), True)


def test_a_line_number_that_is_off_tells_only_what_is_far_from_it():
    (near,) = choose([Run([at(100, hint=5), at(110, hint=15)])])
    assert near.rivals
    (far,) = choose([Run([at(100, hint=5), at(400, hint=305)])])
    assert far.by_hint


def test_order_decides_between_equal_places():
    assert starts([Run([at(10)]), Run([at(2), at(20)])]) == [10, 20]
    assert starts([Run([at(2), at(20)]), Run([at(10)])]) == [2, 10]


def test_order_gives_way_to_quality():
    assert starts([Run([at(10)]), Run([at(2), at(20, quality=0.7)])]) == [10, 2]


def test_two_runs_do_not_change_the_same_lines():
    assert sorted(starts([Run([at(4), at(8)]), Run([at(4), at(8)])])) == [4, 8]


def test_a_run_that_follows_stands_behind_even_where_a_better_place_is_above():
    assert starts([Run([at(10)]), Run([at(2), at(20, quality=0.6)], must_follow=True)]) == [10, 20]


def test_behind_an_elision_the_nearest_place_is_meant():
    first, second = choose([Run([at(1)]), Run([at(5), at(50)], must_follow=True, is_nearest=True)])
    assert (first.candidate.place.start, second.candidate.place.start, second.rivals) == (1, 5, ())


def test_a_place_that_was_too_many_to_be_weighed_is_a_rival_all_the_same():
    (chosen,) = choose([Run([at(3)], unweighed=at(90))])
    assert [rival.place.start for rival in chosen.rivals] == [90]
    (sure,) = choose([Run([at(3)], unweighed=at(90, quality=0.8))])
    assert not sure.rivals
