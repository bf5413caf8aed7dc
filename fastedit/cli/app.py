"""The command line's words: commands, arguments, options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from fastedit.cli.mcp import mcp
from fastedit.cli.serve import serve
from fastedit.cli.train import train

app = typer.Typer(
    help="Merge the edits that coding assistants write into the files they are meant for.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

EXIT_STATUSES = (
    "Exit status: 0 applied (or would be), 1 internal error, 2 wrong usage, 3 the edit or a file can't be used, "
    "4 the place can't be told or the file has changed, 5 the result was turned down, 6 no target in time, "
    "130 interrupted. Whatever isn't 0 has written nothing."
)
EXAMPLES = """\
 Examples:

   fastedit apply app.py answer.md              an assistant's answer about app.py
   fastedit apply answer.md                     one that names its files itself
   pbpaste | fastedit apply app.py - --diff     what the copied answer would do
   fastedit apply app.py answer.md --choose 2   the reading with this number
"""


class ApplyCommand(TyperCommand):
    """One argument or two: more than typer's own usage line can say. Its help ends with examples, line by line."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTIONS]", "[FILE] EDIT"]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        formatter.write(EXAMPLES)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from fastedit import __version__

        typer.echo(f"fastedit {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def _web_address(url: str | None) -> str | None:
    from fastedit.config import web_address

    try:
        return url and web_address(url)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@app.command(cls=ApplyCommand, epilog=EXIT_STATUSES)
def apply(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="[FILE] EDIT",
            readable=False,  # what can't be read is a refusal, which --json has too
            help="FILE is rewritten in place. EDIT holds the edit, or a whole message of an assistant; - reads it from "
            "standard input. Without FILE, EDIT names the files itself.",
            show_default=False,
        ),
    ],
    root: Annotated[
        Path | None,
        typer.Option(
            help="The folder that EDIT names its files from; by default the working folder.",
            metavar="DIR",
            readable=False,
        ),
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print a unified diff; write nothing.")] = False,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print the new text of FILE; write nothing.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only tell whether the edit applies; write nothing.")] = False,
    mode: Annotated[
        Literal["auto", "structural", "model"] | None,
        typer.Option(help="structural: no model. model: the target's output. auto: a target verifies lazy edits."),
    ] = None,
    scope: Annotated[
        Literal["auto", "windows", "file"] | None, typer.Option(help="What a target sees: parts of the file, or all.")
    ] = None,
    format: Annotated[
        Literal["auto", "lazy", "udiff", "search_replace", "v4a", "whole"], typer.Option(help="How EDIT is written.")
    ] = "auto",
    certainty: Annotated[
        float | None,
        typer.Option(
            help="How likely (0 to 1) the reading of a lazy edit has to be to be applied; 0.6 without the option.",
            metavar="P",
        ),
    ] = None,
    choose: Annotated[
        int | None, typer.Option(help="Take this reading of a lazy edit, as a refusal numbers them.", metavar="N")
    ] = None,
    instruction: Annotated[str | None, typer.Option(help="What the edit is to do, in words.", metavar="TEXT")] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="The model that is asked: a registered name, a checkpoint's folder, a Hugging Face id, or none.",
            metavar="NAME",
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            help="Let the service at URL merge the edit; files are read and written here all the same.",
            metavar="URL",
            callback=_web_address,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    break_hard_links: Annotated[
        bool,
        typer.Option("--break-hard-links", help="Write a file with several names under this one; the others stay old."),
    ] = False,
) -> None:
    """Apply an edit to FILE, or to the files that the edit names: all of them or none."""
    from fastedit.apply import choice_of
    from fastedit.cli.output import Show
    from fastedit.cli.run import Request, run

    try:
        choice = choice_of(certainty, choose)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    shown = [show for show, is_asked in ((Show.DIFF, diff), (Show.TEXT, stdout), (Show.CHECK, check)) if is_asked]
    if len(shown) > 1:
        raise typer.BadParameter("at most one of --diff, --stdout and --check")
    if len(paths) > 2:
        raise typer.BadParameter("too many paths: expected [FILE] EDIT")
    file = paths[0] if len(paths) == 2 else None
    if file is not None and root is not None:
        raise typer.BadParameter("--root is for edits that name their files: leave FILE out")
    if file is None and stdout:
        raise typer.BadParameter("--stdout prints one file: name FILE")
    request = Request(
        edit=paths[-1],
        file=file,
        root=root or Path(),
        show=shown[0] if shown else Show.SUMMARY,
        mode=mode,
        scope=scope,
        format=format,
        instruction=instruction,
        target=target,
        server=server,
        is_json=as_json,
        break_hard_links=break_hard_links,
        choice=choice,
    )
    raise typer.Exit(run(request))


app.command()(serve)
app.command()(mcp)
app.command()(train)
