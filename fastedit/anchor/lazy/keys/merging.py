"""Partial files of keys merged key by key: what a snippet shows of them changes, what it doesn't show stays.

`{"compilerOptions": {"strict": true}}`, two jobs of a workflow, three sections of a `pyproject.toml`, the rules of a
stylesheet that change: no marker says that the rest stays, keys stand in any order, and one key is like another, so
rows tell little. Besides the search, readings are made from two trees: entries with the same key in the same place are
one, values that differ are replaced, and new entries are put where `placing` finds a place. Where that is open there
are several such readings; what speaks for each is counted, see `KEYS`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

from fastedit.anchor.lazy.keys.entries import Entry, indent_of
from fastedit.anchor.lazy.keys.matching import is_placed, lists_of, matched, target_of
from fastedit.anchor.lazy.keys.merger import EntryMerger, Unmerged
from fastedit.anchor.lazy.keys.objects import merged_objects
from fastedit.anchor.lazy.keys.placing import MIN_SORTED_MEMBERS, MergeRules, Placer, Way
from fastedit.anchor.lazy.keys.trees import BRACED, CODE, JSON, KEYED, entries_of, selector
from fastedit.anchor.lazy.keys.writing import EntryWriter, steps_of, with_commas
from fastedit.anchor.lazy.lines import DOTS, Lines
from fastedit.anchor.lazy.search.rows import Row, Taste, variants_of

KEYS = (
    "keys_matched", "keys_new", "keys_unsorted", "keys_apart", "keys_last", "keys_dropped", "keys_joined", "keys_more",
    "keys_marked", "keys_shown", "keys_hidden", "keys_kept",
    "keys_kept_little", "keys_kept_marked", "keys_same", "keys_told", "keys_unheard", "keys_unkin", "keys_whole",
    "keys_items", "keys_renamed", "keys_scattered", "keys_full", "keys_kept_unsaid",
    "keys_comments", "keys_quiet", "keys_joined_said", "keys_root", "keys_braced",
    "keys_ends", "keys_dropped_said", "keys_comment_odds", "keys_renamed_said", "keys_replaced", "keys_replaced_said",
    "keys_rewritten", "keys_rewritten_said", "keys_flipped", "keys_noted",
    "keys_placed", "keys_moved", "keys_code", "keys_code_stays", "keys_code_marked",
)  # fmt: skip
MAX_LINES = 20_000
MAX_CODE_LINES = 6_000
FEW = 2  # lines that were likelier deleted than just not shown
_SENTENCE = re.compile(r"(?<=[.;!?:])\s+|\n\s*\n")
COMPLETE = re.compile(
    r"\b(?:complete(?:ly)?|in full|the full|entire(?:ly)?|the whole|all (?:there (?:is|are)|of (?:it|them))"
    r"|nothing else|exactly|only (?:has|have|contains?)|is now (?:just|only)|vollständig|complet[oa]?s?)\b",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:just (?:these|the)|only (?:these|the)|others?\b.{0,30}\bstays?|stays? (?:as|put)|keep their"
    r"|unchanged|untouched)\b",
    re.IGNORECASE,
)
_HOLDING = re.compile(r"\{\s*(?://.*|/\*.*)?$|^\s*class\b")
_REMAINS = re.compile(
    r"\b(?:(?:every|any)thing|all|whatever|the (?:others?|rest|existing)|others?|unlisted|members?|these|only|just)\b"
    r".{0,60}\b(?:stays?|remains?|(?:is|are) (?:kept|left|unchanged|shown)|keeps?|as (?:it|they) (?:is|are|was|were)"
    r"|changed?)\b|\b(?:isn't|aren't|not|n't) (?:listed|shown|mentioned)\b"
    r"|\bonly (?:the )?(?:members?|changed|lines|keys|fields)\b",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\b(?:remov\w+|delet\w+|drop\w*|gone|goes|go(?= away)|goes away|no longer|not needed|unused|replac\w+"
    r"|instead|in place of|out)\b",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"\b(?:\w*format(?:t\w+|s)?|prettier|fmt|indent\w*|wrap\w*|spac(?:es?|ing)|align\w*)\b", re.IGNORECASE
)
_TOLD_NAME = re.compile(r"`([^`\n]+)`|(?<=[Tt]he )(\w{4,})\b")
_ROLES = ("elide", "where", "new", "gone")
_MORE = re.compile(r"\b(?:more|another|add(?:s|ed)?|additional|appends?|extra|at the end of|join)\b", re.IGNORECASE)
_ONE_LINE_RULE = re.compile(r"^(?P<indent>\s*)(?P<head>[^{}\s][^{}]*?)\s*\{\s*(?P<body>[^{}]*[^{}\s])\s*\}\s*$")


_Merged = list[tuple[list[str], Counter[str]]]  # results with what speaks for and against each
_Merge = Callable[[MergeRules], _Merged]


@dataclass(frozen=True, slots=True)
class MergedKeys:
    """A merged file by lines. counts: what speaks for and against it, named as in `KEYS` but for the first word."""

    lines: tuple[str, ...]
    counts: Counter[str]

    def features(self, num_kept: int) -> tuple[float, ...]:
        """A number for each of `KEYS`. num_kept: lines that the result has, but not the best one by lines."""
        found = self.counts
        shown = found["matched"] + found["new"]
        values = {
            "keys_hidden": 0.0 if found["marked"] else math.log1p(found["hidden"]),
            "keys_kept_little": float(0 < num_kept <= FEW),
            "keys_kept": 0.0 if found["marked"] else math.log1p(num_kept),
            "keys_kept_marked": math.log1p(num_kept) if found["marked"] else 0.0,
            "keys_matched": found["matched"] / max(1, shown),
            "keys_new": math.log1p(found["new"]),
            "keys_unsorted": min(3, found["unsorted"]),
            "keys_apart": min(3, found["apart"]),
            "keys_last": min(3, found["last"]),
            "keys_dropped": math.log1p(found["dropped"]),
            "keys_joined": math.log1p(found["joined"]),
            "keys_marked": float(found["marked"] > 0),
            "keys_more": float(found["more"] > 0 and found["joined"] > 0),
            "keys_shown": 0.0 if found["marked"] else found["shown"] / 100,
            "keys_same": found["same"] / max(1, shown),
            "keys_told": min(3, found["told"]) * (not found["deaf"]),
            "keys_unheard": min(3, found["told"]) * found["deaf"],
            "keys_unkin": min(3, found["unkin"]),
            "keys_whole": math.log1p(found["whole"]),
            "keys_items": float(found["items"]),
            "keys_renamed": min(3, found["renamed"]),
            "keys_full": float(found["full"] > 0 and found["dropped"] > 0),
            "keys_comments": min(3, found["comments"]),
            "keys_joined_said": float(found["stays"] > 0 and found["joined"] > 0),
            "keys_quiet": min(3, found["quiet"]),
            "keys_kept_unsaid": 0.0 if found["gone"] else math.log1p(num_kept),
            "keys_scattered": math.log1p(found["scattered"]),
            "keys_root": float(found["root"] > 0),
            "keys_braced": float(found["braced"] > 0),
            "keys_ends": float(found["ends_as_shown"] > 0),
            "keys_dropped_said": float(found["gone"] > 0 and found["dropped"] > 0),
            "keys_renamed_said": min(3, found["renamed_said"]),
            "keys_replaced": min(3, found["replaced"]),
            "keys_replaced_said": float(found["replaced"] > 0 and found["gone"] > 0),
            "keys_flipped": float(found["flipped"]),
            "keys_moved": min(3, found["moved"]),
            "keys_placed": float(not found["matched"] and not found["items"]),
            "keys_noted": float(found["noted"]),
            "keys_rewritten": math.log1p(found["rewritten"]),
            "keys_rewritten_said": float(found["rewritten"] > 0 and found["format"] > 0),
            "keys_code": float(found["code"] > 0),
            "keys_code_stays": float(found["code"] > 0 and found["remains"] > 0 and not found["replaced"]),
            "keys_code_marked": float(found["code"] > 0 and found["elided"] > 0),
            "keys_comment_odds": max(-3.0, min(3.0, found["comment_odds"] / 10)),
        }
        return tuple(values[name] for name in KEYS)


def merged_by_keys(
    original: Lines,
    shown: Sequence[str],
    language: str,
    said: str = "",
    prose: str = "",
    variants: Sequence[tuple[Taste, list[Row]]] | None = None,
) -> list[MergedKeys]:
    """The ways to merge a partial file of keys into the original, each with another result.

    None where the snippet is no such thing, or nothing in it is known. said: the words of the message; prose: those
    directly above the snippet. variants: see `variants_of`, where they are known.
    """
    if language not in KEYED | CODE or len(original) > (MAX_CODE_LINES if language in CODE else MAX_LINES):
        return []
    if language in CODE and not any(_HOLDING.search(line) for line in shown):
        return []
    result: dict[tuple[str, ...], MergedKeys] = {}
    root = cache(partial(entries_of, original.texts, language))
    for taste, rows in variants if variants is not None else variants_of(shown, original, language):
        if not taste.keeps_stubs and not taste.joins:
            snippet = ShownKeys.of(shown, rows, original, language)
            for one in _merged_by_keys(original, root, snippet, said, prose) if snippet.texts else ():
                one.counts["flipped"] = taste.flips_note
                one.counts["noted"] = taste.keeps_notes
                result.setdefault(one.lines, one)
    return list(result.values())


def _merged_by_keys(
    original: Lines, root: Callable[[], Entry | None], snippet: ShownKeys, said: str, prose: str
) -> Iterator[MergedKeys]:
    """The ways to merge what a snippet shows in one taste. root: reads the original, where that is needed."""
    is_object = snippet.language in JSON
    merge = _object_merger(original, snippet) if is_object else _entry_merger(original, root, snippet, said, prose)
    for rules, merged in _answers(merge, said, prose):
        for lines, counts in merged:
            counts["marked"] = len(snippet.elided - snippet.located) if counts["hidden"] else 0
            counts["more"] = bool(_MORE.search(prose))
            counts["full"] = bool(COMPLETE.search(said))
            counts["gone"] = bool(_GONE.search(said))
            counts["format"] = bool(_FORMAT.search(said))
            counts["stays"] = bool(_STAYS.search(said))
            counts["deaf"] = rules.is_deaf
            counts["code"] = snippet.language in CODE
            counts["elided"] = len(snippet.elided)
            counts["remains"] = bool(_REMAINS.search(said))
            if snippet.language in CODE and lines == original.texts:
                continue  # what a snippet shows of code that is there already its lines tell best
            yield MergedKeys(tuple(lines), counts)


def _answers(merge: _Merge, said: str, lead: str) -> Iterator[tuple[MergeRules, _Merged]]:
    """The rules that may lead to different results, with these: a question that doesn't come up has one answer."""
    whole = complete_keys(said)
    for named in (frozenset[str](), whole) if whole else (whole,):
        rules = MergeRules(Way.BESIDE, said, lead, whole=named)
        merged = merge(rules)
        yield from _varied(merge, rules, merged)
        if any(counts["strays"] for _, counts in merged):
            rules = replace(rules, scatters=True)
            yield from _varied(merge, rules, merge(rules))


