"""Fits the classifier of comments: to collected wordings, comments in cases, and comments of installed packages."""

from __future__ import annotations

import math
import random
import sysconfig
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.words import comments
from fastedit.anchor.lazy.words.comments import (
    BUCKETS,
    MAX_CHARACTERS,
    ROLES,
    SIGN_BUCKETS,
    SIGN_WEIGHT,
    Comments,
    buckets_of,
    log_odds,
    sign_buckets,
    split_trailing,
)
from fastedit.edits.wording import comment_text
from fastedit.errors import SettingsError
from fastedit.syntax import comment_syntax
from fastedit.training.alignment.cases import Case, Laid, laid, read_rows

ITERATIONS = 100
PENALTY = 2e-5
CASES_COUNT = 4  # what a comment of a case weighs: that is what the classifier is for
MAX_FILES, MAX_OF_A_FILE, MAX_COMMENTS = 700, 8, 3000
NOTES = tuple(role for role in ROLES if role not in ("code", "elide"))
NOT_CODE = ("elide", *NOTES)
PARTS = 4  # of the packages, each held out once
_chosen = comments._CLASSIFIER_FILE


class Labelled(NamedTuple):
    """A comment's words, the roles of which it has one, and what stands around it, where it stands in a snippet."""

    text: str
    roles: tuple[str, ...]
    signs: tuple[str, ...] = ()

    @property
    def is_code(self) -> bool:
        """Whether it is a comment of the file."""
        return self.roles == ("code",)


def read_wordings(path: Path) -> list[Labelled]:
    """The comments of a file of wordings. Raises SettingsError."""
    found = read_rows(path)
    if not found or any(not isinstance(row.get("text"), str) or row.get("label") not in ROLES for row in found):
        raise SettingsError(f"{path}: not wordings: each needs a text, and one of {', '.join(ROLES)} as label")
    return [Labelled(row["text"], (row["label"],)) for row in found]


def fit_wordings(wordings: Sequence[Labelled], cases: Sequence[Case], path: Path, seed: int) -> dict[str, Any]:
    """Fits the classifier, stores it at `path` and uses it from now on; returns what there is to tell about it.

    Beside it those are stored that saw none of a part of the packages: they say what it is worth on unseen messages,
    and what is fitted later reads a case by the one that never saw it (`use_classifier_without`).
    """
    from_packages = package_comments(random.Random(seed))
    plain = [*wordings, *(Labelled(text, ("code",)) for text in from_packages)]
    parts: list[list[Labelled]] = [[] for _ in range(PARTS)]
    for case in cases:
        parts[part_of(case.package)].extend(case_comments(case))
    everything = [one for part in parts for one in part]
    _store(plain, [], path)
    # Which of several roles a comment has isn't known: the wordings alone say how likely each is.
    shares = {one: _shares(one) for one in everything}
    held_out(path, 0).parent.mkdir(exist_ok=True)
    num_right = 0
    for number, part in enumerate(parts):
        others = [(one, shares[one]) for other in parts if other is not part for one in other]
        _store(plain, others, held_out(path, number))
        num_right += _num_right(part)
    _store(plain, [(one, shares[one]) for one in everything], path)
    return {
        "wordings": len(wordings),
        "package_comments": len(from_packages),
        "case_comments": dict(sorted(Counter("/".join(one.roles) for one in everything).items())),
        "accuracy_on_held_out_packages": round(num_right / max(1, len(everything)), 4),
        "accuracy_on_cases": round(_num_right(everything) / max(1, len(everything)), 4),
    }


def use_classifier(path: Path) -> None:
    """Has this process read comments by the classifier stored at `path`."""
    global _chosen
    _chosen = path
    _read_by(path)


def use_classifier_without(package: str) -> None:
    """Has this process read comments by a classifier that saw none of a package, where there is such a one.

    By one that knows a message's comments by heart, its comments would seem surer than any unseen one's.
    """
    path = held_out(_chosen, part_of(package))
    _read_by(path if path.exists() else _chosen)


def _read_by(path: Path) -> None:
    if path != comments._CLASSIFIER_FILE:
        comments._CLASSIFIER_FILE = path
        comments._comment_weights.cache_clear()
        comments._comment_scores.cache_clear()


def held_out(path: Path, part: int) -> Path:
    return path.parent / "held_out" / f"{path.stem}-{part}{path.suffix}"


def part_of(package: str) -> int:
    return zlib.crc32(package.encode()) % PARTS


def case_comments(case: Case) -> list[Labelled]:
    """The comments of a case's snippets that the original doesn't have, with what the result tells of their roles."""
    found = laid(case)
    return [] if found is None or found.goal is None else _comments(found, found.goal)


