"""Tells which language a file or a fence is in, and how that language writes comments: tables and look-ups.

Knows nothing of grammars beyond their module's name; `parse` imports them. By the comment syntax alone a text's
comments, strings and brackets are told apart, without a grammar.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from fastedit.syntax.model import CommentSyntax

_SLASH = CommentSyntax(("//",), (("/*", "*/"),))
_HASH = CommentSyntax(("#",))
_MARKUP = CommentSyntax((), (("<!--", "-->"),))
_JSX = CommentSyntax(("//",), (("/*", "*/"), ("{/*", "*/}")))
_COMPONENT = CommentSyntax(("//",), (("<!--", "-->"), ("/*", "*/"), ("{/*", "*/}")))
_DASH = CommentSyntax(("--",))
_SEMICOLON = CommentSyntax((";",))


@dataclass(frozen=True, slots=True)
class LanguageInfo:
    """A language, as far as it is known.

    grammar: "module" or "module:function" that returns the tree-sitter language, or "" where there is
    none. extensions: lower case, without the dot. filenames: lower case. tags: further names that
    fences and shebangs use.
    """

    name: str
    comments: CommentSyntax
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    grammar: str = ""


def _row(
    name: str, comments: CommentSyntax, extensions: str = "", grammar: str = "", *, files: str = "", tags: str = ""
) -> LanguageInfo:
    return LanguageInfo(name, comments, tuple(extensions.split()), tuple(files.split()), tuple(tags.split()), grammar)


# fmt: off
LANGUAGES: tuple[LanguageInfo, ...] = (
    _row(
        "python", _HASH, "py pyi pyw pyx pxd bzl star", "tree_sitter_python",
        files="sconstruct sconscript build.bazel workspace.bazel tiltfile snakefile",
        tags="python2 python3 py3 pypy pypy3 starlark uv",
    ),
    _row("javascript", _JSX, "js jsx mjs cjs es6", "tree_sitter_javascript", tags="node nodejs javascriptreact"),
    _row(
        "typescript", _SLASH, "ts mts cts", "tree_sitter_typescript:language_typescript", tags="deno bun ts-node"
    ),
    _row("tsx", _JSX, "tsx", "tree_sitter_typescript:language_tsx", tags="typescriptreact"),
    _row("go", _SLASH, "go", "tree_sitter_go", tags="golang"),
    _row("rust", _SLASH, "rs", "tree_sitter_rust"),
    _row("java", _SLASH, "java", "tree_sitter_java"),
    _row("c", _SLASH, "c h", "tree_sitter_c"),
    _row(
        "cpp", _SLASH, "cc cpp cxx c++ hh hpp hxx h++ ipp inl tcc cu cuh ino", "tree_sitter_cpp", tags="cuda arduino"
    ),
    _row("csharp", _SLASH, "cs csx", "tree_sitter_c_sharp", tags="c# c-sharp dotnet"),
    _row(
        "ruby", CommentSyntax(("#",), (("=begin", "=end"),)), "rb rake gemspec ru podspec jbuilder",
        "tree_sitter_ruby", files="gemfile rakefile guardfile vagrantfile podfile fastfile brewfile",
        tags="jruby",
    ),
    _row(
        "php", CommentSyntax(("//", "#"), (("/*", "*/"), ("<!--", "-->"))), "php phtml php5 php7 php8",
        "tree_sitter_php:language_php",
    ),
    _row("kotlin", _SLASH, "kt kts", "tree_sitter_kotlin"),
    _row("swift", _SLASH, "swift", "tree_sitter_swift"),
    _row("scala", _SLASH, "scala sc sbt", "tree_sitter_scala"),
    _row("dart", _SLASH, "dart"),
    _row("groovy", _SLASH, "groovy gradle", files="jenkinsfile"),
    _row("objc", _SLASH, "m mm", tags="objective-c objectivec obj-c"),
    _row("zig", CommentSyntax(("//",)), "zig"),
    _row("solidity", _SLASH, "sol"),
    _row("proto", _SLASH, "proto", tags="protobuf"),
    _row(
        "bash", _HASH, "sh bash zsh ksh bats", "tree_sitter_bash",
        files=".bashrc .bash_profile .profile .zshrc .zprofile .envrc pkgbuild apkbuild",
        tags="shell dash ash console shell-session shellscript",
    ),
    _row("fish", _HASH, "fish"),
    _row("powershell", CommentSyntax(("#",), (("<#", "#>"),)), "ps1 psm1 psd1", tags="pwsh"),
    _row("batch", CommentSyntax(("REM", "rem", "::")), "bat cmd", tags="dosbatch"),
    _row(
        "lua", CommentSyntax(("--",), (("--[[", "]]"),)), "lua", "tree_sitter_lua",
        files=".luacheckrc", tags="luajit",
    ),
    _row("elixir", _HASH, "ex exs", "tree_sitter_elixir"),
    _row("erlang", CommentSyntax(("%",)), "erl hrl", tags="escript"),
    _row("haskell", CommentSyntax(("--",), (("{-", "-}"),)), "hs", tags="runhaskell"),
    _row("ocaml", CommentSyntax((), (("(*", "*)"),)), "ml mli"),
    _row("fsharp", CommentSyntax(("//",), (("(*", "*)"),)), "fs fsi fsx", tags="f#"),
    _row("clojure", _SEMICOLON, "clj cljs cljc edn", tags="bb"),
    _row("lisp", _SEMICOLON, "lisp lsp el scm rkt", tags="elisp emacs-lisp scheme racket common-lisp"),
    _row("julia", CommentSyntax(("#",), (("#=", "=#"),)), "jl"),
    _row("r", _HASH, "r rmd", files=".rprofile", tags="rscript"),
    _row("perl", CommentSyntax(("#",), (("=pod", "=cut"),)), "pl pm t"),
    _row("nix", CommentSyntax(("#",), (("/*", "*/"),)), "nix"),
    _row("matlab", CommentSyntax(("%",), (("%{", "%}"),)), "matlab"),
    _row("fortran", CommentSyntax(("!",)), "f90 f95 f03 f08 f"),
    _row("vb", CommentSyntax(("'",)), "vb vbs bas", tags="vbnet"),
    _row("latex", CommentSyntax(("%",)), "tex sty cls", tags="tex"),
    _row("asm", CommentSyntax((";", "#", "//"), (("/*", "*/"),)), "asm s", tags="nasm"),
    _row("html", _COMPONENT, "html htm xhtml", "tree_sitter_html"),
    _row(
        "template",
        CommentSyntax((), (("<!--", "-->"), ("{#", "#}"), ("{{!--", "--}}"), ("<%#", "%>"), ("{{/*", "*/}}"))),
        "jinja jinja2 j2 njk hbs handlebars mustache ejs erb eex heex twig liquid tmpl gotmpl",
    ),
    _row("css", CommentSyntax((), (("/*", "*/"),)), "css", "tree_sitter_css"),
    _row("scss", _SLASH, "scss"),
    _row("less", _SLASH, "less"),
    _row("sass", _SLASH, "sass"),
    _row("vue", _COMPONENT, "vue", "tree_sitter_html"),
    _row("svelte", _COMPONENT, "svelte", "tree_sitter_svelte"),
    _row("astro", _COMPONENT, "astro"),
    _row(
        "xml", _MARKUP, "xml xsd xsl xslt svg plist csproj fsproj vbproj props targets resx xaml wsdl pom",
        "tree_sitter_xml:language_xml",
    ),
    _row(
        "json", _SLASH, "json jsonc json5 geojson webmanifest ipynb code-workspace", "tree_sitter_json",
        files=".babelrc .eslintrc .prettierrc .swcrc composer.lock pipfile.lock",
        tags="json-with-comments",
    ),
    _row(
        "yaml", _HASH, "yaml yml", "tree_sitter_yaml",
        files=".clang-format .clang-tidy .yamllint", tags="docker-compose openapi",
    ),
    _row(
        "toml", _HASH, "toml", "tree_sitter_toml", files="cargo.lock poetry.lock pipfile uv.lock pdm.lock",
    ),
    _row(
        "ini", CommentSyntax((";", "#")), "ini cfg conf properties editorconfig service timer socket desktop",
        files=".editorconfig .gitconfig .npmrc .pylintrc .flake8 .coveragerc .pypirc", tags="dosini systemd",
    ),
    _row(
        "markdown", _MARKUP, "md markdown mdx mkd", files="readme", tags="commonmark gfm"
    ),
    _row("rst", CommentSyntax(("..",)), "rst", tags="restructuredtext"),
    _row(
        "sql", CommentSyntax(("--",), (("/*", "*/"),)), "sql ddl dml psql pgsql",
        tags="mysql postgresql postgres sqlite plsql tsql plpgsql",
    ),
    _row("graphql", _HASH, "graphql gql graphqls"),
    _row("prisma", CommentSyntax(("//",)), "prisma"),
    _row("dockerfile", _HASH, "dockerfile containerfile", files="dockerfile containerfile", tags="docker"),
    _row(
        "make", _HASH, "mk mak make", files="makefile gnumakefile bsdmakefile", tags="makefile gmake"
    ),
    _row("just", _HASH, "just", files="justfile .justfile"),
    _row("nginx", _HASH, "nginx nginxconf vhost", files="nginx.conf"),
    _row("dotenv", _HASH, "env", files=".env", tags="env"),
    _row(
        "ignore", _HASH, "gitignore dockerignore",
        files=".gitignore .dockerignore .npmignore .gitattributes .prettierignore .eslintignore codeowners",
    ),
    _row("requirements", _HASH, "", files="requirements.txt constraints.txt", tags="pip-requirements"),
    _row("cmake", CommentSyntax(("#",), (("#[[", "]]"),)), "cmake", files="cmakelists.txt"),
    _row("hcl", CommentSyntax(("#", "//"), (("/*", "*/"),)), "tf tfvars hcl", "tree_sitter_hcl", tags="terraform"),
    _row("vim", CommentSyntax(('"',)), "vim", files=".vimrc", tags="viml vimscript"),
    _row("awk", _HASH, "awk", tags="gawk mawk"),
    _row("ada", _DASH, "adb ads"),
    _row("vhdl", _DASH, "vhd vhdl"),
    _row("verilog", _SLASH, "v sv svh", tags="systemverilog"),
    _row("wgsl", _SLASH, "wgsl"),
    _row("glsl", _SLASH, "glsl vert frag comp hlsl", tags="hlsl shader"),
)
# fmt: on

# Text that isn't of any language: fences use these for output and prose.
_PLAIN_TAGS = frozenset({"text", "txt", "plain", "plaintext", "output", "none", "diff", "patch", "udiff"})

# Names whose first or last dotted part tells the language: `Dockerfile.dev`, `.env.local`, `api.dockerfile`.
_FILENAME_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(dockerfile|containerfile)[.-].+"), "dockerfile"),
    (re.compile(r"\.env\..+|.+\.env"), "dotenv"),
    (re.compile(r"(gnu)?makefile\..+"), "make"),
    (re.compile(r"nginx.*\.conf(\..+)?"), "nginx"),
    (re.compile(r"(dev-|test-|.*-)?requirements[-_.\w]*\.txt|requirements[-_]\w+\.in"), "requirements"),
    (re.compile(r"jenkinsfile[.-].+"), "groovy"),
)

_SHEBANG = re.compile(r"#![ \t]*(?:\S*/)?([^\s/]+)(?:[ \t]+(.*))?")
_INTERPRETER_VERSION = re.compile(r"[\d.]+$")
# What a line of a `.h` starts with tells whose header it is.
_HEADERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^[ \t]*(?:@interface|@protocol|@class|#import)\b", re.M), "objc"),
    (
        re.compile(
            r"^[ \t]*(?:class[ \t]+\w+[^;(\n]*$|namespace\b|template[ \t]*<|using[ \t]+\w"
            r"|(?:public|private|protected):)",
            re.M,
        ),
        "cpp",
    ),
)
_HEADER_LENGTH = 50_000


@cache
def _by_name() -> dict[str, LanguageInfo]:
    return {info.name: info for info in LANGUAGES}


@cache
def _by_filename() -> dict[str, str]:
    return {filename: info.name for info in LANGUAGES for filename in info.filenames}


@cache
def _by_extension() -> dict[str, str]:
    return {extension: info.name for info in LANGUAGES for extension in info.extensions}


@cache
def _by_tag() -> dict[str, str]:
    tags = dict(_by_extension())
    tags.update((tag, info.name) for info in LANGUAGES for tag in (*info.tags, info.name))
    return tags


def language_info(language: str) -> LanguageInfo | None:
    """The `LanguageInfo` of the language of that name, or None."""
    return _by_name().get(language)


def comment_syntax(language: str) -> CommentSyntax:
    """The comment syntax of the language; empty for an unknown one."""
    info = language_info(language)
    return info.comments if info else CommentSyntax()


def language_of(path: str | None, text: str = "") -> str:
    """The language of a file by its name, or by the shebang of its text; "" where neither tells.

    path: any text, `/` or `\\` between folders; never opened.
    """
    filename = re.split(r"[/\\]", path)[-1].lower() if path else ""
    if filename.endswith(".h"):
        return next((language for pattern, language in _HEADERS if pattern.search(text, 0, _HEADER_LENGTH)), "c")
    return _language_of_filename(filename) or _language_of_shebang(text)


def language_of_tag(info: str) -> str:
    """The language that a fence's info string names (`ts`, `python title="x"`, `js:src/a.js`), or ""."""
    words = re.split(r"[\s,;{}]+", info.strip().lstrip("{.").strip(), maxsplit=1)
    tag = words[0].lower().removeprefix("language-").removeprefix("lang-")
    head, _, rest = tag.partition(":")
    for candidate in (tag, head):
        if candidate in _PLAIN_TAGS:
            return ""
        if candidate in _by_tag():
            return _by_tag()[candidate]
    return _language_of_filename(re.split(r"[/\\]", rest or tag)[-1]) if "." in tag else ""


