"""`fastedit tune`: which speculation pays for vLLM, on one's own edits and machine."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fastedit.cli import INTERRUPTED
from fastedit.errors import Code, EditRefused, InputRefused, SettingsError

if TYPE_CHECKING:
    from fastedit.engines.child import Launch
    from fastedit.vllm.trial import Round
    from fastedit.vllm.tune import Chosen, Request, Speculation

WRONG_USAGE = 2
EXAMPLE = """\
Example, for a small target on a CPU:

  fastedit tune edits.jsonl --target embedded --batch-sizes 1,4,16 --engine-args '--enforce-eager'
"""


class TuneCommand(click.Command):
    """A command whose help ends with an example, line by line."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help(ctx, formatter)
        formatter.write("\n" + EXAMPLE)


def _numbers(_: click.Context, __: click.Parameter, text: str) -> tuple[int, ...]:
    """Different whole numbers of 1 or more, in order, from words between commas."""
    try:
        numbers = sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise click.BadParameter(f"{text!r} isn't whole numbers with commas between them") from error
    if numbers[0] < 1:
        raise click.BadParameter("every number must be 1 or more")
    return tuple(numbers)


@click.command("tune", cls=TuneCommand)
@click.argument("edits", required=False, type=click.Path(path_type=Path, readable=False), metavar="[EDITS.jsonl]")
@click.option("--target", metavar="NAME", help="A registered target or a folder; FASTEDIT_TARGET without the option.")
@click.option(
    "--drafter",
    "drafters",
    multiple=True,
    default=("fastedit", "ngram"),
    show_default=True,
    metavar="NAME",
    help="fastedit, ngram, suffix, or any speculative_config of vLLM's as JSON; may be given several times.",
)
@click.option(
    "--tokens",
    default="8,32,127",
    show_default=True,
    callback=_numbers,
    metavar="N,...",
    help="Numbers of speculative tokens: each drafter is measured with each, unless its JSON names one.",
)
@click.option(
    "--batch-sizes",
    default="1,2,4,8,16",
    show_default=True,
    callback=_numbers,
    metavar="N,...",
    help="How many requests run at once.",
)
@click.option("--edits", "most", type=click.IntRange(1), metavar="N", help="Take no more than the first N requests.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    metavar="N",
    help="Rounds of each measurement, of which the fastest counts.",
)
@click.option(
    "--processor-time",
    "is_processor_time",
    is_flag=True,
    help="Take the processor's time, not the clock's: for a CPU with one thread that does other work, too.",
)
@click.option("--scope", type=click.Choice(["auto", "windows", "file"]), help="As for `apply`.")
@click.option("--engine-args", default="", metavar="WORDS", help="Options for vLLM, as for `serve`.")
@click.option("--engine-python", default=sys.executable, metavar="PATH", help="The Python that has vLLM.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, writable=False),
    default=Path("fastedit-tune.json"),
    show_default=True,
    metavar="FILE",
    help="Where the figures and the choice go.",
)
def tune_command(edits: Path | None, **options: Any) -> None:
    """Measure vLLM's drafters on your edits and this machine, and choose the configuration to serve with.

    A line of EDITS.jsonl is an edit as `apply-many` takes it; without it, edits that come with FastEdit are taken. Each
    drafter runs in a vLLM of its own with each number of tokens, at each batch size. It ends with the fastest over all
    batch sizes, the batch size from which on no speculation pays, and the command that serves so.
    """
    from fastedit.cli.output import print_error, print_refusal

    try:
        _tune(TuneArguments(edits, **options))
    except SettingsError as error:
        print_error(str(error))
        raise click.exceptions.Exit(WRONG_USAGE) from error
    except EditRefused as refusal:
        print_refusal(refusal, is_json=False)
        raise click.exceptions.Exit(refusal.exit_status) from refusal
    except KeyboardInterrupt as error:
        print_error("interrupted; nothing was written")
        raise click.exceptions.Exit(INTERRUPTED) from error


