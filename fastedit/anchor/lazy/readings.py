"""The readings of a lazy edit: the likeliest results of merging all its snippets into the original, best first.

Each snippet is read against the original, and against what the ones before it made where it shows lines of theirs. The
best of these join to readings of all snippets; what only speaks where several are seen together, such as their order,
counts then. What the words alone say is gone, has moved or is otherwise is tried on top. A reading's score is the sum
over all this; `probabilities` makes it comparable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.hints import Hints, gone_in, hints_of, name_of, names_imports, prose_of
from fastedit.anchor.lazy.forecast.network import FORECAST, Forecast, plain_changes
from fastedit.anchor.lazy.forecast.tokens import tokens_of
from fastedit.anchor.lazy.keys.gone import GoneEntries, gone_entries
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.parts import (
    MIN_GONE_ODDS,
    MORE_ERRORS,
    Base,
    GuideMaker,
    KnownFor,
    ReadText,
    Task,
    base_of,
    parts_of,
    plain_grids,
)
from fastedit.anchor.lazy.proposals.beside import Beside
from fastedit.anchor.lazy.proposals.ends import FileEnds
from fastedit.anchor.lazy.proposals.finder import proposals_for
from fastedit.anchor.lazy.proposals.proposals import (
    PROPOSALS,
    Outlived,
    ProposedLoss,
    combinations,
    followed,
    said_but_kept,
    still_named,
)
from fastedit.anchor.lazy.proposals.reworded import Rewording, spoken_changes
from fastedit.anchor.lazy.proposals.together import GoneEverywhere, GoneTogether, gone_everywhere, told_together
from fastedit.anchor.lazy.reading import (
    JOINED,
    MAX_READINGS,
    REPEATED_AT,
    WHOLE,
    Reading,
    SnippetReading,
    composed,
    probabilities,
    slid,
    weights,
)
from fastedit.anchor.lazy.result.claims import Claims
from fastedit.anchor.lazy.result.coherence import COHERENCE, coherence_of
from fastedit.anchor.lazy.result.gaps import GAPS, Gaps, Spacing, spaced, ways_to_space
from fastedit.anchor.lazy.result.losses import LOSSES, losses_of
from fastedit.anchor.lazy.result.message import (
    FULFILLED,
    MessageFacts,
    Shown,
    fulfilled_by,
    shown_of,
)
from fastedit.anchor.lazy.search.fold import MIN_LINES
from fastedit.anchor.lazy.search.grid import Clock, Context, Grid
from fastedit.anchor.lazy.search.rows import names_in
from fastedit.anchor.lazy.words.asides import asides_of
from fastedit.anchor.lazy.words.asking import odds_asked
from fastedit.anchor.lazy.words.behind import parted
from fastedit.anchor.lazy.words.mentions import Mentioned, mentioned
from fastedit.anchor.lazy.words.phrases import names_beside
from fastedit.anchor.lazy.words.repeated import Repetition, Words, declared_in, repetitions, says_everywhere
from fastedit.anchor.lazy.words.spoken import Unit, noted_units, speaking_of_going, spoken_units
from fastedit.edits.model import Snippet
from fastedit.syntax.model import Outline

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CARRIED = 8  # readings of all snippets so far
MAX_BY_STEPS = 3  # more that the snippets' steps alone speak for
MAX_FORESEEN = 14  # ways to read a snippet whose outlook is told
MAX_AS_SHOWN = 4  # more that have the white space as the snippet shows it: they don't crowd out others
MAX_BEHIND = 6.0  # how much worse than the best a reading may be to be carried along
MAX_BEHIND_IN_THE_END = 12.0  # the same behind the last snippet, where results are about to be seen as wholes
MAX_REREAD = 2  # of them are read on where a snippet shows what the ones before it wrote
MIN_TELLING = 4  # characters of a line that tells so
MAX_REWRITTEN = 4
MAX_OUTLIVED_OF = 12  # readings that are tried without what their new lines may have taken the place of
MAX_SPOKEN_OF = 8  # readings that are tried without what sentences may mean
# Facts of a result that say nothing of what one snippet does to it: the other snippets have their part in them.
OF_ALL = frozenset(("shown_lost", "num_changes", "num_changed"))
# What changes of a text are worth as far as the whole result tells, see `_foresight`.
Foresight = Callable[[Lines, Sequence[Change]], float]
# What words may mean: by going, by changes that they quote, beside those, by entries of a file of keys, at its ends, by
# several names of a clause, and by lines wherever they are.
Meant = tuple[
    Sequence[Unit],
    Sequence[Rewording],
    Beside | None,
    Sequence[GoneEntries],
    FileEnds | None,
    Sequence[GoneTogether],
    Sequence[GoneEverywhere],
]
NOTHING_MEANT: Meant = ((), (), None, (), None, (), ())
MAX_BELOW = 8  # readings more than are asked for that may turn out likelier as a whole
MAX_BELOW_WITH_WORDS = 40  # the same once words have added to them, each in several ways
MAX_BROKEN_BY_WORDS = 3.0  # parse errors
MAX_SPACED = 3  # readings that are tried with other numbers of blank lines
MAX_REPEATED = 2  # readings whose changes are tried everywhere
MAX_EARLIER = 400  # characters of words before earlier snippets
MAX_PART_REPEATED = 4  # readings of one snippet whose changes are


def readings_of(
    lines: Sequence[str],
    snippets: Sequence[Snippet],
    language: str,
    message: str,
    found: Outline,
    instruction: str = "",
    *,
    known_weights: dict[str, float] | None = None,
    known_for: KnownFor | None = None,
    count: int = MAX_READINGS,
    rejected: list[NDArray[np.float32]] | None = None,
) -> list[Reading]:
    """The likeliest readings of an edit, best first.

    lines: of the original, without line ends; found: its outline. known_weights, known_for: for fitting, other weights
    and what is known of the result. rejected: takes the features of paths that give no text.
    """
    used = known_weights if known_weights is not None else weights()
    hints = hints_of(f"{message}\n\n{instruction}" if instruction else message)
    words = words_beside(message, snippets, instruction)
    shown = shown_of([snippet.lines for snippet in snippets], hints, words)
    base = Base(Lines(lines), found, language)
    clock = Clock()
    facts = MessageFacts(base.lines, snippets, hints, words, message)
    foresight = _foresight(facts, base.language, used)
    told_around = pieces_of(snippets, words)
    contexts = contexts_of(snippets, hints, message, told_around[-1], instruction)
    grids = plain_grids(base, snippets, contexts, language, clock)
    named = mentioned(told_around, [snippet.lines for snippet in snippets], base.lines)
    asked = odds_asked(named.tokens)
    start = Reading(tuple(lines), tuple(range(len(lines))), 0.0, shown=shown, original=base.lines, asked=asked)
    carried = [start]
    tokens = tokens_of(grids, hints, told_around, named)
    forecast = None if tokens is None else Forecast(tokens)
    told = _guides(forecast, grids, len(lines))
    for number, (snippet, context) in enumerate(zip(snippets, contexts, strict=True)):
        grid = grids[number]
        # Of several snippets of a large original each is searched where it may belong alone, not where all of them may.
        own = grid if len(lines) <= MIN_LINES or (len(snippets) == 1 and known_for is None) else None
        task = Task(base, snippet, language, context, used, known_for, start, rejected, clock, words, own, told[number])
        ranked = _joined(carried, task, found, foresight)
        if not ranked:
            continue
        is_last = number + 1 == len(snippets)
        behind = MAX_BEHIND_IN_THE_END if is_last else MAX_BEHIND
        carried = _likeliest(ranked, count + MAX_BELOW if is_last else MAX_CARRIED, behind)
    if carried == [start]:
        return []
    once = [reading for reading in carried if not reading.joined[REPEATED_AT]][:MAX_REPEATED]
    carried = [*carried, *_everywhere(once, start, base, Words(words, _keys_of(*snippets)), used)]
    keys = [_keys_of(one) for one in snippets]
    pieces = list(zip(told_around, [*keys, *keys[-1:]], strict=True))
    result = _with_proposals(carried, base, hints, shown, pieces, named, used)
    claims = Claims(named, base.lines, found, shown.keys)
    ranked = _as_wholes(result[: count + MAX_BELOW_WITH_WORDS], base, facts, claims, forecast, used)
    gaps = Gaps(base.lines, [snippet.lines for snippet in snippets], pieces)
    return probabilities(_with_blanks(ranked, gaps, facts, used)[:count])


def _guides(forecast: Forecast | None, grids: Sequence[Grid | None], num_lines: int) -> list[GuideMaker | None]:
    """Makers of the forecast for each snippet, as it leads a search; None where there is none."""
    result: list[GuideMaker | None] = [None] * len(grids)
    if forecast is None:
        return result
    first = 0
    for number, grid in enumerate(grids):
        if grid is not None:
            result[number] = partial(forecast.guide, grid.rows, first, num_lines)
            first += grid.num_rows
    return result


def _likeliest(ranked: Sequence[Reading], limit: int, behind: float) -> list[Reading]:
    """The first readings, and the best by steps alone; those as shown are counted apart.

    None is worse than the best by more than `behind` both ways.
    """
    by_steps = sorted(ranked, key=lambda reading: -reading.score)
    promise, score = ranked[0].promise - behind, by_steps[0].score - behind
    near = [reading for reading in ranked if reading.promise >= promise or reading.score >= score]
    usual = [reading for reading in near if not reading.parts[-1].is_as_shown][:limit]
    as_shown = [reading for reading in near if reading.parts[-1].is_as_shown][:MAX_AS_SHOWN]
    first = [reading for reading in by_steps[:MAX_BY_STEPS] if reading.score >= score]
    kept = {reading.lines: reading for reading in (*usual, *as_shown, *first)}
    return sorted(kept.values(), key=lambda reading: -reading.promise)


def _foresight(message: MessageFacts, language: str, used: dict[str, float]) -> Foresight:
    """Tells what the changes of one snippet are worth in the whole result, but for what all snippets do together.

    Which of several snippets' readings go together is seen in the end. By then the right one of a snippet must not be
    lost because another's steps look better, though these leave a name unbound.
    """
    names = (*COHERENCE, *LOSSES, *FULFILLED)
    worth = [0.0 if name in OF_ALL else used.get(name, 0.0) for name in names]

    def told(text: Lines, changes: Sequence[Change]) -> float:
        facts = message if text is message.original else replace(message, original=text)
        made = slid(changes, text)
        values = (
            *coherence_of(text, made, facts, language),
            *losses_of(text, made, facts, language),
            *fulfilled_by(text, made, facts),
        )
        return sum(weight * value for weight, value in zip(worth, values, strict=True))

    return told


def words_beside(message: str, snippets: Sequence[Snippet], instruction: str = "") -> str:
    """The words of a message, its lines outside of fences that no snippet shows, and the instruction behind them.

    Code without a fence isn't prose.
    """
    code = {line.strip() for snippet in snippets for line in snippet.lines}
    prose = prose_of(message).split("\n")
    beside = "\n".join(line for line in prose if not line.strip() or line.strip() not in code)
    return f"{beside}\n\n{instruction}"


def _everywhere(
    readings: Sequence[Reading], start: Reading, base: Base, told: Words, used: dict[str, float]
) -> list[Reading]:
    """The readings whose changes fit elsewhere too, with those made there. start: the original as it is."""
    declared = declared_in(base.outline)
    result = []
    for reading in readings:
        for made in repetitions(reading.changes(start.lines), base.lines, [told], declared):
            values = _as_joined(made)
            extra = sum(used.get(name, 0.0) * value for name, value in values.items())
            text, origins = composed(start, made.changes)
            joined = tuple(a + values.get(name, 0.0) for name, a in zip(JOINED, reading.joined, strict=True))
            result.append(replace(reading, lines=text, origins=origins, score=reading.score + extra, joined=joined))
    return result


def pieces_of(snippets: Sequence[Snippet], words: str) -> list[str]:
    """The words before each snippet, and those behind the last one. words: all of them, see `words_beside`."""
    last = next((one.prose for one in reversed(snippets) if one.prose.strip()), "")
    return [*(one.prose for one in snippets), words.rpartition(last)[2] if last else words]


def _as_joined(made: Repetition) -> dict[str, float]:
    """Names, as `JOINED` does, what speaks for changes that are made elsewhere too."""
    return {"repeated": 1.0, **{f"repeated_{name}": value for name, value in made.values.items()}}


def _keys_of(*snippets: Snippet) -> frozenset[str]:
    """The lines of snippets without white space, blank ones left out."""
    return frozenset(key for snippet in snippets for line in snippet.lines if (key := "".join(line.split())))


def _ways(task: Task) -> list[ReadText]:
    """The ways to read a snippet, also with its changes made elsewhere where the words before it may say so."""
    alone = sorted(parts_of(task), key=lambda merged: -merged[0][1])
    if not says_everywhere(task.snippet.prose):
        return alone
    known = {text for _, text, *_ in alone}
    told, declared = Words(task.snippet.prose, _keys_of(task.snippet), is_part=True), declared_in(task.base.outline)
    more: dict[tuple[str, ...], ReadText] = {}
    for (part, score), _, _, changes in alone[:MAX_PART_REPEATED]:
        for made in repetitions(changes, task.base.lines, [told], declared):
            text, origins = composed(task.before, made.changes)
            if text not in known:
                repeated = replace(part, repeated=tuple(_as_joined(made).items()))
                more.setdefault(text, ((repeated, score), text, origins, made.changes))

    def promise(merged: ReadText) -> float:
        """The score of a way, with what speaks for changes that are made elsewhere too."""
        part, score = merged[0]
        return score + sum(task.used.get(name, 0.0) * value for name, value in part.repeated)

    # What each promises for the whole is only told for the first ones.
    return sorted([*alone, *more.values()], key=promise, reverse=True)


def _joined(carried: Sequence[Reading], task: Task, found: Outline, foresight: Foresight) -> list[Reading]:
    """The readings of the snippets so far, each with those of the next one that go with it; best first."""
    original = task.before
    alone = _ways(task)
    outlooks = _outlooks(alone, task.base.lines, foresight)
    result: dict[tuple[str, ...], Reading] = {}
    num_reread = 0
    for before in carried:
        beside = [
            _read_beside(before, merged, outlook, original, task.used)
            for merged, outlook in zip(alone, outlooks, strict=True)
        ]
        readings = [one for one in beside if one is not None]
        shows_written = _shows_written(task.snippet.lines, before, task.base.lines)
        # Where its likeliest reading changes what is changed already, it may be meant for what that became.
        if (shows_written or (alone and beside[0] is None)) and (num_reread < MAX_REREAD or not readings):
            num_reread += 1
            base = base_of(before, task.language, found, len(original.lines))
            again = replace(task, base=base, before=before, grid=None)
            parts = _ways(again)
            on_top = [
                _read_on(before, merged, outlook, task.used)
                for merged, outlook in zip(parts, _outlooks(parts, again.base.lines, foresight), strict=True)
            ]
            readings = [*readings, *on_top]
        for reading in readings:
            if reading.lines not in result or result[reading.lines].score < reading.score:
                result[reading.lines] = reading
    return sorted(result.values(), key=lambda reading: -reading.promise)


def _outlooks(ranked: Sequence[ReadText], text: Lines, foresight: Foresight) -> list[float]:
    """Tells what the changes of each way to read a snippet promise for the whole; behind the first ones, the least."""
    if not ranked:
        return []
    told = [foresight(text, changes) for *_, changes in ranked[:MAX_FORESEEN]]
    return [*told, *[min(told)] * (len(ranked) - len(told))]


def _shows_written(shown: Sequence[str], before: Reading, original: Lines) -> bool:
    """Whether a snippet shows a line that only an earlier one wrote."""
    keys = {"".join(line.split()) for line in shown}
    written = (
        "".join(line.split()) for line, origin in zip(before.lines, before.origins, strict=True) if origin is None
    )
    return any(len(key) >= MIN_TELLING and key in keys and key not in original.places for key in written)


def _read_on(before: Reading, merged: ReadText, outlook: float, used: dict[str, float]) -> Reading:
    """A reading with that of the next snippet, which was read against what it made."""
    (part, score), text, origins, changes = merged
    first = min((start for start, _, _ in changes), default=len(before.lines))
    place = next((origin for origin in before.origins[first:] if origin is not None), -1)
    rewritten = sum(before.origins[line] is None for start, end, _ in changes for line in range(start, end))
    return _with_part(before, part, score, outlook, text, origins, place, rewritten, used)


def _read_beside(
    before: Reading, merged: ReadText, outlook: float, original: Reading, used: dict[str, float]
) -> Reading | None:
    """A reading with that of the next snippet, which was read against the original; None where both change a line."""
    (part, score), text, origins, changes = merged
    place = min((start for start, _, _ in changes), default=-1)
    if before.lines == original.lines:
        return _with_part(before, part, score, outlook, text, origins, place, 0, used)
    moved = _moved_to(before, changes, len(original.lines))
    if moved is None:
        return None
    text, origins = composed(before, moved)
    return _with_part(before, part, score, outlook, text, origins, place, 0, used)


def _moved_to(before: Reading, changes: Sequence[Change], num_lines: int) -> list[Change] | None:
    """Changes of the original as changes of what a reading made of it; None where that changed the same lines."""
    now = {origin: line for line, origin in enumerate(before.origins) if origin is not None}
    now[num_lines] = len(before.lines)
    moved: list[Change] = []
    for start, end, new in changes:
        at = now.get(start)
        if at is None and start == end and start - 1 in now:
            at = now[start - 1] + 1
            while at < len(before.lines) and before.origins[at] is None:
                at += 1
        if at is None or (end > start and now.get(end - 1) != at + end - 1 - start):
            return None
        moved.append((at, at + end - start, new))
    return moved


def _with_part(
    before: Reading,
    part: SnippetReading,
    score: float,
    outlook: float,
    text: tuple[str, ...],
    origins: tuple[int | None, ...],
    place: int,
    rewritten: int,
    used: dict[str, float],
) -> Reading:
    """The reading of one more snippet. place: where it begins to change the original, -1 if it doesn't."""
    told = {"upwards": float(0 <= place < before.place), "rewritten": float(min(MAX_REWRITTEN, rewritten))}
    told.update(part.repeated)
    score += before.score + sum(used.get(name, 0.0) * value for name, value in told.items())
    joined = tuple(a + told.get(name, 0.0) for name, a in zip(JOINED, before.joined, strict=True))
    place = place if place >= 0 else before.place
    parts = (*before.parts, part)
    outlook += before.outlook
    return replace(
        before, lines=text, origins=origins, score=score, outlook=outlook, parts=parts, joined=joined, place=place
    )