def _language_of_filename(filename: str) -> str:
    if filename in _by_filename():
        return _by_filename()[filename]
    for pattern, language in _FILENAME_PATTERNS:
        if pattern.fullmatch(filename):
            return language
    _, dot, extension = filename.rpartition(".")
    return _by_extension().get(extension, "") if dot else ""


def _language_of_shebang(text: str) -> str:
    match = _SHEBANG.match(text[:256].split("\n", 1)[0]) if text.startswith("#!") else None
    if match is None:
        return ""
    words = [match[1], *(match[2] or "").split()]
    if words[0] == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    interpreter = _INTERPRETER_VERSION.sub("", words[0]).lower() if words else ""
    return _by_tag().get(interpreter, "")


# A string ends at the end of its line at the latest, so that an apostrophe in prose hides one line, not the file.
_STRINGS = (r"\"\"\".*?\"\"\"", r"\"(?:\\.|[^\"\\\n])*\"", r"'(?:\\.|[^'\\\n])*'", r"`(?:\\.|[^`\\])*`")
_DOLLAR_TAG = re.compile(r"\$\w{0,40}\$")
_MAX_DOLLAR_TAGS = 16
CLOSERS = {"{": "}", "(": ")", "[": "]"}


# ---- comments, strings and brackets, without a grammar ---------------------------------------------------------------