def _varied(merge: _Merge, rules: MergeRules, merged: _Merged) -> Iterator[tuple[MergeRules, _Merged]]:
    """The results of rules, then of those that answer one question otherwise; lists are joined with each answer."""
    counts = sum((counts for _, counts in merged), Counter[str]())
    yield rules, merged
    others = [replace(rules, way=way) for way in Way if way is not Way.BESIDE] if counts["new"] else []
    others += [replace(rules, is_deaf=True)] if counts["told"] else []
    others += [replace(rules, renames=True)] if counts["like"] else []
    others += [replace(rules, is_quiet=True)] if counts["comments"] else []
    others += [replace(rules, replaces=True)] if counts["replaceable"] else []
    others += [replace(rules, rewrites=True)] if counts["rewritable"] else []
    yield from ((one, merge(one)) for one in others)
    if counts["dropped"]:
        yield from ((one, merge(one)) for one in (replace(one, joins=True) for one in (rules, *others)))
    if counts["ends"]:
        rules = replace(rules, ends_as_shown=True)
        yield rules, merge(rules)


def complete_keys(said: str) -> frozenset[str]:
    """The names in sentences that say that something is shown in full."""
    told = [sentence for sentence in _SENTENCE.split(said) if COMPLETE.search(sentence)]
    names = (name.strip("\"'[]") for one in told for found in _TOLD_NAME.findall(one) for name in found)
    return frozenset(name for name in names if name and not COMPLETE.fullmatch(name))


