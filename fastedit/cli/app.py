"""The command line's words: commands, arguments, options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fastedit.cli import INTERRUPTED, WRONG_USAGE
from fastedit.cli.apply_many import apply_many
from fastedit.cli.deploy import deploy
from fastedit.cli.doctor import doctor
from fastedit.cli.leftovers import leftovers
from fastedit.cli.mcp import mcp
from fastedit.cli.serve import serve
from fastedit.cli.train import train
from fastedit.cli.tune import tune_command
from fastedit.cli.undo import undo
from fastedit.cli.watch import watch
from fastedit.errors import STATUSES, Code, EditRefused, SettingsError

EXIT_STATUSES = (
    "Exit status: 0 applied (or would be), 1 internal error, 2 wrong usage, 3 the edit or a file can't be used, "
    "4 the place can't be told or the file has changed, 5 the result was turned down, 6 no target in time, "
    "130 interrupted. Whatever isn't 0 has written nothing."
)
EXAMPLES = """\
Examples:

  fastedit apply app.py answer.md              an assistant's answer about app.py
  fastedit apply answer.md                     one that names its files itself
  fastedit apply app.py --clipboard --diff     what the copied answer would do
  fastedit apply app.py answer.md --choose 2   the reading with this number
"""


class ApplyCommand(click.Command):
    """A command whose help ends with examples, line by line."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help(ctx, formatter)
        formatter.write("\n" + EXAMPLES)


