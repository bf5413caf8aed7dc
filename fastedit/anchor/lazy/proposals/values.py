"""Values that words give to keys: in lines that set them, attributes of markup, requirements and links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from fastedit.anchor.lazy.lines import Lines
from fastedit.patterns import pattern

MIN_VALUE_LIKE = 50.0  # percent: of several values the one that is most like the new one is meant
_NUMBER = pattern(r"[v^~<>=! ]*\d")
_ADDRESS = pattern(r"(?:https?:/)?/[^\s/]|mailto:")
_FLAGS = frozenset("true false yes no on off null none".split())
_VERSION_BEHIND = pattern(r"(?P<sign>(?:[<>=~!]=?=?|\^)\s*)?(?P<number>.*)", re.DOTALL)
# A line that sets a key: its value, and what stands behind that.
_VALUE = pattern(
    r"^(?P<head>\s*(?:- |export |const |let |var )?(?P<q>[\"']?)(?P<key>[\w@./-]+)(?P=q)\s*(?::|=)\s*)"
    r"(?P<value>\"[^\"]*\"|'[^']*'|[^\s,;#\"'{\[(]+)(?P<tail>[,;]?\s*(?:#.*|//.*)?)$"
)
# Elsewhere in a line: `key="..."`; `key >=1.0` and `key[extra]==1.0`; `[key](...)`.
_ATTRIBUTE = r"(?<![\w.$-])%s=(?P<q>[\"'])(?P<value>[^\"'\n]*)(?P=q)"
_REQUIREMENT = (
    r"(?<![\w./@-])%s(?:\[[\w, -]*\])?\s*(?P<value>(?:[<>~!=]==?|[<>^~])\s*v?\d[\w.*+-]*"
    r"(?:\s*,\s*(?:[<>~!=]==?|[<>])\s*v?\d[\w.*+-]*)*)"
)
_LINK = r"\[%s\]\((?P<value>[^()\s]+)\)"


def with_value(key: str, value: str, lines: Sequence[int], original: Lines) -> tuple[int, str] | None:
    """The one line that sets a key, with another value in the quotes that the old one has; None where none is it."""
    found = [one for line in lines if (one := _VALUE.match(original.texts[line])) is not None and one["key"] == key]
    kind = kind_of(value)
    if len(found) != 1 or not kind or kind != kind_of(found[0]["value"]):
        return _with_value_inside(key, value, lines, original) if kind else None
    is_quoted = value[0] in "\"'`" and value[-1] == value[0] and len(value) > 1
    old = found[0]["value"]
    quote = old[0] if old[0] in "\"'" and old[-1] == old[0] and not is_quoted else ""
    line = next(line for line in lines if original.texts[line] == found[0].string)
    return line, f"{found[0]['head']}{quote}{value}{quote}{found[0]['tail']}"


def _with_value_inside(key: str, value: str, lines: Sequence[int], original: Lines) -> tuple[int, str] | None:
    """The line that gives a key a value of the same kind inside of it; of several that with the likest value."""
    for form in (_ATTRIBUTE, _REQUIREMENT, _LINK):
        found = list(_set_by(form, key, value, lines, original))
        if found:
            best = max(likeness for likeness, _, _ in found)
            likest = [(line, text) for likeness, line, text in found if likeness == best]
            if len(likest) == 1 and (len(found) == 1 or best >= MIN_VALUE_LIKE):
                return likest[0]
    return None


def _set_by(form: str, key: str, value: str, lines: Sequence[int], original: Lines) -> Iterator[tuple[float, int, str]]:
    """Yields how alike the two values are, the line and its text, for each place in lines where a form has a key."""
    setting = re.compile(form % re.escape(key))
    for line in lines:
        text = original.texts[line]
        for found in setting.finditer(text):
            old, new = found["value"], value.strip("\"'`")
            if kind_of(old) == kind_of(new) and old != new:
                new = _with_sign(old, new) if form is _REQUIREMENT else new
                start, end = found.span("value")
                yield fuzz.ratio(old, new), line, text[:start] + new + text[end:]


def _with_sign(old: str, new: str) -> str:
    """The new version; with the sign that the old one has before it, where it has none itself."""
    mine, theirs = _VERSION_BEHIND.match(new), _VERSION_BEHIND.match(old)
    return new if mine is None or theirs is None or mine["sign"] else (theirs["sign"] or "") + new


def kind_of(value: str) -> str:
    """Tells a number or version, a flag and an address from what may as well be a name, ""."""
    bare = value.strip("\"'`")
    if bare.lower() in _FLAGS:
        return "flag"
    return "number" if _NUMBER.match(bare) else "address" if _ADDRESS.match(bare) else ""