def _with_proposals(
    readings: Sequence[Reading],
    base: Base,
    hints: Hints,
    shown: Shown,
    pieces: Sequence[tuple[str, frozenset[str]]],
    named: Mentioned,
    used: dict[str, float],
) -> list[Reading]:
    """The readings, and each of them with what the words say is gone, has moved or is otherwise."""
    original, found = base.lines.texts, base.outline
    has_words = bool(shown.prose.strip()) or any(text.strip() for text, _ in pieces)
    outlived = Outlived(base.lines, shown.keys, found.language, names_beside(shown.prose))
    meant_by_words = _meant(base, shown, pieces, named) if has_words else NOTHING_MEANT
    worth = np.array([used.get(name, 0.0) for name in PROPOSALS])
    result: dict[tuple[str, ...], Reading] = {}
    noted: dict[tuple[str, ...], list[Unit]] = {}
    for number, reading in enumerate(readings):
        said = _with_notes(hints, reading)
        meant = meant_by_words if number < MAX_SPOKEN_OF else NOTHING_MEANT
        notes = speaking_of_going(_notes(reading)) if number < MAX_SPOKEN_OF else ()
        if notes:
            if notes not in noted:
                noted[notes] = noted_units(notes, base.lines, declared_in(found))
            meant = ([*noted[notes], *meant[0]], *meant[1:])
        stale = outlived if number < MAX_OUTLIVED_OF else None
        proposed = proposals_for(reading.lines, reading.origins, original, found, said, *meant, outlived=stale)
        for chosen in combinations(proposed, worth):
            text, origins = followed(reading.lines, reading.origins, chosen, found.language)
            num_kept = said_but_kept(text, original, said)
            if num_kept:
                chosen = (*chosen, still_named(num_kept))
            score = reading.score + sum(float(one.features() @ worth) for one in chosen)
            if text not in result or result[text].score < score:
                result[text] = replace(reading, lines=text, origins=origins, score=score, proposals=chosen)
    return sorted(result.values(), key=lambda reading: -reading.promise)


