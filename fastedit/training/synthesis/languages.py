"""Tables of what synthesis must know of a language to write changes that look like it: one row a family or language.

Templates use {name} for an identifier at hand and {u} for one level of indentation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from fastedit.syntax.model import CommentSyntax, Outline


class Family(StrEnum):
    INDENT = "indent"  # Python
    BRACE = "brace"  # C and its heirs
    END = "end"  # Ruby, shell
    MARKUP = "markup"  # HTML and the like
    DATA = "data"  # configuration, style sheets, tables, prose


@dataclass(frozen=True, slots=True)
class Wrap:
    """Lines put before and after a block that moves one level to the right."""

    before: tuple[str, ...]
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LanguageTraits:
    """The looks of a language.

    terminator: what every simple statement ends in, "" for none. wraps, guards, parameters: templates.
    decorator: how a line above a declaration that belongs to it starts, "" for none.
    """

    family: Family
    terminator: str = ""
    triple_quotes: bool = False
    decorator: str = ""
    wraps: tuple[Wrap, ...] = ()
    guards: tuple[tuple[str, ...], ...] = ()
    parameters: tuple[str, ...] = ()
    import_start: tuple[str, ...] = ()


_C_WRAPS = (
    Wrap(("if ({name}) {",), ("}",)),
    Wrap(("if ({name} != 0) {",), ("} else {", "{u}return;", "}")),
    Wrap(("for (int attempt = 0; attempt < 3; attempt++) {",), ("}",)),
    Wrap(("while ({name}) {",), ("}",)),
)
_C = LanguageTraits(
    Family.BRACE,
    ";",
    wraps=_C_WRAPS,
    guards=(("if (!{name}) {", "{u}return;", "}"), ("if ({name} == NULL)", "{u}return;")),
    parameters=("int flags", "size_t limit", "bool strict", "const char *label"),
    import_start=("#include",),
)
_CPP = replace(
    _C,
    wraps=(*_C_WRAPS, Wrap(("try {",), ("} catch (const std::exception& error) {", "{u}report(error.what());", "}"))),
    parameters=("int flags", "std::size_t limit", "bool strict", "const std::string& label"),
    import_start=("#include", "using "),
)
_JAVASCRIPT = LanguageTraits(
    Family.BRACE,
    ";",
    decorator="@",
    wraps=(
        Wrap(("try {",), ("} catch (error) {", "{u}console.error(error);", "}")),
        Wrap(("try {",), ("} finally {", "{u}release({name});", "}")),
        Wrap(("if ({name}) {",), ("}",)),
        Wrap(("if ({name} !== undefined) {",), ("} else {", "{u}return null;", "}")),
        Wrap(("for (let attempt = 0; attempt < 3; attempt += 1) {",), ("}",)),
    ),
    guards=(("if (!{name}) {", "{u}return null;", "}"), ("if ({name} === undefined) return;",)),
    parameters=("options = {}", "strict = false", "signal", "limit = 100", "onError"),
    import_start=("import ", "const {"),
)
_TYPESCRIPT = replace(
    _JAVASCRIPT, parameters=("options: Options = {}", "strict = false", "signal?: AbortSignal", "limit: number = 100")
)
_JAVA = replace(
    _C,
    decorator="@",
    wraps=(
        Wrap(("try {",), ("} catch (RuntimeException e) {", '{u}log.warn("{name} failed", e);', "}")),
        Wrap(("if ({name} != null) {",), ("}",)),
        Wrap(("synchronized (this) {",), ("}",)),
        Wrap(("for (int attempt = 0; attempt < 3; attempt++) {",), ("}",)),
    ),
    guards=(("if ({name} == null) {", '{u}throw new IllegalArgumentException("{name}");', "}"),),
    parameters=("int limit", "boolean strict", "String label", "Duration timeout"),
    import_start=("import ",),
)
_GO = LanguageTraits(
    Family.BRACE,
    wraps=(
        Wrap(("if {name} != nil {",), ("}",)),
        Wrap(("for attempt := 0; attempt < 3; attempt++ {",), ("}",)),
        Wrap(("if !{name} {",), ("} else {", "{u}return", "}")),
    ),
    guards=(("if {name} == nil {", "{u}return", "}"),),
    parameters=("timeout time.Duration", "strict bool", "limit int", "opts ...Option"),
    import_start=("import ",),
)
_RUST = LanguageTraits(
    Family.BRACE,
    ";",
    decorator="#[",
    wraps=(
        Wrap(("if {name}.is_some() {",), ("}",)),
        Wrap(("for _ in 0..3 {",), ("}",)),
        Wrap(("loop {",), ("{u}break;", "}")),
        Wrap(("unsafe {",), ("}",)),
    ),
    guards=(("if {name}.is_empty() {", "{u}return;", "}"),),
    parameters=("limit: usize", "strict: bool", "label: &str"),
    import_start=("use ",),
)
_PHP = replace(
    _C,
    wraps=(
        Wrap(("try {",), ("} catch (\\Throwable $e) {", "{u}$this->handle($e);", "}")),
        Wrap(("if ({name}) {",), ("}",)),
        Wrap(("if (null !== {name}) {",), ("} else {", "{u}return null;", "}")),
    ),
    guards=(("if (null === {name}) {", "{u}return null;", "}"),),
    parameters=("array $options = []", "bool $strict = false", "?int $limit = null"),
    import_start=("use ",),
)
_KOTLIN = LanguageTraits(
    Family.BRACE,
    decorator="@",
    wraps=(
        Wrap(("try {",), ("} catch (e: Exception) {", '{u}log.warn("{name}", e)', "}")),
        Wrap(("if ({name} != null) {",), ("}",)),
        Wrap(("repeat(3) {",), ("}",)),
    ),
    guards=(("if ({name} == null) return",), ("require({name} != null)",)),
    parameters=("limit: Int = 100", "strict: Boolean = false", "label: String? = null"),
    import_start=("import ",),
)
_SWIFT = replace(
    _KOTLIN,
    wraps=(
        Wrap(("do {",), ("} catch {", "{u}logger.error(error)", "}")),
        Wrap(("if let value = {name} {",), ("}",)),
        Wrap(("for _ in 0..<3 {",), ("}",)),
    ),
    guards=(("guard let value = {name} else { return }",),),
    parameters=("limit: Int = 100", "strict: Bool = false"),
)
_PYTHON = LanguageTraits(
    Family.INDENT,
    triple_quotes=True,
    decorator="@",
    wraps=(
        Wrap(("try:",), ("except ValueError:", "{u}pass")),
        Wrap(("try:",), ("except OSError as error:", "{u}raise RuntimeError(str(error)) from error")),
        Wrap(("try:",), ("finally:", "{u}{name} = None")),
        Wrap(("if {name} is not None:",)),
        Wrap(("if {name}:",), ("else:", "{u}return None")),
        Wrap(("with self._lock:",)),
        Wrap(("for attempt in range(3):",)),
        Wrap(("while {name}:",)),
    ),
    guards=(
        ("if {name} is None:", "{u}return None"),
        ("if not {name}:", '{u}raise ValueError("{name} must not be empty")'),
    ),
    parameters=("strict=False", "timeout: float = 10.0", "limit=None", "*, dry_run: bool = False", "on_error=None"),
    import_start=("import ", "from "),
)
_RUBY = LanguageTraits(
    Family.END,
    wraps=(
        Wrap(("begin",), ("rescue StandardError => e", "{u}warn e.message", "end")),
        Wrap(("if {name}",), ("end",)),
        Wrap(("unless {name}.nil?",), ("else", "{u}return", "end")),
        Wrap(("3.times do",), ("end",)),
    ),
    guards=(("return if {name}.nil?",), ("return unless {name}",)),
    parameters=("strict: false", "limit = nil", "**options"),
    import_start=("require ",),
)
_SHELL = LanguageTraits(
    Family.END,
    wraps=(
        Wrap(('if [ -n "$1" ]; then',), ("fi",)),
        Wrap(("for try in 1 2 3; do",), ("done",)),
        Wrap(('if [ "$DRY_RUN" != 1 ]; then',), ("else", '{u}echo "dry run"', "fi")),
    ),
    guards=(('[ "$#" -gt 0 ] || return 1',),),
    import_start=("source ", ". "),
)
_DATA = LanguageTraits(Family.DATA)
_MARKUP = LanguageTraits(
    Family.MARKUP, wraps=(Wrap(("<section>",), ("</section>",)), Wrap(('<div class="inner">',), ("</div>",)))
)

TRAITS: dict[str, LanguageTraits] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "jsx": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "csharp": replace(_JAVA, decorator="[", import_start=("using ",)),
    "c": _C,
    "cpp": _CPP,
    "php": _PHP,
    "kotlin": _KOTLIN,
    "swift": _SWIFT,
    "ruby": _RUBY,
    "bash": _SHELL,
    "html": _MARKUP,
    "vue": _MARKUP,
    "svelte": _MARKUP,
    "xml": _MARKUP,
    "sql": replace(_DATA, terminator=";"),
}


def traits_of(language: str) -> LanguageTraits:
    """The row for a language; files without one are edited as data, line by line."""
    return TRAITS.get(language, _DATA)


def comments_of(language: str) -> CommentSyntax:
    """The syntax of the language's comments."""
    from fastedit.syntax.languages import comment_syntax

    return comment_syntax(language)


def read_outline(text: str, language: str) -> Outline:
    """The declarations of the text."""
    from fastedit.syntax.outline import outline

    return outline(text, language)