@dataclass(frozen=True, slots=True)
class ShownKeys:
    """A snippet without what only speaks to its reader.

    texts: its lines. notes: what was said above a line, or behind it. elided: the lines that something is left out
    before; located: those of them where that is all that a value holds (`"a": { ... }`), which only tells the place of
    its key, and of no other key whether it stays. odds: tenths of how much likelier a comment belongs to the file than
    to its reader.
    """

    texts: tuple[str, ...]
    notes: dict[int, str]
    elided: frozenset[int]
    language: str
    odds: dict[int, int] = field(default_factory=dict)
    columns: dict[int, int] = field(default_factory=dict)
    located: frozenset[int] = frozenset()

    @classmethod
    def of(cls, shown: Sequence[str], rows: Sequence[Row], original: Lines, language: str) -> ShownKeys:
        """rows: the lines in one of the tastes."""
        texts: list[str] = []
        notes: dict[int, str] = {}
        elided: set[int] = set()
        located: set[int] = set()
        odds: dict[int, int] = {}
        columns: dict[int, int] = {}
        given = [line.rstrip() for line in shown]
        for row in rows:
            if not _is_note(row, original):
                text = row.text.rstrip()
                behind = given[row.number][len(text) :] if given[row.number].startswith(text) else ""
                if behind and not row.is_part:
                    notes[len(texts)] = f"{notes.get(len(texts), '')} {behind}".strip()
                if row.note is not None:
                    odds[len(texts)] = round(10 * (row.role("code") - max(row.role(name) for name in _ROLES)))
                texts.append(row.text)
                continue
            notes[len(texts)] = f"{notes.get(len(texts), '')} {row.note}".strip()
            if row.role("elide") >= max(row.role(name) for name in _ROLES):
                elided.add(len(texts))
                if row.is_part and row.is_dots:
                    located.add(len(texts))
                columns[len(texts)] = max(columns.get(len(texts), 0), indent_of(row.text))
        return cls(tuple(texts), notes, frozenset(elided), language, odds, columns, frozenset(located))


