"""Jobs in two parts: what needs no target in one process, the rest in another."""

from __future__ import annotations

import pickle
from dataclasses import replace
from unittest.mock import ANY

import pytest

from fastedit.errors import Code, EditRefused
from fastedit.server.jobs import Drafted, Job, JobOutcome, run_structural, run_until_target
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH


def job(edit: str = EDIT, mode: str = "auto") -> Job:
    return Job(ORIGINAL, edit, "shapes.py", mode=mode)


@pytest.mark.parametrize("mode", ["auto", "model"])
def test_what_a_target_has_a_say_in_is_drafted(mode: str) -> None:
    drafted = run_until_target(job(mode=mode))
    assert isinstance(drafted, Drafted)
    assert drafted.begun.merged.text == EXPECTED
    assert drafted.begun.ms > 0
    assert pickle.loads(pickle.dumps(drafted)) == drafted


def test_a_patch_is_done_without_asking() -> None:
    outcome = run_until_target(job(PATCH))
    assert isinstance(outcome, JobOutcome)
    assert (outcome.text, outcome.strategy) == (EXPECTED, "structural")


def test_structural_jobs_are_never_drafted() -> None:
    assert run_until_target(job(mode="structural")) == replace(run_structural(job()), stats=ANY)


def test_a_file_that_is_no_text_is_refused_before_it_is_drafted() -> None:
    with pytest.raises(EditRefused) as refused:
        run_until_target(Job("a\0b\n", "# ...\nc\n", "a.py"))
    assert refused.value.code is Code.NOT_TEXT
