"""The playground: a page that loads nothing, and what it is told about how a message was read."""

from __future__ import annotations

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from support.browser import CHROMIUM, browser
from support.choosing import EDIT as UNSURE
from support.choosing import ORIGINAL as SHAPES
from support.choosing import reading
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH, Running


class Page(HTMLParser):
    """Notes ids, what labels are for, and everything that would be loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.controls: list[dict[str, str | None]] = []
        self.labels = 0
        self.loaded: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.append(tag)
        if name := known.get("id"):
            self.ids.append(name)
        if tag in ("input", "select", "textarea"):
            self.controls.append({**known, "labelled": "label" if self.labels else None})
        self.labels += tag == "label"
        self.loaded += [value for name, value in attrs if name in ("src", "href") and value]

    def handle_endtag(self, tag: str) -> None:
        self.labels -= tag == "label"


@pytest.fixture
def page(plain: Running) -> str:
    answer = plain.client.get("/")
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    return answer.text


def test_the_page_loads_nothing_and_all_its_controls_have_names(page: str) -> None:
    read = Page()
    read.feed(page)
    assert set(read.loaded) == {"/docs"}
    assert not re.search(r"https?://|@import|url\(", page)
    assert len(set(read.ids)) == len(read.ids)
    assert len(read.controls) == 7
    assert all(control["labelled"] or control.get("aria-labelledby") in read.ids for control in read.controls)
    assert "noscript" in read.tags
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page


def test_the_script_uses_ids_that_there_are(page: str) -> None:
    read = Page()
    read.feed(page)
    assert set(re.findall(r"\$\(\"(\w+)\"\)", page)) <= set(read.ids)


def explained(service: Running, **fields: object) -> dict[str, object]:
    answer = service.client.post("/v1/explain", json={"original": ORIGINAL, "path": "shapes.py", **fields})
    assert answer.status_code == 200, answer.text
    said: dict[str, object] = answer.json()
    return said


def made_of(original: str, said: dict[str, object]) -> str:
    lines, made = original.split("\n")[:-1], []
    for one in said["segments"]:  # type: ignore[attr-defined]
        made += lines[one["start_line"] : one["end_line"]] if one["kind"] == "keep" else one["lines"]
    return "\n".join(made) + "\n"


def test_each_line_has_a_role_and_the_segments_make_the_new_file(plain: Running) -> None:
    said = explained(plain, edit=f"I let it say more:\n\n```python\n{EDIT}```\n")
    roles = ["prose", "blank", "prose", "marker", "quote", "change", "blank", "marker", "prose", "blank"]
    assert said["roles"] == roles
    assert made_of(ORIGINAL, said) == EXPECTED


def test_patches_have_roles_too(plain: Running) -> None:
    assert explained(plain, edit=PATCH)["roles"] == ["marker", "removed", "marker", "new", "marker", "blank"]
    diff = "--- a/shapes.py\n+++ b/shapes.py\n@@ -1 +1 @@\n def name():\n-    return 'shape'\n+    return 'solid'"
    said = explained(plain, edit=diff)
    assert said["roles"] == ["marker", "marker", "marker", "quote", "removed", "new"]
    assert made_of(ORIGINAL, said) == EXPECTED


def test_what_would_be_refused_is_explained_all_the_same(plain: Running) -> None:
    said = explained(plain, original=SHAPES, edit=UNSURE, certainty=1)
    assert 0 < said["certainty"] < 1  # type: ignore[operator]
    second = explained(plain, original=SHAPES, edit=UNSURE, choose=2)
    assert made_of(SHAPES, second) == reading(2)
    assert plain.client.post("/v1/explain", json={"original": "", "edit": " "}).status_code == 422


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
@pytest.mark.parametrize(("number", "words"), [(0, "Applied (structural)"), (1, "Take it: line"), (2, "Applied")])
def test_a_browser_shows_what_came_of_the_examples(plain: Running, tmp_path: Path, number: int, words: str) -> None:
    assert CHROMIUM is not None
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}",
        "--virtual-time-budget=20000", "--dump-dom", f"{plain.url}/#example-{number}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    shown = re.sub(r"<script>.*</script>", "", done.stdout, flags=re.DOTALL)
    assert words in shown
    assert ">marker<" in shown


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_everything_fits_a_phone_and_the_dark(plain: Running, tmp_path: Path) -> None:
    with browser(tmp_path) as tab:
        for width, is_dark in ((390, True), (1280, False)):
            tab.open("about:blank", width)
            tab.open(f"{plain.url}/#example-1", width, is_dark=is_dark)
            tab.wait_for("document.querySelectorAll('#readings button').length > 1")
            edges = "[...document.querySelectorAll('header *, main > *, #said *')].map((one) => one"
            assert tab.value(f"Math.max(...{edges}.getBoundingClientRect().right)) <= innerWidth - 15")
            background = tab.value("getComputedStyle($('apply')).backgroundColor")
            assert background == ("rgb(88, 166, 255)" if is_dark else "rgb(9, 105, 218)")
            tab.value("document.querySelector('#readings button').click()")
            tab.wait_for("$('said').className === 'good'")
