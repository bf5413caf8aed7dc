"""Drafters and numbers of speculative tokens by batch size, measured on one's own edits and machine.

Which drafter pays depends on the edits, the target, the machine and the load: verifying drafts costs a full machine
what it costs an idle one nothing. So each is measured in a vLLM of its own, and the configuration chosen from that.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any

from fastedit.bulk.rows import How, read_lines, rows_of
from fastedit.decode.request import EditHandle, decode_request
from fastedit.engines.child import SPECULATIVE
from fastedit.engines.target import described
from fastedit.errors import Code, EditRefused, EngineUnavailable, InputRefused, SettingsError
from fastedit.targets.templates import NOTHING
from fastedit.vllm.trial import Round

if TYPE_CHECKING:
    from fastedit.decode.request import DecodeRequest, EditRequest, Handle
    from fastedit.targets.templates import Askable

EXAMPLES = Path(__file__).with_name("examples.ndjson")
NUM_TOKENS = "num_speculative_tokens"
SCHEDULE = "num_speculative_tokens_per_batch_size"  # vLLM's own: (from, to, number of tokens)
NONE = "none"
# vLLM's own configurations, to be completed with the number of tokens. Further ones are given as JSON.
DRAFTERS: dict[str, Mapping[str, Any]] = {
    "fastedit": {name: value for name, value in SPECULATIVE.items() if name != NUM_TOKENS},
    "ngram": {"method": "ngram", "prompt_lookup_min": 2, "prompt_lookup_max": 5},
    "suffix": {"method": "suffix"},
}
MIN_GAIN = 1.05  # two measurements of the same differ by some percent, so that less than this pays nothing

Request = tuple[tuple[int, ...], int]  # a prompt, and how many tokens its output may have


@dataclass(frozen=True, slots=True)
class Speculation:
    """One configuration to be measured. name: the drafter's. config: vLLM's `speculative_config`, None without any."""

    name: str
    config: Mapping[str, Any] | None = None

    @property
    def num_tokens(self) -> int | None:
        return None if self.config is None else int(self.config[NUM_TOKENS])

    @property
    def drafter(self) -> Mapping[str, Any]:
        """The configuration without its numbers of tokens."""
        return {name: value for name, value in (self.config or {}).items() if name not in (NUM_TOKENS, SCHEDULE)}

    @property
    def words(self) -> tuple[str, ...]:
        """Options of vLLM's server. `null` is told, too: FastEdit's service has a drafter unless it is told of none."""
        return ("--speculative-config", json.dumps(self.config))

    def __str__(self) -> str:
        if self.config is None:
            return self.name
        schedule = self.config.get(SCHEDULE)
        if schedule is None:
            return f"{self.name}, {self.num_tokens} tokens"
        return f"{self.name}, " + ", ".join(f"{number} tokens from {start} at once on" for start, _, number in schedule)


Measure = Callable[[Speculation], Sequence[Round]]  # EngineUnavailable, with the reason, where it doesn't run


def speculations(drafters: Iterable[str], numbers: Sequence[int]) -> list[Speculation]:
    """Each drafter with each of the numbers of tokens; one given as JSON that has its number with that alone.

    drafters: of `DRAFTERS`, or a `speculative_config` as JSON. SettingsError for what is neither.
    """
    made: list[Speculation] = []
    for text in drafters:
        config = DRAFTERS.get(text) or _read_config(text)
        own = [config[NUM_TOKENS]] if NUM_TOKENS in config else numbers
        name = text if text in DRAFTERS else str(config.get("method", config.get("model")))
        made += [Speculation(name, {**config, NUM_TOKENS: number}) for number in own]
    return made


def _read_config(text: str) -> Mapping[str, Any]:
    try:
        config = json.loads(text)
    except ValueError:
        config = None
    if not isinstance(config, dict) or not config.keys() & {"method", "model"}:
        raise SettingsError(f"--drafter {text}: neither one of {', '.join(DRAFTERS)} nor a speculative_config as JSON")
    number = config.get(NUM_TOKENS, 1)
    if not isinstance(number, int) or number < 1:
        raise SettingsError(f"--drafter {text}: {NUM_TOKENS} must be a number of 1 or more")
    return config


def requests_of(edits: Path, target: str, scope: str, most: int | None) -> tuple[list[Request], int]:
    """The requests that a service would send for the first `most` edits that a target can be asked about.

    And how many edits before them were left out, because they are refused before anyone is asked. edits: as
    `apply-many` takes them. InputRefused where a line is no edit, and where there is none to ask about;
    EngineUnavailable(TARGET_UNAVAILABLE) where the target isn't there.
    """
    lines = read_lines(edits, How())
    recorder = _Recorder()
    askable = replace(described(target, recorder), word=NOTHING)  # readings that it judges aren't written
    requests: list[Request] = []
    num_left_out = 0
    for row in rows_of(edits, lines):
        if most is not None and len(requests) >= most:
            break
        asked = recorder.asked(json.loads(row.text), askable, scope)
        num_left_out += not asked
        requests += asked
    if not requests:
        what = "has no edits" if not lines else f"has {len(lines)} edits, none of which a target can be asked about"
        raise InputRefused(Code.EDIT_EMPTY, f"{edits} {what}")
    return requests[:most], num_left_out


class _Recorder:
    """An engine that computes nothing, and keeps what it is asked."""

    def __init__(self) -> None:
        self._requests: list[Request] = []

    def submit(self, target: Askable, request: EditRequest) -> Handle:
        asked = decode_request(target, request, target.max_positions)
        self._requests.append((asked.prompt, asked.max_new_tokens))
        handle = EditHandle(target, request)
        handle.finish(CancelledError())
        return handle

    def score(self, request: DecodeRequest) -> Handle:
        raise EngineUnavailable(Code.TARGET_UNAVAILABLE, "This engine computes nothing.")

    def asked(self, fields: Mapping[str, Any], target: Askable, scope: str) -> list[Request]:
        """The requests that an edit leads to, none where it is refused. fields: of its line."""
        from fastedit.apply import apply

        self._requests = []
        texts = {name: fields.get(name) for name in ("path", "instruction", "certainty", "choose")}
        form = fields.get("format") or "auto"
        with suppress(CancelledError, EditRefused):
            apply(fields["original"], fields["edit"], format=form, mode="model", scope=scope, target=target, **texts)
        return self._requests


@dataclass(frozen=True, slots=True)
class Figures:
    """One speculation at one batch size.

    speedup: over no speculation at the same batch size. same: outputs that equal those without speculation and one by
    one; in half precision a batch may change some by itself.
    """

    batch_size: int
    tokens_per_second: float
    speedup: float
    tokens_per_pass: float | None
    accepted_share: float | None
    same: int

    def __str__(self) -> str:
        share = "-" if self.accepted_share is None else f"{self.accepted_share:.0%}"
        return (
            f"{self.batch_size:4} at once: {self.tokens_per_second:8.1f} tokens/s, {self.speedup:5.2f} times as fast, "
            f"{self.tokens_per_pass or 0:5.1f} tokens a pass, {share} accepted, {self.same} outputs the same"
        )


@dataclass(frozen=True, slots=True)
class Tried:
    """A speculation's figures, by batch size; the reason where it doesn't run."""

    speculation: Speculation
    figures: tuple[Figures, ...] = ()
    reason: str = ""


class Trying:
    """Measures speculations, each against none at all.

    measure: runs one. say: gets a line for each of its figures. is_processor_time: times are those of the engine's
    process, not the clock's.
    """

    def __init__(self, measure: Measure, say: Callable[[str], None], *, is_processor_time: bool = False) -> None:
        self._measure, self._say, self._is_processor_time = measure, say, is_processor_time
        self._reference: Sequence[Round] = ()

    def attempt(self, speculation: Speculation) -> Tried:
        """Its figures; the first has to be none at all. EngineUnavailable where vLLM doesn't run without either."""
        self._say(str(speculation))
        try:
            rounds = self._measure(speculation)
        except EngineUnavailable as error:
            if not self._reference:
                raise
            self._say(f"     doesn't run: {error.message}")
            return Tried(speculation, reason=error.message)
        self._reference = self._reference or rounds
        figures = tuple(self._figures(one, base) for one, base in zip(rounds, self._reference, strict=True))
        for one in figures:
            self._say(str(one))
        return Tried(speculation, figures)

    def _figures(self, one: Round, base: Round) -> Figures:
        counts, outputs = one.counts, self._reference[0].outputs
        rate, base_rate = (
            each.num_tokens / sum(each.processor_seconds if self._is_processor_time else each.seconds)
            for each in (one, base)
        )
        return Figures(
            batch_size=one.batch_size,
            tokens_per_second=round(rate, 1),
            speedup=round(rate / base_rate, 3),
            tokens_per_pass=round(one.num_tokens / counts["passes"], 2) if counts["passes"] else None,
            accepted_share=round(counts["accepted"] / counts["drafted"], 3) if counts["drafted"] else None,
            same=sum(output == other for output, other in zip(one.outputs, outputs, strict=True)),
        )