def _comments(found: Laid, goal: Sequence[str]) -> list[Labelled]:
    syntax = comment_syntax(found.language)
    signs = (*syntax.line, *(opening for opening, _ in syntax.block))
    original, after = Lines(found.lines), Lines(goal)
    result: list[Labelled] = []
    for snippet in found.snippets:
        texts = [line.rstrip("\r") for line in snippet.lines]
        shown = Comments(texts, original, found.language)
        for number, text in enumerate(texts):
            key = _key(text)
            if not key or key in original.places:
                continue
            note = comment_text(text)
            if note is not None:
                roles = ("code",) if key in after.places else _roles_of_note(shown, number, after)
                result.append(Labelled(note, roles, shown.signs(note, number)))
                continue
            trailing = split_trailing(text, signs)
            # Where the result has neither or both, the line tells nothing about its comment.
            if trailing is None or (key in after.places) == any(
                _key(trailing[0]) in lines.places for lines in (original, after)
            ):
                continue
            roles = ("code",) if key in after.places else NOT_CODE
            result.append(Labelled(trailing[1], roles, shown.signs(trailing[1], number, trailing[0])))
    return result


def _roles_of_note(shown: Comments, number: int, after: Lines) -> tuple[str, ...]:
    """The roles that a comment may have which the result doesn't have.

    Between two lines of the original that stand once in it and in the result, what is left of the lines between them
    tells whether it stands for these.
    """
    between = shown.between(number)
    if between is None:
        return NOT_CODE
    start, end = between
    keys = shown.original.keys
    ends = [after.places.get(keys[line], []) for line in between]
    if any(len(shown.original.places[keys[line]]) > 1 for line in between) or list(map(len, ends)) != [1, 1]:
        return NOT_CODE
    before = [key for key in keys[start + 1 : end] if key]
    left = [key for key in after.keys[ends[0][0] + 1 : ends[1][0]] if key]
    if not before:
        return NOTES
    num_left = sum((Counter(before) & Counter(left)).values())
    return ("elide",) if num_left == len(before) else NOTES if not num_left else NOT_CODE


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


def _shares(comment: Labelled) -> tuple[float, ...]:
    """The probability of each role, of those that a comment may have, by the words alone."""
    odds = log_odds(comment.text)
    shares = [math.exp(odds[role]) if role in comment.roles else 0.0 for role in ROLES]
    return tuple(share / sum(shares) for share in shares)


def _store(plain: Sequence[Labelled], from_cases: Sequence[tuple[Labelled, tuple[float, ...]]], path: Path) -> None:
    import torch

    known = [tuple(float(role in one.roles) for role in ROLES) for one in plain]
    labelled = [*plain, *(one for one, _ in from_cases)]
    counts = [1.0] * len(plain) + [float(CASES_COUNT)] * len(from_cases)
    # Said aloud because torch warns where nothing is; the buckets are in range by their making.
    with torch.sparse.check_sparse_tensor_invariants(False):  # type: ignore[no-untyped-call]
        fitted = _fit(labelled, [*known, *(shares for _, shares in from_cases)], counts)
    np.savez_compressed(path, **fitted)
    comments._CLASSIFIER_FILE = Path()  # what is stored there is new
    use_classifier(path)


def _fit(labelled: Sequence[Labelled], shares: Sequence[tuple[float, ...]], counts: Sequence[float]) -> dict[str, Any]:
    """The classifier that is fitted, as it is stored.

    shares: for each comment how likely each role is; counts: what each comment weighs.
    """
    import torch

    numbers: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for number, one in enumerate(labelled):
        found, signs = buckets_of(one.text), sign_buckets(one.signs)
        numbers += [number] * (len(found) + len(signs))
        columns += [*found, *signs]
        values += [1 / max(1, len(found)) ** 0.5] * len(found) + [SIGN_WEIGHT] * len(signs)
    shape = (len(labelled), BUCKETS + SIGN_BUCKETS)
    matrix = torch.sparse_coo_tensor(torch.tensor([numbers, columns]), torch.tensor(values), shape).coalesce()
    wanted = torch.tensor(shares) * (torch.tensor(counts) / sum(counts))[:, None]
    weights = torch.zeros(BUCKETS + SIGN_BUCKETS, len(ROLES), requires_grad=True)
    bias = torch.zeros(len(ROLES), requires_grad=True)
    optimizer = torch.optim.LBFGS([weights, bias], max_iter=ITERATIONS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        odds = torch.log_softmax(torch.sparse.mm(matrix, weights) + bias, dim=1)
        total = -(wanted * odds).sum() + PENALTY / 2 * weights.square().sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    return {"weights": weights.detach().numpy().astype(np.float16), "bias": bias.detach().numpy()}


def _num_right(shown: Sequence[Labelled]) -> int:
    """Counts the comments that are rightly told to be code, or not, by the classifier in use."""
    return sum((log_odds(one.text, one.signs)["code"] > math.log(0.5)) == one.is_code for one in shown)


def _key(line: str) -> str:
    return "".join(line.split())
