"""What an alignment of a lazy snippet can't answer for, said so that a person or an agent can act on it."""

from __future__ import annotations

from rapidfuzz import fuzz, process

from fastedit.anchor.model import Problem
from fastedit.anchor.scope import Findings
from fastedit.anchor.text import LineTable, is_trivial, key_of
from fastedit.edits.model import Snippet
from fastedit.errors import Candidate, Code

MAX_CANDIDATES = 3
MIN_CANDIDATE_SCORE = 55


def problems_of(findings: Findings, snippet: Snippet, original: LineTable) -> list[Problem]:
    """The reasons not to trust the alignment of `snippet`, none where there are none."""
    problems: list[Problem] = []
    if findings.num_anchors == 0 and findings.num_new and original.places:
        message = "nothing of the snippet stands in the file"
        problems.append(Problem(Code.ANCHOR_NOT_FOUND, message, candidates_for(list(snippet.lines), original)))
    for unit in findings.contradicted[:1]:
        shown = findings.lines[unit.head : unit.head + 1]
        message = f"a marker stands for code inside `{shown[0].strip()}`, which the file doesn't have"
        problems.append(Problem(Code.ANCHOR_NOT_FOUND, message, candidates_for(shown, original)))
    for unit in findings.doubtful[:1]:
        shown = findings.lines[unit.head : unit.head + 1]
        message = f"`{shown[0].strip()}` follows on lines of another block: what lies between may stay or go"
        problems.append(Problem(Code.ANCHOR_AMBIGUOUS, message, candidates_for(shown, original)))
    return problems


def candidates_for(lines: list[str], original: LineTable) -> tuple[Candidate, ...]:
    """The lines of the original that are most like the first telling one of `lines`, best first."""
    telling = next((line for line in lines if not is_trivial(key_of(line))), "")
    if not telling:
        return ()
    found = process.extract(
        telling.strip(),
        [line.strip() for line in original.lines],
        scorer=fuzz.ratio,
        limit=MAX_CANDIDATES,
        score_cutoff=MIN_CANDIDATE_SCORE,
    )
    return tuple(
        Candidate(number, number + 1, f"{score:.0f} % like the snippet's line", text) for text, score, number in found
    )