def _meant(base: Base, shown: Shown, pieces: Sequence[tuple[str, frozenset[str]]], named: Mentioned) -> Meant:
    """Reads what the words may mean by going, by changes that they quote, and by entries of a file of keys."""
    declared = declared_in(base.outline)
    return (
        spoken_units(shown.prose, base.lines, declared),
        spoken_changes(shown, base.lines, declared, named, [prose for prose, _ in pieces]),
        Beside(base.lines, pieces, shown.lines),
        gone_entries(shown.prose, base.lines, base.language),
        FileEnds(base.lines, declared, [prose for prose, _ in pieces], shown.keys),
        told_together(shown.prose),
        gone_everywhere(shown.prose, base.lines, declared),
    )


def _as_wholes(
    readings: Sequence[Reading],
    base: Base,
    message: MessageFacts,
    claims: Claims,
    forecast: Forecast | None,
    used: dict[str, float],
) -> list[Reading]:
    """The readings with what tells whether their results can be meant so, likeliest first."""
    original, language = message.original, base.language
    worth = [used.get(name, 0.0) for name in WHOLE]
    result = []
    for reading in readings:
        made = reading.changes(original.texts)
        changes = slid(made, original)
        plain = slid(plain_changes(original.texts, reading.lines, made), original)
        told = (
            *coherence_of(original, changes, message, language),
            *losses_of(original, changes, message, language),
            *fulfilled_by(original, changes, message),
            *claims.unborne(changes),
            *_broken(reading, changes, base),
            *((0.0,) * len(FORECAST) if forecast is None else forecast.facts(plain, reading.worded)),
        )
        extra = sum(weight * value for weight, value in zip(worth, told, strict=True))
        result.append(replace(reading, whole=told, score=reading.score + extra, forecast=forecast))
    return sorted(result, key=lambda reading: -reading.score)