Fastest = Mapping[int, tuple[Speculation, float]]  # by batch size, with its speedup


@dataclass(frozen=True, slots=True)
class Chosen:
    """A configuration to run with.

    speculation: of one drafter the best number of tokens for each batch size, none where it doesn't pay; the drafter
    is the one with the greatest geometric mean of the speedups, which is `gain`. by_batch_size: the fastest of all
    that were measured for each batch size, and its speedup. crossover: the batch size from which on none pays, as far
    as was measured; None where one does to the end.
    """

    speculation: Speculation
    gain: float
    by_batch_size: Fastest
    crossover: int | None


def choose(tried: Sequence[Tried], *, has_schedule: bool = True) -> Chosen:
    """The configuration that the figures speak for; no speculation where none is faster by `MIN_GAIN`.

    tried: first without any. has_schedule: whether the number of tokens may differ by batch size.
    """
    plain, *others = tried
    ran = [one for one in others if one.figures]
    sizes = [each.batch_size for each in plain.figures]
    by_batch_size = _fastest_by_size(plain.speculation, ran, sizes)
    best = (plain.speculation, 1.0)
    for alike in _grouped(ran, has_schedule):
        fastest = _fastest_by_size(plain.speculation, alike, sizes) if has_schedule else None
        gains = [gain for _, gain in fastest.values()] if fastest else [each.speedup for each in alike[0].figures]
        gain = geometric_mean(gains)
        if gain >= MIN_GAIN and gain > best[1]:
            best = (_scheduled(fastest) if fastest else alike[0].speculation, gain)
    crossover = None
    for size, (fastest_one, _) in reversed(list(by_batch_size.items())):
        if fastest_one != plain.speculation:
            break
        crossover = size
    return Chosen(*best, by_batch_size, crossover)


