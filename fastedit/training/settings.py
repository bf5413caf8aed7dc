"""The settings of a training run, as data; read from a TOML file.

    output = "runs/embedded"        folder of the run: log, state, checkpoints
    [model]                         either `base` (a folder, a registered name, a hub id in the local cache) or a shape
    [data]                          shards that exist, or sources to synthesise edits from
    [optimizer] [schedule] [lora] [evaluation]

Paths are relative to the configuration's folder.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from fastedit.errors import SettingsError


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The model to train. base: weights to start from. Without: a new Qwen3 of the given shape and `tokenizer`.

    added_layers: how many layers a base gets on top, each the identity at first. template: a name in
    `fastedit.targets.TEMPLATES`, None for what goes with the base. dtype: of the weights that compute; masters are
    float32. begins_copying: see `beginning`.
    """

    base: str | None = None
    added_layers: int = 0
    template: str | None = None
    dtype: str = "bfloat16"
    tokenizer: str | None = None
    vocabulary: int = 8192
    hidden: int = 256
    layers: int = 6
    heads: int = 4
    kv_heads: int = 4
    head_dim: int = 64
    intermediate: int = 768
    positions: int = 4096
    rope_theta: float = 100_000_000.0
    begins_copying: bool = True
    compile: bool = False


@dataclass(frozen=True, slots=True)
class DataSettings:
    """The data to learn from.

    sources: folders or files, or `python:NAME` for an installed package (`python:stdlib` for the standard library).
    weights: how often each source is drawn from, evenly where empty. shards: the folder for tokenised documents.
    apart: folders whose files no original may resemble. held_out: the share of originals, told by their path's hash,
    that is only evaluated on. lazy: the share of lazy edits; the rest are patches. tight: the share of edits shown in
    windows of a few lines, from which a model learns with fewer tokens where to go on. terse: the share of lazy edits
    that show less around their changes than a careful writer would. joined: the share of documents
    that are two to five lazy edits in one, with more to decide in each. pairs: how many documents to make.
    tokenizer_pairs: how many pairs a new tokenizer is made of.
    """

    shards: str = "shards"
    sources: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    apart: tuple[str, ...] = ()
    held_out: float = 0.02
    lazy: float = 0.88
    tight: float = 0.0
    terse: float = 0.0
    joined: float = 0.0
    written: float = 0.0
    cases: tuple[str, ...] = ()
    cased: float = 0.0
    cases_held_out: float = 0.2
    pairs: int = 50_000
    tokenizer_pairs: int = 3000
    max_tokens: int = 2048
    seed: int = 0


@dataclass(frozen=True, slots=True)
class OptimizerSettings:
    """Settings of the optimizers.

    muon_lr: 0 gives all weights to AdamW. written: the factor of the rates where `beginning` wrote the weights, which
    would be worn away at rates at which random weights learn well.
    """

    muon_lr: float = 0.02
    muon_momentum: float = 0.95
    adamw_lr: float = 4e-3
    weight_decay: float = 0.0
    written: float = 1.0
    max_norm: float = 1.0


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the run: from this share of it on, documents may have so many tokens."""

    start: float
    max_tokens: int


@dataclass(frozen=True, slots=True)
class ScheduleSettings:
    """The length of the run, and the course of its learning rate.

    minutes, tokens: the run ends when the first of them is used up (0: no such limit). row_tokens: tokens of a packed
    row; rows_per_step: rows that each process adds up before a step. warmup_steps: rate rises; from `decay_from` (a
    share of the run) on it falls linearly to `final_rate` of its height. stages: the length curriculum.
    """

    minutes: float = 0.0
    tokens: int = 0
    row_tokens: int = 8192
    rows_per_step: int = 1
    warmup_steps: int = 60
    decay_from: float = 0.5
    final_rate: float = 0.02
    stages: tuple[Stage, ...] = (Stage(0.0, 2048),)
    save_minutes: float = 5.0
    log_steps: int = 10
    seed: int = 0


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """Low-rank adapters by peft. rank 0: all weights are trained."""

    rank: int = 0
    alpha: int = 32
    dropout: float = 0.0
    modules: tuple[str, ...] = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """Whole-output exactness on held-out documents while training. lengths: upper limits of the groups told apart."""

    every_minutes: float = 10.0
    documents: int = 200
    lengths: tuple[int, ...] = (512, 1024, 2048)


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """The settings of one run."""

    output: str
    model: ModelSettings = field(default_factory=ModelSettings)
    data: DataSettings = field(default_factory=DataSettings)
    optimizer: OptimizerSettings = field(default_factory=OptimizerSettings)
    schedule: ScheduleSettings = field(default_factory=ScheduleSettings)
    lora: LoraSettings = field(default_factory=LoraSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    folder: Path = field(default=Path(), metadata={"is_internal": True})

    def path(self, name: str) -> Path:
        """The full path for one in the configuration, which is relative to the configuration's folder."""
        return self.folder / Path(name).expanduser()


def read_settings(path: Path) -> TrainingSettings:
    """The settings in a TOML file. SettingsError names what is missing, unknown or of the wrong type."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path.name} can't be read: {error}") from error
    settings: TrainingSettings = _made(TrainingSettings, {**data, "folder": path.parent}, path.name)
    _check(settings, path.name)
    return settings


def _made(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise SettingsError(f"{where} must be a table")
    hints = get_type_hints(kind)
    names = [known.name for known in fields(kind)]
    if unknown := sorted(set(data) - set(names)):
        raise SettingsError(f"{where} has no setting {unknown[0]!r}; there are {', '.join(names)}")
    values = {name: _value(hints[name], value, f"{where}: {name}") for name, value in data.items()}
    try:
        return kind(**values)
    except TypeError as error:
        raise SettingsError(f"{where}: {error}") from error


def _value(hint: Any, value: Any, where: str) -> Any:
    if is_dataclass(hint):
        return _made(hint, value, where)
    if get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise SettingsError(f"{where} must be a list")
        return tuple(_value(get_args(hint)[0], item, where) for item in value)
    allowed = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if float in allowed and type(value) is int:
        return float(value)
    if type(value) not in allowed and not (Path in allowed and isinstance(value, Path)):
        words = " or ".join(kind.__name__ for kind in allowed if kind is not NoneType)
        raise SettingsError(f"{where} must be {words}, not {value!r}")
    return value


def _check(settings: TrainingSettings, where: str) -> None:
    schedule = settings.schedule
    if not schedule.minutes and not schedule.tokens:
        raise SettingsError(f"{where}: schedule needs minutes or tokens, or it would never end")
    longest = max((stage.max_tokens for stage in schedule.stages), default=0)
    if not schedule.stages or longest > schedule.row_tokens:
        raise SettingsError(f"{where}: schedule.row_tokens must hold the longest documents ({longest} tokens)")
