"""Facts of a result as a whole, of what it leaves behind and breaks, read where all snippets are merged.

A line that stays beside the one that was to replace it, a statement behind a `return`, a name that is used though
nothing binds it any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from rapidfuzz.fuzz import ratio

from fastedit.anchor.lazy.identity import PREPROCESSED, bound_names, columns_of, identity_of, imported_names
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.result.losses import MARKUP, markup_of
from fastedit.anchor.lazy.result.message import NAME, MessageFacts
from fastedit.patterns import pattern

if TYPE_CHECKING:
    pass

# Beside what is written. left_like: lines that stay though they are like it, left_like_by: how much; left_header: those
# that open a block; left_start: those that begin with the same word and are about the same. sibling, not_sibling: new
# lines beside one of their kind, or not.
# The flow. unreachable: lines behind a `return` or `raise`, with comments between or none. empty: headers without a
# block. slanted: lines further in than anything opens.
# Twice. copied: lines written that also stay elsewhere, copied_near: a few lines away, copied_once: lines of which
# there was one; copied_comment: comments. again: what is declared once elsewhere and stays, again_key: what is keyed or
# assigned. reimported: names that a line imports and one that stays does too.
# Names. unbound: used though the lines that bound them are gone, unbound_local: in another block. orphans: nearly all
# uses are gone, but not those that nobody showed. params: parameters that are gone while the body uses them. unused:
# bound, but not used any more, unused_import: by an import. new_unused: newly bound and not used.
# Gone. moved: lines that are written elsewhere. gone_asked, gone_unasked: with nothing in their place, where the words
# say that something goes, and where they don't. gone_known, gone_unknown: words of such lines that the message has, and
# that it hasn't. gone_runs: stretches of them. gone_named, gone_unnamed: those with a word of a sentence that says that
# something goes, and those with none. lost_doc: comments gone above what stays. orphan_doc: comments that stay above
# what is gone. doc_twice: comments of a block, or docstrings, that are written right beside another one.
COHERENCE = (
    "left_like", "left_like_by", "left_header", "left_start", "sibling", "not_sibling", "unreachable", "empty",
    "slanted", "copied", "copied_near", "copied_once", "again", "again_key", "reimported", "unbound", "unbound_local",
    "orphans", "params", "unused", "unused_import", "new_unused", "moved", "gone_asked", "gone_unasked", "gone_known",
    "gone_unknown", "gone_runs", "lost_doc", "orphan_doc", "doc_twice", "copied_comment", "gone_named",
    "gone_unnamed", *MARKUP,
)  # fmt: skip
MIN_LIKE = 60.0  # percent
MIN_COPIED = 8  # characters of a line
NEAR = 30  # lines
PART = 1 / 3  # of a line that goes, beside others that do
MAX_NAMES = 300  # of the lines that change
MAX_PLACES = 60  # of a name: a commoner one means many things
MAX_SIGN = 3.0
MAX_COMMENT = 8  # lines of a comment between a `return` and what isn't reached any more
DOC_SIGNS = (("/**", "*/"), ('"""', '"""'), ("'''", "'''"))
ENDS_FLOW = pattern(r"(?:return|raise|throw|break|continue|goto)\b")
_GOES_ON = pattern(
    r"[)\]}.,?:|&+*/=<>#-]|(?:else|elif|except|finally|catch|case|default|when|end|fi|done|esac|rescue|ensure|until"
    r"|while)\b|\w+:"
)
_UNFINISHED = ("(", ",", "{", "[", "\\", "+", "&&", "||", "?", ":", "=")
_WITHOUT_SEMICOLONS = frozenset("python ruby javascript typescript tsx jsx go kotlin swift lua".split())
_OPENS = pattern(
    r".*(?:[({\[:]\s*(?:#.*|//.*)?|=>\s*|\b(?:do|then|begin)\s*(?:\|[^|]*\|)?|[=+\-*/|&,\\>])$|@|(?:if|for|while|else)\b"
)
_HEADER = pattern(r".*[{:]\s*(?:#.*|//.*)?$")
_COMMENT = ("//", "/*", "--", "<!", "*/", "*", "#")
_NAME = pattern(r"(?<![\w$.])[A-Za-z_$][\w$]{2,}(?!\s*=[^=])")
_KEYWORDS = frozenset(
    "self this return import from class def function const let var new int void string bool static public private "
    "final async await for while else elif try except catch with not and None null true false True False type "
    "struct".split()
)


def _ends_doc(text: str, end: str) -> bool:
    """Whether a line is the last one of a comment of a block, or of a docstring, that ends with such signs."""
    return text.endswith(end) and (end != "*/" or text.startswith(("*", "/*")))


def coherence_of(original: Lines, changes: Sequence[Change], message: MessageFacts, language: str) -> tuple[float, ...]:
    """`COHERENCE` of a result. changes: lines [start, end) of the original that become others; ascending."""
    return _Result(original, changes, message, language).told()


class _Result:
    """A result, as the changes that make it of the original."""

    def __init__(self, original: Lines, changes: Sequence[Change], message: MessageFacts, language: str) -> None:
        self.original = original
        self.changes = changes
        self.message = message
        self.language = language
        self.gone = {line for start, end, _ in changes for line in range(start, end)}
        self.written = Counter("".join(line.split()) for _, _, new in changes for line in new)
        self.f = dict.fromkeys(COHERENCE, 0.0)

    def told(self) -> tuple[float, ...]:
        """Fills in all of `COHERENCE`, and returns it."""
        for start, end, new in self.changes:
            code = [line for line in new if line.strip()]
            before, behind = self.original.beside(start, end)
            self._count_left(before, behind, code)
            self._count_flow(before, behind, code)
            self._count_copied(start, code)
            self._count_gone(start, end, bool(code))
            if code:
                self._count_docs_twice(before, behind, code)
            if start == end:
                self._count_siblings(before, behind, code)
            elif not code:
                self._count_docs(start, end)
        self._count_again()
        self._count_names()
        self.f |= markup_of(
            self.original,
            self.changes,
            self.message.told,
            self.language,
            marked=self.message.has_dots,
            full=self.message.says_complete,
        )
        return tuple(min(MAX_SIGN, self.f[name]) for name in COHERENCE)

    def _count_left(self, before: int, behind: int, code: Sequence[str]) -> None:
        """Fills in the lines that stay beside what is written though they are like it."""
        original, best = self.original, 0.0
        for at in (before, behind) if code else ():
            if not 0 <= at < len(original) or original.keys[at] in self.message.telling or original.is_trivial[at]:
                continue
            text = original.stripped[at]
            beside = [one.strip() for one in (code[0], code[-1]) if columns_of(one) == original.columns[at]]
            for line in dict.fromkeys(one for one in beside if one != text):
                alike = ratio(text, line)
                best = max(best, alike)
                if text.split()[0] == line.split()[0] and identity_of(line) == original.identity(at) is not None:
                    self.f["left_start"] += 1
                if alike >= MIN_LIKE:
                    self.f["left_like"] += 1
                    self.f["left_header"] += bool(_HEADER.match(text))
                    break
        self.f["left_like_by"] += max(0.0, best - MIN_LIKE) / (100 - MIN_LIKE)

    def _count_siblings(self, before: int, behind: int, code: Sequence[str]) -> None:
        """Fills in whether lines that are only new stand beside one of their kind."""
        first = identity_of(code[0].strip()) if code else None
        column = columns_of(code[0]) if code else 0
        beside = [at for at in (before, behind) if 0 <= at < len(self.original) and self.original.columns[at] == column]
        kinds = {found.kind for at in beside if (found := self.original.identity(at)) is not None}
        if first is not None and kinds:
            self.f["sibling" if first.kind in kinds else "not_sibling"] += 1

    def _count_flow(self, before: int, behind: int, code: Sequence[str]) -> None:
        """Fills in what a change makes of the flow and of the blocks around it."""
        original = self.original
        lines = [*(original.texts[at] for at in (before,) if at >= 0), *code]
        num_own = len(lines)
        lines += [original.texts[at] for at in (behind,) if at < len(original)]
        texts = [line.strip() for line in lines]
        columns = [columns_of(line) for line in lines]
        for at in range(1, len(lines)):
            previous, text, deeper = texts[at - 1], texts[at], columns[at] - columns[at - 1]
            if deeper == 0 and self._ends_flow(previous) and not _GOES_ON.match(text):
                self.f["unreachable"] += 1
            if previous.startswith(_COMMENT) or text.startswith(_COMMENT):
                continue
            if deeper <= 0 and previous.endswith("{") and not text.startswith("}"):
                self.f["empty"] += deeper < 0 or not previous.startswith(("namespace", "extern"))
            elif deeper <= 0 and self.language == "python" and previous.endswith(":"):
                self.f["empty"] += 1
            elif deeper > 0 and at < num_own and not _OPENS.match(previous):
                self.f["slanted"] += 1
        if code and behind < len(original):
            self._count_beyond(behind, code[-1])

    def _count_beyond(self, behind: int, last: str) -> None:
        """Fills in what a change makes of the first line of code below a comment that it stands above."""
        original, text = self.original, last.strip()
        if not original.is_comment(behind) or not self._ends_flow(text):
            return
        for at in range(behind, min(len(original), behind + MAX_COMMENT)):
            is_directive = self.language in PREPROCESSED and original.stripped[at].startswith("#")
            if original.keys[at] and (is_directive or not original.is_comment(at)):
                is_reached = is_directive or at in self.gone or original.columns[at] != columns_of(last)
                self.f["unreachable"] += not is_reached and not _GOES_ON.match(original.stripped[at])
                return

    def _count_docs_twice(self, before: int, behind: int, code: Sequence[str]) -> None:
        """Fills in comments of a block, and docstrings, right behind another one, where no snippet shows them so."""
        original = self.original
        texts = [
            *original.stripped[max(before, 0) : before + 1],
            *map(str.strip, code),
            *original.stripped[behind : behind + 1],
        ]
        for text, below in pairwise(texts):
            if any(below.startswith(start) and _ends_doc(text, end) for start, end in DOC_SIGNS):
                self.f["doc_twice"] += ("".join(text.split()), "".join(below.split())) not in self.message.steps

    def _ends_flow(self, text: str) -> bool:
        """Whether a line is a whole statement behind which nothing is reached."""
        if not ENDS_FLOW.match(text) or text.endswith(_UNFINISHED):
            return False
        is_closed = all(text.count(a) <= text.count(b) for a, b in ("()", "[]", "{}"))
        return is_closed and (text.endswith(";") or self.language in _WITHOUT_SEMICOLONS)

    def _count_copied(self, start: int, code: Sequence[str]) -> None:
        """Fills in how many lines are written that also stay."""
        for line in code:
            key = "".join(line.split())
            if len(key) < MIN_COPIED:
                continue
            if line.strip().startswith(_COMMENT):
                self.f["copied_comment"] += any(at not in self.gone for at in self.original.places.get(key, ()))
                continue
            places = self.original.places.get(key, [])
            stay = [at for at in places if at not in self.gone]
            if stay:
                self.f["copied"] += 1
                self.f["copied_near"] += any(abs(at - start) <= NEAR for at in stay)
                self.f["copied_once"] += len(places) == 1 and self.written[key] == 1

    def _count_gone(self, start: int, end: int, is_replaced: bool) -> None:
        """Fills in what goes, and whether the message knows it."""
        original = self.original
        code = [at for at in range(start, end) if original.keys[at] and not original.is_trivial[at]]
        if code and not is_replaced:
            self.f["gone_runs"] += 1
            if self.message.gone_words:
                is_named = any(not self.message.gone_words.isdisjoint(original.words(at)) for at in code)
                self.f["gone_named" if is_named else "gone_unnamed"] += 1
        for at in code:
            if original.keys[at] in self.written:
                self.f["moved"] += 1
                continue
            if not is_replaced:
                self.f["gone_asked" if self.message.asks_gone else "gone_unasked"] += PART
            words = original.words(at)
            if words:
                share = sum(word in self.message.all_words for word in words) / len(words)
                self.f["gone_known"] += PART * share
                self.f["gone_unknown"] += PART * (1 - share)

    def _count_docs(self, start: int, end: int) -> None:
        """Fills in comments that part from what they speak of."""
        original = self.original

        def is_comment(at: int) -> bool:
            return original.stripped[at].startswith(_COMMENT)

        def declares(at: int) -> bool:
            found = original.identity(at)
            return found is not None and found.kind == "decl"

        self.f["lost_doc"] += end < len(original) and is_comment(end - 1) and declares(end)
        self.f["orphan_doc"] += start > 0 and is_comment(start - 1) and not is_comment(start) and declares(start)

    def _count_again(self) -> None:
        """Fills in what is declared, keyed, assigned or imported a second time."""
        original = self.original
        for _, _, new in self.changes:
            for line in new:
                identity = identity_of(line.strip())
                if identity is None:
                    continue
                if identity.kind in ("decl", "assign", "key", "heading", "table", "selector"):
                    places = original.identities.get(identity, ())
                    if len(places) == 1 and places[0] not in self.gone:
                        kind = "again_key" if identity.kind in ("key", "assign") else "again"
                        self.f[kind] += 1
                for name in imported_names(line, self.language):
                    self.f["reimported"] += any(
                        at not in self.gone and name in imported_names(original.stripped[at], self.language)
                        for at in original.word_places.get(name, ())[:8]
                    )

    # ---- names ----------------------------------------------------------------------------------------------------

    def _count_names(self) -> None:
        """Fills in the names whose binding or whose uses are gone while the others stay."""
        original = self.original
        old = Counter(
            word for at in self.gone if not original.is_comment(at) for word in set(NAME.findall(original.stripped[at]))
        )
        if len(old) > MAX_NAMES:
            return
        code = [line for _, _, new in self.changes for line in new if not line.strip().startswith(_COMMENT)]
        new = Counter(word for line in code for word in set(NAME.findall(line)))
        bound = Counter(name for line in code for name in bound_names(line, self.language))
        for word, count in old.items():
            if word not in _KEYWORDS and new[word] < count:
                self._count_name(word, new[word], word in bound)
        for word in bound:
            is_used = new[word] > 1 or sum(line.count(word) for line in code) > 1
            is_known = any(at not in self.gone for at in original.word_places.get(word, ()))
            self.f["new_unused"] += len(word) > 2 and not is_used and not is_known
        for start, end, lines in self.changes:
            self._count_params(start, end, "\n".join(lines))

    def _count_name(self, word: str, num_new: int, is_bound: bool) -> None:
        """Fills in what becomes of one name. num_new: lines written with it; is_bound: whether one binds it."""
        original, gone = self.original, self.gone
        places = original.word_places.get(word, [])
        if len(places) > MAX_PLACES:
            return
        left = [at for at in places if at not in gone and not original.is_comment(at)]
        if not left:
            return
        if not num_new and len(places) - len(left) >= 2 * len(left):
            self.f["orphans"] += 1
        binding = [at for at in places if word in bound_names(original.stripped[at], self.language)]
        if len(left) == 1 and not num_new and binding == left:
            found = original.identity(left[0])
            self.f["unused_import" if found is not None and found.kind == "import" else "unused"] += 1
        if binding and not is_bound and all(at in gone for at in binding):
            uses = [at for at in left if word in _NAME.findall(original.stripped[at])]
            local = [at for at in uses if any(self._reaches(one, at) for one in binding)]
            if local:
                self.f["unbound"] += 1
            elif uses:
                self.f["unbound_local"] += 1

    def _reaches(self, binding: int, use: int) -> bool:
        """Whether a use may mean a name that a line binds: both are in one block, or the name is the file's."""
        parent = self.original.parents[binding]
        return parent < 0 or parent in self.original.ancestors(use)

    def _count_params(self, start: int, end: int, text: str) -> None:
        """Fills in the parameters that are gone while the function's body, which stays, uses them."""
        original = self.original
        for at in range(start, end):
            header = at if self._is_function(at) else original.parents[at] if original.keys[at] else -1
            if header < 0 or not self._is_function(header):
                continue
            if header != at and not original.stripped[header].endswith("("):
                continue
            words = set(_NAME.findall(original.stripped[at])) - _KEYWORDS - set(NAME.findall(text))
            body = next(self._bodies(header), ())
            self.f["params"] += sum(
                any(line in body and line not in self.gone for line in original.word_places.get(word, ()))
                for word in words
            )

    def _is_function(self, line: int) -> bool:
        found = self.original.identity(line)
        return found is not None and found.kind == "decl" and "(" in self.original.stripped[line]

    def _bodies(self, header: int) -> Iterator[range]:
        """Yields the lines of the block below a header."""
        columns, column = self.original.columns, self.original.columns[header]
        first = header + self.original.statement_span(header)
        end = first
        while end < len(columns) and (columns[end] < 0 or columns[end] > column):
            end += 1
        yield range(first, end)