def _with_blanks(ranked: Sequence[Reading], gaps: Gaps, message: MessageFacts, used: dict[str, float]) -> list[Reading]:
    """The readings, and the likeliest of them with other numbers of blank lines at single places; likeliest first."""
    worth = {name: used.get(f"gap_{name}", 0.0) for name in GAPS}
    unchanged = tuple(message.original.texts)
    result: dict[tuple[str, ...], Reading] = {}
    for number, reading in enumerate(ranked):
        found = gaps.of_result(reading.lines, reading.origins) if number < MAX_SPACED else ()
        for way in ways_to_space(found, worth):
            now = _spaced(reading, way, message, used) if way.chosen or way.values else reading
            if way.chosen and now.lines == unchanged:
                continue  # a blank line that goes and comes again is no change, and not to be taken for one
            if now.lines not in result or result[now.lines].score < now.score:
                result[now.lines] = now
    return sorted(result.values(), key=lambda reading: -reading.score)


def _spaced(reading: Reading, way: Spacing, message: MessageFacts, used: dict[str, float]) -> Reading:
    """A reading with other numbers of blank lines, or with what speaks for others than it has."""
    values = {f"gap_{name}": value for name, value in way.values.items()}
    proposal = ProposedLoss((), tuple(values.get(name, 0.0) for name in PROPOSALS))
    now = replace(reading, score=reading.score + way.gain, proposals=(*reading.proposals, proposal))
    if not way.chosen:
        return now
    text, origins = spaced(reading.lines, reading.origins, way.chosen)
    now = replace(now, lines=text, origins=origins)
    told = fulfilled_by(message.original, slid(now.changes(message.original.texts), message.original), message)
    at, end = WHOLE.index(FULFILLED[0]), WHOLE.index(FULFILLED[-1]) + 1
    pairs = zip(FULFILLED, told, reading.whole[at:end], strict=True)
    gain = sum(used.get(name, 0.0) * (new - old) for name, new, old in pairs)
    return replace(now, whole=(*reading.whole[:at], *told, *reading.whole[end:]), score=now.score + gain)