class Commands(click.Group):
    """The commands. What one of them raises becomes a line on standard error and an exit status here, and only here."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except EditRefused as refusal:
            from fastedit.cli.output import print_refusal

            print_refusal(refusal, is_json=False)
            raise click.exceptions.Exit(refusal.exit_status) from refusal
        except SettingsError as error:
            from fastedit.cli.output import print_error

            print_error(str(error))
            raise click.exceptions.Exit(WRONG_USAGE) from error
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except Exception as error:
            from fastedit.cli.output import print_error, print_traceback

            print_traceback()
            print_error(f"unexpected {type(error).__name__}; FASTEDIT_DEBUG=1 shows the details ({Code.ENGINE_ERROR})")
            raise click.exceptions.Exit(STATUSES[Code.ENGINE_ERROR].exit) from error


def run_command() -> int:
    """Does what the command line says, and gives the exit status."""
    try:
        return int(app.main(prog_name="fastedit", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return INTERRUPTED


def _print_version(context: click.Context, _: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        from fastedit import __version__

        click.echo(f"fastedit {__version__}")
        context.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
def app() -> None:
    """Merge the edits that coding assistants write into the files they are meant for."""


def _web_address(_: click.Context, __: click.Parameter, url: str | None) -> str | None:
    from fastedit.config import web_address

    try:
        return url and web_address(url)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@app.command(cls=ApplyCommand, epilog=EXIT_STATUSES)
# What can't be read is a refusal, which --json has too.
@click.argument("paths", nargs=-1, metavar="[FILE] EDIT", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--root",
    type=click.Path(path_type=Path, readable=False),
    metavar="DIR",
    help="The folder that EDIT names its files from; by default the working folder.",
)
@click.option("--clipboard", is_flag=True, help="Take the edit from the clipboard: leave EDIT out.")
@click.option("--interactive", "-i", is_flag=True, help="Ask hunk by hunk, and for the reading if it isn't clear.")
@click.option("--lint", metavar="CMD", help="Run a shell's command afterwards; where it fails, put the files back.")
@click.option("--test", metavar="CMD", help="The same; run after --lint.")
@click.option("--commit", is_flag=True, help="Commit the files with git; --instruction is the message.")
@click.option("--retry-prompt", is_flag=True, help="Print a refusal as text to paste back to the assistant.")
@click.option("--diff", is_flag=True, help="Print a unified diff; write nothing.")
@click.option("--stdout", is_flag=True, help="Print the new text of FILE; write nothing.")
@click.option("--check", is_flag=True, help="Only tell whether the edit applies; write nothing.")
@click.option(
    "--mode",
    type=click.Choice(["auto", "structural", "model"]),
    help="structural: no model. model: the target's output. auto: a target verifies lazy edits.",
)
@click.option(
    "--scope", type=click.Choice(["auto", "windows", "file"]), help="What a target sees: parts of the file, or all."
)
@click.option(
    "--format",
    type=click.Choice(["auto", "lazy", "udiff", "search_replace", "v4a", "whole"]),
    default="auto",
    show_default=True,
    help="How EDIT is written.",
)
@click.option(
    "--certainty",
    type=float,
    metavar="P",
    help="How likely (0 to 1) the reading of a lazy edit has to be to be applied; 0.8 without the option.",
)
@click.option("--choose", type=int, metavar="N", help="Take this reading of a lazy edit, as a refusal numbers them.")
@click.option("--instruction", metavar="TEXT", help="What the edit is to do, in words.")
@click.option(
    "--target",
    metavar="NAME",
    help="The model that is asked: a registered name, a checkpoint's folder, a Hugging Face id, or none.",
)
@click.option(
    "--server",
    metavar="URL",
    callback=_web_address,
    help="Let the service at URL merge the edit; files are read and written here all the same.",
)
@click.option(
    "--engine-url", metavar="URL", callback=_web_address, help="Ask the target at a vLLM that runs; load none here."
)
@click.option("--json", "is_json", is_flag=True, help="Print the outcome as JSON.")
@click.option(
    "--break-hard-links",
    is_flag=True,
    help="Write a file with several names under this one; the others stay old.",
)
def apply(
    paths: tuple[Path, ...],
    root: Path | None,
    diff: bool,
    stdout: bool,
    check: bool,
    clipboard: bool,
    certainty: float | None,
    choose: int | None,
    **how: Any,
) -> None:
    """Apply an edit to FILE, or to the files that the edit names: all of them or none.

    FILE is rewritten in place. EDIT holds the edit, or a whole message of an assistant; - reads it from standard
    input. Without FILE, EDIT names the files itself.
    """
    from fastedit.apply import choice_of
    from fastedit.cli.output import Show
    from fastedit.cli.run import Request, run

    try:
        choice = choice_of(certainty, choose)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    shown = [show for show, is_asked in ((Show.DIFF, diff), (Show.TEXT, stdout), (Show.CHECK, check)) if is_asked]
    if len(shown) > 1:
        raise click.UsageError("at most one of --diff, --stdout and --check")
    file, edit = _file_and_edit(paths, is_copied=clipboard)
    if shown and (how["lint"] or how["test"] or how["commit"]):
        raise click.UsageError("--lint, --test and --commit are for files that are written")
    if file is not None and root is not None:
        raise click.UsageError("--root is for edits that name their files: leave FILE out")
    if file is None and stdout:
        raise click.UsageError("--stdout prints one file: name FILE")
    request = Request(
        edit=edit,
        file=file,
        root=root or Path(),
        show=shown[0] if shown else Show.SUMMARY,
        choice=choice,
        **how,
    )
    raise click.exceptions.Exit(run(request))


def _file_and_edit(paths: tuple[Path, ...], *, is_copied: bool) -> tuple[Path | None, Path | None]:
    """FILE, None where there is none, and EDIT, None for the clipboard. Raises UsageError."""
    if is_copied:
        if len(paths) > 1:
            raise click.UsageError("with --clipboard, only FILE is expected")
        return (paths[0] if paths else None), None
    if not paths:
        raise click.UsageError("Missing argument '[FILE] EDIT'.")
    if len(paths) > 2:
        raise click.UsageError("too many paths: expected [FILE] EDIT")
    return (paths[0] if len(paths) == 2 else None), paths[-1]


for command in (apply_many, undo, watch, leftovers, doctor, serve, tune_command, deploy, mcp, train):
    app.add_command(command)