def _grouped(ran: Sequence[Tried], is_by_drafter: bool) -> list[list[Tried]]:
    """Those of each drafter together, or each by itself."""
    if not is_by_drafter:
        return [[one] for one in ran]
    groups: dict[str, list[Tried]] = {}
    for one in ran:
        groups.setdefault(json.dumps(one.speculation.drafter), []).append(one)
    return list(groups.values())


def _fastest_by_size(plain: Speculation, tried: Sequence[Tried], sizes: Sequence[int]) -> Fastest:
    fastest = {}
    for index, size in enumerate(sizes):
        gains = [(one.speculation, one.figures[index].speedup) for one in tried]
        paying = [one for one in gains if one[1] >= MIN_GAIN]
        fastest[size] = max(paying, key=lambda one: one[1], default=(plain, 1.0))
    return fastest


def _scheduled(fastest: Fastest) -> Speculation:
    """One configuration that has, from each batch size on, the number of tokens that was the fastest there."""
    any_speculation = next(one for one, _ in fastest.values() if one.config is not None)
    numbers = [one.num_tokens or 0 for one, _ in fastest.values()]
    config = {**any_speculation.drafter, NUM_TOKENS: max(numbers)}
    starts = [1, *list(fastest)[1:]]
    changes = [index for index in range(len(numbers)) if index == 0 or numbers[index] != numbers[index - 1]]
    if len(changes) > 1:
        ends = [*(starts[index] - 1 for index in changes[1:]), list(fastest)[-1]]
        config[SCHEDULE] = [[starts[index], end, numbers[index]] for index, end in zip(changes, ends, strict=True)]
    return Speculation(any_speculation.name, config)


def tune(wanted: Sequence[Speculation], trying: Trying) -> tuple[list[Tried], Chosen]:
    """Tries all, chooses, and tries what was chosen where it is none of them. EngineUnavailable as `Trying` says."""
    tried = [trying.attempt(one) for one in (Speculation(NONE), *wanted)]
    chosen = choose(tried)
    if all(chosen.speculation != one.speculation for one in tried):
        tried.append(trying.attempt(chosen.speculation))
        if tried[-1].reason:  # not every drafter of vLLM's takes a schedule
            chosen = choose(tried, has_schedule=False)
    return tried, chosen


def report_of(tried: Sequence[Tried], chosen: Chosen) -> dict[str, Any]:
    """The figures and the choice as JSON has them. `engine_args` is what `fastedit serve --engine-args` takes."""
    return {
        "tried": [
            {**_named(one.speculation), "figures": [asdict(each) for each in one.figures]}
            | ({"reason": one.reason} if one.reason else {})
            for one in tried
        ],
        "by_batch_size": {
            str(size): {**_named(speculation), "speedup": gain}
            for size, (speculation, gain) in chosen.by_batch_size.items()
        },
        "crossover": chosen.crossover,
        "chosen": {
            **_named(chosen.speculation),
            "gain": round(chosen.gain, 3),
            "engine_args": shlex.join(chosen.speculation.words),
        },
    }


def _named(speculation: Speculation) -> dict[str, Any]:
    return {"drafter": speculation.name, "speculative_config": speculation.config}