def _broken(reading: Reading, changes: Sequence[Change], base: Base) -> tuple[float, float]:
    """Counts the parse errors that a reading has more for its proposals than its snippets bring, and those less."""
    if not reading.proposals or base.errors.count is None:
        return 0.0, 0.0
    of_parts = sum(float(part.facts[MORE_ERRORS]) for part in reading.parts)
    more = (base.errors.after(changes) or 0) - base.errors.count - of_parts
    return max(0.0, min(MAX_BROKEN_BY_WORDS, more)), max(0.0, min(MAX_BROKEN_BY_WORDS, of_parts, -more))


def _with_notes(hints: Hints, reading: Reading) -> Hints:
    """The hints, and what notes in the snippets say is gone: `# removed: save`."""
    gone: dict[str, None] = dict.fromkeys(hints.gone)
    has_imports = hints.imports
    for part in reading.parts:
        is_known = part.grid.original.identities.has_name
        for row in part.plan.left_out:
            note = part.grid.rows[row].note
            if note is not None and part.grid.rows[row].role("gone") > MIN_GONE_ODDS:
                said = gone_in(note, is_known)
                gone.update(dict.fromkeys(said))
                has_imports = has_imports or names_imports(note)
    names = hints.removed | {name for quoted in gone if (name := name_of(quoted))}
    return replace(hints, removed=names, gone=tuple(gone), imports=has_imports)