@lru_cache(maxsize=128)
def _token(language: str, dollar_tags: tuple[str, ...] = ()) -> re.Pattern[str]:
    syntax = comment_syntax(language)
    # A word character before `#` or `;` is part of a word (`$#`, `a#b`), never a comment.
    comments = [rf"(?<![\w$&]){re.escape(prefix)}[^\n]*" for prefix in syntax.line]
    comments += [rf"{re.escape(start)}.*?(?:{re.escape(end)}|\Z)" for start, end in syntax.block]
    strings = [rf"{re.escape(tag)}.*?{re.escape(tag)}" for tag in dollar_tags] + list(_STRINGS)
    parts = [rf"(?P<comment>{'|'.join(comments)})"] if comments else []
    return re.compile("|".join([*parts, rf"(?P<string>{'|'.join(strings)})", r"(?P<mark>[{}()\[\];])"]), re.S)


def tokens(text: str, language: str) -> Iterator[tuple[str, int, int]]:
    """(what, start, end) of each comment, string and mark; what: "comment", "string" or the mark, one of `{}()[];`."""
    for match in _token(language, _dollar_tags(text) if language == "sql" else ()).finditer(text):
        yield (match[0] if match.lastgroup == "mark" else match.lastgroup or ""), match.start(), match.end()


def _dollar_tags(text: str) -> tuple[str, ...]:
    """The tags of the text's dollar-quoted strings. The most frequent ones: each costs a search to the end."""
    counts = Counter(_DOLLAR_TAG.findall(text))
    return tuple(tag for tag, count in counts.most_common(_MAX_DOLLAR_TAGS) if count > 1)


def closing_brackets(text: str, language: str) -> str:
    """The brackets that close those that are open at the end of the text, innermost first."""
    open_brackets: list[str] = []
    for what, _, _ in tokens(text, language):
        if what in CLOSERS:
            open_brackets.append(what)
        elif open_brackets and CLOSERS[open_brackets[-1]] == what:
            open_brackets.pop()
    return "".join(CLOSERS[bracket] for bracket in reversed(open_brackets))
