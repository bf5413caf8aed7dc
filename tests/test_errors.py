"""The error tree: one code, one HTTP status and one exit status for each refusal."""

from __future__ import annotations

import copy
import pickle

import pytest

from fastedit import errors
from fastedit.errors import STATUSES, Candidate, Code, EditRefused, FastEditError, SettingsError

TREE = {
    errors.EditUnreadable: "EDIT_EMPTY EDIT_UNPARSABLE",
    errors.PlaceUnknown: "ANCHOR_NOT_FOUND ANCHOR_AMBIGUOUS",
    errors.InputRefused: "NOT_TEXT INVALID_PATH FILE_EXISTS TOO_LARGE CONTENT_CONFLICT",
    errors.ResultRefused: "MARKER_LEAKAGE TRUNCATION_DETECTED SYMBOL_LOST SYNTAX_BROKEN BLAST_RADIUS_EXCEEDED "
    "CHECK_FAILED",
    errors.EngineUnavailable: "OVERLOADED TIMEOUT TARGET_UNAVAILABLE ENGINE_ERROR",
}
# As published: (HTTP, exit) of every code.
PUBLISHED = {
    (409, 4): "ANCHOR_NOT_FOUND ANCHOR_AMBIGUOUS CONTENT_CONFLICT",
    (422, 3): "EDIT_EMPTY EDIT_UNPARSABLE NOT_TEXT INVALID_PATH FILE_EXISTS",
    (413, 3): "TOO_LARGE",
    (422, 5): "MARKER_LEAKAGE TRUNCATION_DETECTED SYMBOL_LOST SYNTAX_BROKEN BLAST_RADIUS_EXCEEDED CHECK_FAILED",
    (429, 6): "OVERLOADED",
    (504, 6): "TIMEOUT",
    (503, 6): "TARGET_UNAVAILABLE",
    (500, 1): "ENGINE_ERROR",
}


def test_the_tree_has_every_code_once():
    codes = [code for names in TREE.values() for code in names.split()]
    assert sorted(codes) == sorted(Code)
    assert all(issubclass(kind, EditRefused) for kind in TREE)
    assert issubclass(EditRefused, FastEditError)
    assert not issubclass(SettingsError, EditRefused)


def test_the_tree_is_drawn_as_it_is():
    drawing = (errors.__doc__ or "").split("SettingsError")[0]
    for kind, names in TREE.items():
        assert kind.__name__ in drawing
        assert all(code in drawing for code in names.split())


@pytest.mark.parametrize("code", list(Code))
def test_statuses_are_the_published_ones(code: Code):
    (published,) = [statuses for statuses, names in PUBLISHED.items() if code in names.split()]
    assert STATUSES[code] == published
    assert EditRefused(code, "no").exit_status == STATUSES[code].exit


def test_a_refusal_tells_its_code_its_message_and_its_candidates():
    candidate = Candidate(3, 5, "looks alike", "x = 1")
    refused = errors.PlaceUnknown("ANCHOR_AMBIGUOUS", "two places", (candidate,))
    assert (refused.code, refused.message, refused.candidates) == (Code.ANCHOR_AMBIGUOUS, "two places", (candidate,))
    assert str(refused) == "ANCHOR_AMBIGUOUS: two places"


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
@pytest.mark.parametrize("kind", [EditRefused, *TREE])
def test_a_refusal_survives_a_process_boundary(kind: type[EditRefused], again):
    refused = kind(Code.TIMEOUT, "too late", (Candidate(0, 1, "here"),), 0.4)
    other = again(refused)
    assert type(other) is kind
    assert (other.code, other.message, other.candidates) == (refused.code, refused.message, refused.candidates)
    assert other.certainty == 0.4


def test_there_are_no_other_codes():
    with pytest.raises(ValueError, match="NO_SUCH_CODE"):
        EditRefused("NO_SUCH_CODE", "?")