def _notes(reading: Reading) -> tuple[str, ...]:
    """The notes in the snippets that a reading leaves out, or takes for markers."""
    told = (part.grid.rows[row] for part in reading.parts for row in (*part.plan.left_out, *part.plan.markers))
    return tuple(row.note for row in told if row.note)


def contexts_of(
    snippets: Sequence[Snippet], hints: Hints, message: str = "", last: str = "", instruction: str = ""
) -> list[Context]:
    """Reads the words around each of the snippets. last: those below the last one."""
    asides = asides_of(message)
    parts = [("", snippet.prose) if not number else parted(snippet.prose) for number, snippet in enumerate(snippets)]
    behind = [*(one for one, _ in parts[1:]), parted(last, is_last=True)[0]]
    own = [replace(snippet, prose=prose) for snippet, (_, prose) in zip(snippets, parts, strict=True)]
    before = ["\n".join(other.prose for other in own[:number])[-MAX_EARLIER:] for number in range(len(own))]
    return [
        replace(context_of(one, hints, instruction, above, below), asides=asides)
        for one, above, below in zip(own, before, behind, strict=False)
    ]


def context_of(snippet: Snippet, hints: Hints, instruction: str = "", earlier: str = "", behind: str = "") -> Context:
    """Reads the words around a snippet. earlier: the words before the snippets above it; behind: those below it."""
    names = names_in(f"{snippet.prose}\n{instruction}")
    return Context(names, hints.removed, hints.kept, snippet.prose, earlier, behind)
