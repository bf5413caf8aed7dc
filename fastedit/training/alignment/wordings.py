"""Fits the classifier of comments: to collected wordings, comments in cases, and comments of installed packages."""

from __future__ import annotations

import random
import sysconfig
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fastedit.anchor.lazy import rows
from fastedit.anchor.lazy.rows import BUCKETS, MAX_CHARACTERS, ROLES, buckets_of, log_odds, split_trailing
from fastedit.edits.wording import comment_text
from fastedit.errors import SettingsError
from fastedit.syntax import comment_syntax
from fastedit.training.alignment.cases import Case, Laid, laid, read_rows

Labelled = tuple[str, str]  # a comment's words, and its role

EPOCHS = 110
PENALTY = 2e-4
CASES_COUNT = 2  # times that a comment of a case is shown: they are what it is for
MAX_FILES, MAX_OF_A_FILE, MAX_COMMENTS = 700, 8, 3000
NOTES = tuple(role for role in ROLES if role != "code")


def read_wordings(path: Path) -> list[Labelled]:
    """The (text, role) pairs of a file of wordings. Raises SettingsError."""
    found = read_rows(path)
    if not found or any(not isinstance(row.get("text"), str) or row.get("label") not in ROLES for row in found):
        raise SettingsError(f"{path}: not wordings: each needs a text, and one of {', '.join(ROLES)} as label")
    return [(row["text"], row["label"]) for row in found]


def fit_wordings(wordings: Sequence[Labelled], cases: Sequence[Case], path: Path, seed: int) -> dict[str, Any]:
    """Fits the classifier, stores it at `path` and uses it from now on; returns what there is to tell about it.

    Which kind of note a comment of a case is isn't known, only that the result doesn't have it: a first fit, without
    the cases, says so. How well that one tells them from code is also what the classifier is worth on unseen messages.
    """
    from_packages = package_comments(random.Random(seed))
    plain = [*wordings, *((text, "code") for text in from_packages)]
    _store(plain, path)
    shown = [comment for case in cases for comment in case_comments(case)]
    unseen = _accuracy(shown)
    from_cases = [(text, "code" if is_kept else _likeliest(text, NOTES)) for text, is_kept in shown]
    _store([*plain, *from_cases * CASES_COUNT], path)
    return {
        "wordings": len(wordings),
        "package_comments": len(from_packages),
        "case_comments": dict(sorted(Counter(role for _, role in from_cases).items())),
        "accuracy_on_cases_before_them": unseen,
        "accuracy_on_cases": _accuracy(shown),
    }


def use_classifier(path: Path) -> None:
    """Has this process read comments by the classifier stored at `path`."""
    rows._CLASSIFIER_FILE = path
    rows._comment_weights.cache_clear()
    rows._comment_scores.cache_clear()


def case_comments(case: Case) -> list[tuple[str, bool]]:
    """The comments of a case's snippets that the original doesn't have, and whether the result has them."""
    found = laid(case)
    return [] if found is None or found.goal is None else _comments(found, found.goal)


def _comments(found: Laid, goal: Sequence[str]) -> list[tuple[str, bool]]:
    syntax = comment_syntax(found.language)
    signs = (*syntax.line, *(opening for opening, _ in syntax.block))
    before, after = ({_key(line) for line in lines} for lines in (found.lines, goal))
    result: list[tuple[str, bool]] = []
    for line in (line for snippet in found.snippets for line in snippet.lines):
        key = _key(line)
        if not key or key in before:
            continue
        note = comment_text(line)
        if note is not None:
            result.append((note, key in after))
            continue
        trailing = split_trailing(line, signs)
        # Where the result has neither or both, the line tells nothing about its comment.
        if trailing is not None and (key in after) != (_key(trailing[0]) in before | after):
            result.append((trailing[1], key in after))
    return result


def package_comments(chance: random.Random) -> list[str]:
    """A sample of the comments in the Python files of the installed packages."""
    files = sorted(Path(sysconfig.get_paths()["purelib"]).rglob("*.py"))
    texts: set[str] = set()
    for file in chance.sample(files, min(MAX_FILES, len(files))):
        try:
            lines = file.read_text("utf-8").split("\n")
        except (OSError, UnicodeDecodeError):
            continue
        notes = (comment_text(line) for line in lines if line.lstrip().startswith("#"))
        texts.update([note[:MAX_CHARACTERS] for note in notes if note][:MAX_OF_A_FILE])
    return chance.sample(sorted(texts), min(MAX_COMMENTS, len(texts)))


def _store(labelled: list[Labelled], path: Path) -> None:
    import torch

    # Said aloud because torch warns where nothing is; the buckets are in range by their making.
    with torch.sparse.check_sparse_tensor_invariants(False):  # type: ignore[no-untyped-call]
        fitted = _fit(labelled)
    np.savez_compressed(path, **fitted)
    use_classifier(path)


def _fit(labelled: list[Labelled]) -> dict[str, Any]:
    """The classifier that is fitted, as it is stored."""
    import torch

    numbers: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for number, (text, _) in enumerate(labelled):
        found = buckets_of(text)
        scale = 1 / max(1, len(found)) ** 0.5
        for bucket in found:
            numbers.append(number)
            columns.append(bucket)
            values.append(scale)
    matrix = torch.sparse_coo_tensor(torch.tensor([numbers, columns]), torch.tensor(values), (len(labelled), BUCKETS))
    matrix = matrix.coalesce()
    labels = torch.tensor([ROLES.index(role) for _, role in labelled])
    weights = torch.zeros(BUCKETS, len(ROLES), requires_grad=True)
    bias = torch.zeros(len(ROLES), requires_grad=True)
    optimizer = torch.optim.Adam([weights, bias], lr=0.1)
    for epoch in range(EPOCHS):
        for group in optimizer.param_groups:
            group["lr"] = 0.1 * (1 - epoch / EPOCHS) + 0.002
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(torch.sparse.mm(matrix, weights) + bias, labels)
        (loss + PENALTY * weights.pow(2).sum() / len(ROLES)).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    scale = float(weights.detach().abs().max()) / 127
    return {
        "weights": (weights.detach() / scale).round().to(torch.int8).numpy(),
        "bias": bias.detach().numpy(),
        "scale": np.float32(scale),
    }


def _likeliest(text: str, roles: Sequence[str]) -> str:
    odds = log_odds(text)
    return max(roles, key=odds.__getitem__)


def _accuracy(shown: Sequence[tuple[str, bool]]) -> float:
    """The share of comments that are rightly told to be code, or not."""
    right = sum((_likeliest(text, ROLES) == "code") == is_kept for text, is_kept in shown)
    return round(right / max(1, len(shown)), 4)


def _key(line: str) -> str:
    return "".join(line.split())