def _is_note(row: Row, original: Lines) -> bool:
    """Whether a row stands for code, or speaks to the reader."""
    if row.note is None or (not row.is_dots and "".join(row.text.split()) in original.places):
        return False
    return row.is_dots or DOTS.search(row.note) is not None or max(row.role(name) for name in _ROLES) > row.role("code")


def _object_merger(original: Lines, snippet: ShownKeys) -> _Merge:
    """Merges a snippet of JSON under any rules."""

    def merge(rules: MergeRules) -> _Merged:
        placer = rules.placer()
        lines = merged_objects(original, snippet.texts, snippet.elided, placer, rules)
        return [] if lines is None else [(lines, placer.counts)]

    return merge


def _entry_merger(
    original: Lines, root: Callable[[], Entry | None], snippet: ShownKeys, said: str, prose: str
) -> _Merge:
    """Merges a snippet of entries under any rules: into what it shows a part of, else as items of a list."""
    if snippet.language in CODE:
        return _code_merger(original, root, snippet, prose)
    mine = root()
    if mine is None:
        return lambda _: []
    if snippet.language in BRACED:
        snippet = _unfolded(snippet, mine, original)
    shown = entries_of(snippet.texts, snippet.language)
    target = None if shown is None else target_of(mine, shown, prose)
    if target is None and shown is not None and is_placed(mine, shown, Placer(said=said, lead=prose)):
        target = mine
    if shown is not None and target is not None:
        pairs = [(target, shown)]
        return lambda rules: _merged(original, mine, pairs, snippet, rules)
    found = _items(snippet, shown)
    if found is None:
        return lambda _: []
    wrapped, items = found
    lists = lists_of(mine, items, Placer(said=said), prose, wrapped.notes)

    def merge(rules: MergeRules) -> _Merged:
        return [one for pairs in lists for one in _merged(original, mine, pairs, wrapped, rules, are_items=True)]

    return merge


