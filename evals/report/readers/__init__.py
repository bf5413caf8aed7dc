"""The kinds of results, told apart by the keys that only they have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evals.report.page import Section
from evals.report.readers.accuracy import read_accuracy
from evals.report.readers.applybench import read_applybench
from evals.report.readers.engines import read_cluster, read_drafters, read_tune
from evals.report.readers.judging import read_discriminator, read_judging
from evals.report.readers.llama import read_llama
from evals.report.readers.peers import read_peers
from evals.report.readers.service import read_kernels, read_large, read_service
from evals.report.readers.speed import read_auto, read_branches, read_decode, read_host, read_light, read_structural
from evals.report.readers.swebench import read_swebench


@dataclass(frozen=True, slots=True)
class Reader:
    """keys: those that a file of this kind has. read: a section from the file's name, its data and its machine."""

    kind: str
    keys: frozenset[str]
    read: Callable[[str, Mapping[str, Any], Mapping[str, str]], Section]


READERS: tuple[Reader, ...] = (
    Reader("swebench", frozenset({"counts", "written_as", "rows"}), read_swebench),
    Reader("accuracy", frozenset({"cases", "generated", "reliability"}), read_accuracy),
    Reader("applybench", frozenset({"applybench", "systems"}), read_applybench),
    Reader("a target's word", frozenset({"split", "target", "cases"}), read_judging),
    Reader("generated messages", frozenset({"manner", "same changes", "other changes"}), read_discriminator),
    Reader("peers", frozenset({"peers", "edits"}), read_peers),
    Reader("structural speed", frozenset({"thousand_lines", "growth"}), read_structural),
    Reader("decoding speed", frozenset({"by_file_size", "rows"}), read_decode),
    Reader("passes of a small target", frozenset({"passes", "attention"}), read_light),
    Reader("the host's part of a pass", frozenset({"here", "rounds"}), read_host),
    Reader("passes of drafts", frozenset({"branches"}), read_branches),
    Reader("auto beside structural", frozenset({"auto_over_structural", "rows"}), read_auto),
    Reader("speed beside llama.cpp", frozenset({"agreement", "by_scope", "rows"}), read_llama),
    Reader("service", frozenset({"warm", "ladder", "beside", "batch", "soak"}), read_service),
    Reader("service beside large edits", frozenset({"alone", "beside_large", "uncertain"}), read_large),
    Reader("drafters in vLLM", frozenset({"ways", "edits", "summary"}), read_drafters),
    Reader("drafters by batch size", frozenset({"tried", "chosen", "crossover"}), read_tune),
    Reader("replicas on Ray", frozenset({"killed", "updated", "front_and_node"}), read_cluster),
    Reader("kernels", frozenset({"ceilings", "results"}), read_kernels),
)
