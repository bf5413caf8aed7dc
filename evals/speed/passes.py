"""How many passes drafts save, counted without any model:

    python -m evals.speed.passes [--cases FOLDER] [--chunk N] [--disagreeing N]

Every output is known, so the drafters can be followed along it as decoding would: each pass takes what is right of a
proposal of at most `--chunk` tokens and one token more. That is where the drafters' priors come from
(`fastedit.decode.controller`), and the answer to whether verifying the best two or three candidates in one pass, each
as a branch of its own, would pay. A "perfect draft" needs a pass for every chunk; what is needed more is told for each
place where the output departs from the first draft.

Of a folder of cases the drafts are the bare originals. With --disagreeing the target disagrees with a merged draft:
edits of ApplyBench's training split, drafted by the likeliest of their readings that is wrong (the original behind it,
as in decoding), while the target writes what is right. Results go to evals/speed/results/passes.json.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals.applybench.records import Record, load
from evals.speed.pairs import Pair, load_pairs
from fastedit.anchor import align_readings
from fastedit.applied import render
from fastedit.decode.controller import Acceptance
from fastedit.decode.passes import accepted_length
from fastedit.decode.request import DecodeRequest
from fastedit.decode.sequence import cascade_for
from fastedit.draft import Cascade, Codec, Draft, Kind, Proposal, TextDrafter, Transcript
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Format
from fastedit.errors import EditRefused
from fastedit.syntax import language_of
from fastedit.targets import TokenizerCodec
from fastedit.targets.synthetic import make_tokenizer

CHUNK = 256  # beyond it a pass costs more than a token on a data-centre GPU, and nearly everything is copied before it
VOCABULARY = 8192
MOST_BRANCHES = 3
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Course:
    """An output that is known, and what it is drafted from: texts in order of trust, the bare original last, and an
    edit's snippets."""

    output: str
    texts: tuple[Draft, ...]
    snippets: tuple[str, ...]

    @property
    def num_places(self) -> int:
        """Runs of lines that differ between the first draft and the output."""
        old, new = self.texts[0].text.split("\n"), self.output.split("\n")
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        return sum(operation[0] != "equal" for operation in matcher.get_opcodes())


@dataclass
class Tally:
    """first: proposals whose first token was right, by kind; later ones diverged in `diverged` of `tokens`."""

    asked: int = 0
    first: int = 0
    tokens: int = 0
    diverged: int = 0


@dataclass
class Count:
    """num_least: passes that a perfect draft needs. num_places: where the output departs from its first draft.

    branched: passes in which several candidates were verified; branch_wins: of these where a later one went further.
    branch_tokens: that the later candidates had.
    """

    passes: int = 0
    num_least: int = 0
    num_places: int = 0
    divergences: int = 0
    tokens: int = 0
    branched: int = 0
    branch_wins: int = 0
    branch_tokens: int = 0
    kinds: dict[Kind, Tally] = field(default_factory=lambda: defaultdict(Tally))

    @property
    def passes_per_place(self) -> float:
        """Passes more than a perfect draft needs, for each place where the text changes."""
        return (self.passes - self.num_least) / max(1, self.num_places)