@dataclass(frozen=True, slots=True)
class TuneArguments:
    """The arguments and options of the command line. most: requests, None for all."""

    edits: Path | None
    target: str | None
    drafters: tuple[str, ...]
    tokens: tuple[int, ...]
    batch_sizes: tuple[int, ...]
    most: int | None
    repeats: int
    is_processor_time: bool
    scope: str | None
    engine_args: str
    engine_python: str
    output: Path


def _tune(asked: TuneArguments) -> None:
    from fastedit.config import load_settings
    from fastedit.targets.default import default_name
    from fastedit.vllm.tune import EXAMPLES, Trying, report_of, requests_of, speculations, tune

    settings = load_settings()
    target = asked.target or settings.target or default_name()
    wanted, launch = speculations(asked.drafters, asked.tokens), _launch(target, asked)
    requests, num_left_out = requests_of(asked.edits or EXAMPLES, target, asked.scope or settings.scope, asked.most)
    sizes = [size for size in asked.batch_sizes if size <= len(requests)]
    if not sizes:
        raise SettingsError(
            f"--batch-sizes: {asked.batch_sizes[0]} is more than the {len(requests)} requests there are"
        )
    left_out = f"; edits left out, because they are refused: {num_left_out}" if num_left_out else ""
    _say(f"requests: {len(requests)}{left_out}; at once: {', '.join(map(str, sizes))}")
    measuring = _Measuring(launch, requests, sizes, asked.repeats)
    tried, chosen = tune(wanted, Trying(measuring, _say, is_processor_time=asked.is_processor_time))
    report = {
        "machine": {
            "command": shlex.join(["fastedit", *sys.argv[1:]]),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "engine": measuring.engine,
        },
        "target": target,
        "requests": len(requests),
        "left_out": num_left_out,
        "time": "processor" if asked.is_processor_time else "clock",
        **report_of(tried, chosen),
    }
    try:
        asked.output.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise InputRefused(Code.INVALID_PATH, f"{asked.output} can't be written: {error.strerror}") from error
    _say_choice(asked, target, chosen)


def _launch(target: str, asked: TuneArguments) -> Launch:
    """The vLLM that the service would start. Raises SettingsError, saying what to do, where it couldn't."""
    from fastedit.engines.child import Launch, words_of

    try:
        words = shlex.split(asked.engine_args)
    except ValueError as error:
        raise SettingsError(f"--engine-args can't be read: {error}") from error
    launch = Launch(target, words_of(words), asked.engine_python)
    launch.check()
    return launch


class _Measuring:
    """Runs speculations. engine: the last one's name, version and device."""

    def __init__(self, launch: Launch, requests: Sequence[Request], batch_sizes: Sequence[int], repeats: int) -> None:
        self.engine = ""
        self._launch = launch
        self._trial = (requests, batch_sizes, repeats)

    def __call__(self, speculation: Speculation) -> Sequence[Round]:
        from fastedit.targets.registry import folder_of
        from fastedit.vllm.trial import Trial, run_trial

        words = ("--model", str(folder_of(self._launch.target)), *self._launch.arguments, *speculation.words)
        outcome = run_trial(Trial(words, *self._trial), self._launch.python)
        self.engine = outcome.engine
        return outcome.rounds


def _say_choice(asked: TuneArguments, target: str, chosen: Chosen) -> None:
    """The outcome, and the command that serves so."""
    sizes = list(chosen.by_batch_size)
    if chosen.crossover is None:
        crossover = f"speculation pays with up to {sizes[-1]} requests at once, the most that were measured"
    elif chosen.crossover == sizes[0]:
        crossover = "no speculation pays"
    else:
        crossover = f"from {chosen.crossover} requests at once on no speculation pays"
    click.echo(f"chosen: {chosen.speculation}, {chosen.gain:.2f} times as fast as without; {crossover}")
    words = shlex.join([*shlex.split(asked.engine_args), *chosen.speculation.words])
    click.echo(shlex.join(["fastedit", "serve", "--engine", "vllm", "--target", target, "--engine-args", words]))
    click.echo(f"all figures: {asked.output}")


def _say(line: str) -> None:
    click.echo(line, err=True)