def _code_merger(original: Lines, root: Callable[[], Entry | None], snippet: ShownKeys, prose: str) -> _Merge:
    """Merges a snippet of code under any rules where it shows members of a class, type or object that the file has."""
    shown = entries_of(snippet.texts, snippet.language)
    if shown is None or not any(True for _ in shown.blocks()):
        return lambda _: []
    mine = root()
    target = None if mine is None else target_of(mine, shown, prose)
    if mine is None or target is None or not _holds_known(target, shown):
        return lambda _: []
    pairs = [(target, shown)]
    return lambda rules: _merged(original, mine, pairs, snippet, rules)


def _holds_known(mine: Entry, shown: Entry) -> bool:
    """Whether something is shown inside of a block that the file has."""
    pairs = zip(shown.children, matched(mine.children, shown.children), strict=True)
    return any(number is not None and one.children and mine.children[number].is_block for one, number in pairs)


def _items(snippet: ShownKeys, shown: Entry | None) -> tuple[ShownKeys, Entry] | None:
    """A snippet that shows but items of a list, with the key that it lacks, and the list; None for any other."""
    if shown is not None and all(one.is_item for one in shown.children):
        return snippet, shown
    wrapping = {"toml": (["x = ["], ["]"]), "ini": (["x ="], [])}.get(snippet.language)
    texts = list(snippet.texts)
    while texts and (not texts[-1].strip() or texts[-1].strip() == "]"):
        texts.pop()
    if wrapping is None or not texts:
        return None
    before, behind = wrapping
    if snippet.language == "ini":
        texts = [f"    {text.strip()}" for text in texts]
    wrapped = replace(
        snippet,
        texts=(*before, *texts, *behind),
        notes={line + 1: note for line, note in snippet.notes.items()},
        elided=frozenset(line + 1 for line in snippet.elided),
        odds={line + 1: odds for line, odds in snippet.odds.items()},
    )
    root = entries_of(wrapped.texts, snippet.language)
    if root is None or len(root.children) != 1 or not root.children[0].is_list:
        return None
    return wrapped, root.children[0]


def _merged(
    original: Lines,
    root: Entry,
    pairs: Sequence[tuple[Entry, Entry]],
    snippet: ShownKeys,
    rules: MergeRules,
    *,
    are_items: bool = False,
) -> _Merged:
    """The result of merging entries that are shown into those of the file that they are; empty where it fails."""
    lines = Lines(snippet.texts)
    writer = EntryWriter(original, lines, snippet.language, steps_of(original, lines, *pairs[0]))
    placer = rules.placer()
    if snippet.language in CODE:
        placer.min_sorted = MIN_SORTED_MEMBERS
    merger = EntryMerger(writer, snippet.elided, snippet.notes, placer, rules, snippet.odds, snippet.columns)
    try:
        for target, shown in pairs:
            if are_items:
                merger.add_items(target, shown)
            else:
                merger.merge(target, shown)
        merger.placer.counts["root"] += any(target.column < 0 for target, _ in pairs)
        merged = merger.lines()
        if snippet.language in CODE:
            merged = with_commas(merged, original, root, snippet.language)
        return [(merged, merger.placer.counts)]
    except Unmerged:
        return []


def _unfolded(snippet: ShownKeys, mine: Entry, original: Lines) -> ShownKeys:
    """The snippet with rules in one line written over several, where the original has them so."""
    known = {block.key for block in mine.blocks()}
    unit = original.indent_unit
    texts: list[str] = []
    places: list[int] = []
    for text in snippet.texts:
        places.append(len(texts))
        found = _ONE_LINE_RULE.match(text)
        if found is None or selector(found["head"]) not in known:
            texts.append(text)
            continue
        inside = [part.strip() for part in re.split(r";\s*(?![^()]*\))", found["body"]) if part.strip()]
        texts += [f"{found['indent']}{found['head']} {{", *(f"{found['indent']}{unit}{one};" for one in inside)]
        texts.append(found["indent"] + "}")
    places.append(len(texts))
    notes = {places[line]: note for line, note in snippet.notes.items()}
    odds = {places[line]: one for line, one in snippet.odds.items()}
    elided = frozenset(places[line] for line in snippet.elided)
    return replace(snippet, texts=tuple(texts), notes=notes, elided=elided, odds=odds)