def count_passes(
    courses: Sequence[Course], codec: Codec, chunk: int = CHUNK, num_branches: int = 1, use_lookups: bool = True
) -> Count:
    """Follow every output along its drafts. num_branches: candidates verified in one pass."""
    total = Count()
    for course in courses:
        output = [*codec.encode(course.output), 0]
        _follow(course, output, codec, chunk, num_branches, use_lookups, total)
        total.tokens += len(output)
        total.num_least += -(-len(output) // (chunk + 1))
        total.num_places += course.num_places
    return total


def from_originals(pairs: Sequence[Pair]) -> list[Course]:
    """The pairs' edited texts, drafted from the bare originals."""
    return [Course(pair.edited, (Draft(pair.original, Kind.ORIGINAL),), pair.snippets) for pair in pairs]


def from_wrong_readings(count: int) -> Iterator[Course]:
    """What is right for lazy edits of the training split, drafted from their likeliest reading that is wrong.

    Of the first `count` edits in an order that has nothing to do with them; those whose readings are all right have
    none.
    """
    records = [record for record in load("train") if record.format == "lazy" and record.file in (record.expected or {})]
    records.sort(key=lambda record: hashlib.sha256(record.id.encode()).digest())
    for record in records[:count]:
        course = _misread(record)
        if course is not None:
            yield course


def _misread(record: Record) -> Course | None:
    assert record.file is not None
    assert record.expected is not None
    original, wanted = record.files[record.file], record.expected[record.file]
    try:
        edits, _ = edits_for(parse_message(record.message), record.file)
    except EditRefused:
        return None
    if len(edits) != 1 or edits[0].format is not Format.LAZY:
        return None
    readings = align_readings(original, edits[0], language_of(record.file, original), record.message)
    wrong = next((text for text in (render(original, reading) for reading in readings) if text != wanted), None)
    if wrong is None:
        return None
    snippets = tuple("\n".join(snippet.lines) + "\n" for snippet in edits[0].snippets)
    return Course(wanted, (Draft(wrong, Kind.MERGED), Draft(original, Kind.ORIGINAL)), snippets)


def _follow(
    course: Course, output: list[int], codec: Codec, chunk: int, num_branches: int, use_lookups: bool, total: Count
) -> None:
    transcript, acceptance = Transcript(codec), Acceptance()
    if use_lookups:
        request = DecodeRequest((0,), len(output), course.texts, course.snippets, course.texts[-1].text)
        cascade = cascade_for(request, codec, (0,), transcript, acceptance)
    else:
        texts = [TextDrafter(text, codec, transcript, (0,)) for text in course.texts]
        cascade = Cascade(texts, (), acceptance.worth)
    at = 0
    while at < len(output):
        candidates = cascade.candidates(chunk)[:num_branches]
        rest = output[at : at + chunk + 1]
        accepted = [_num_right(candidate, rest) for candidate in candidates]
        for candidate, num_right in zip(candidates, accepted, strict=True):
            _tally(total.kinds[candidate.kind], candidate, num_right)
        best = max(accepted, default=0)
        total.divergences += bool(candidates) and best < min(len(candidates[0].tokens), len(rest) - 1)
        total.branched += len(candidates) > 1
        total.branch_wins += best > accepted[0] if accepted else False
        total.branch_tokens += sum(len(candidate.tokens) for candidate in candidates[1:])
        total.passes += 1
        transcript.extend(output[at : at + best + 1])
        at += best + 1


def _num_right(proposal: Proposal, rest: list[int]) -> int:
    draft = proposal.tokens[: len(rest)]
    return accepted_length(rest, draft)


def _tally(tally: Tally, proposal: Proposal, num_right: int) -> None:
    tally.asked += 1
    tally.first += num_right > 0
    tally.tokens += max(0, num_right - 1)
    tally.diverged += 0 < num_right < len(proposal.tokens)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, help="folder of cases (default: ../shared/apply_cases/cases)")
    parser.add_argument("--chunk", type=int, default=CHUNK)
    parser.add_argument("--disagreeing", type=int, default=0, metavar="N", help="edits to look for wrong readings of")
    options = parser.parse_args()
    if options.disagreeing:
        courses = list(from_wrong_readings(options.disagreeing))
        source = f"wrong readings, of {options.disagreeing} edits of ApplyBench's"
    else:
        pairs, source = load_pairs(options.cases)
        courses = from_originals([pair for pair in pairs if pair.changed_share < 0.3])
    codec = TokenizerCodec(make_tokenizer((course.texts[-1].text for course in courses), VOCABULARY).backend_tokenizer)
    print(f"{len(courses)} outputs: {source}; chunk {options.chunk}")
    rows = {
        _name(branches): count_passes(courses, codec, options.chunk, branches)
        for branches in range(1, MOST_BRANCHES + 1)
    }
    if not options.disagreeing:
        rows["no look-up"] = count_passes(courses, codec, options.chunk, use_lookups=False)
    for name, count in rows.items():
        print(
            f"{name:22} {count.tokens} tokens in {count.passes} passes, perfect drafts {count.num_least}: "
            f"{count.passes_per_place:.2f} more for each of {count.num_places} places; "
            f"a later branch went further in {count.branch_wins} of {count.branched} passes"
        )
    for kind, tally in sorted(rows[_name(1)].kinds.items()):
        print(
            f"  {kind:16} asked {tally.asked:5}  first token right {tally.first / tally.asked:.2f}  "
            f"then diverged at {tally.diverged / max(1, tally.tokens):.4f} of the tokens"
        )
    _save(source, options.chunk, len(courses), rows)


def _name(num_branches: int) -> str:
    return f"{num_branches} candidate{'s' * (num_branches > 1)} a pass"


def _save(source: str, chunk: int, num_outputs: int, rows: dict[str, Count]) -> None:
    """Writes the counts beside those of other sources, which stay."""
    path = RESULTS / "passes.json"
    report = json.loads(path.read_text("utf-8")) if path.exists() else {"machine": {}, "branches": []}
    command = "python -m evals.speed.passes [--disagreeing N]"
    kept = [row for row in report["branches"] if (row["source"], row["chunk"]) != (source, chunk)]
    new = [
        {
            "source": source, "chunk": chunk, "outputs": num_outputs, "way": name, "tokens": count.tokens,
            "passes": count.passes, "num_least": count.num_least, "num_places": count.num_places,
            "passes_per_place": round(count.passes_per_place, 3), "branched": count.branched,
            "branch_wins": count.branch_wins, "branch_tokens": count.branch_tokens,
        }
        for name, count in rows.items()
    ]  # fmt: skip
    report = {"machine": {"command": command}, "branches": [*kept, *new]}
    path.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
