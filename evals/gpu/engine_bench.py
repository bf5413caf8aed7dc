"""The engine on a GPU: replayed edits at the shapes of real targets, in CUDA graphs, beside plain decoding.

    python evals/gpu/engine_bench.py [--out FILE] [--budget SECONDS] [--only NAME] [--tiny]

The weights are random and the outputs known (`evals.speed.replay`): every pass is computed in full, and its answer
then replaced. So the times are those of a target of that shape that writes exactly these edits; with other drafts than
the right ones they would be others, which is why the bare original is measured too.

For every shape: seconds of a pass by its width; plain decoding (one token a pass, 4,000 tokens in the slot); then the
edits of `traces/edits.json.gz`, alone and 8 and 32 at once. end_to_end_tok_s counts everything; decode_tok_s leaves
out the time in which the same prompts are only read, which is what vendors quote.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from evals.gpu.bare import make_importable

make_importable()

import torch  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

from evals.gpu.random_decoder import SHAPES, TINY, DecoderShape, random_decoder  # noqa: E402
from evals.speed.pairs import Pair  # noqa: E402
from evals.speed.replay import ReplayRunner, Trace  # noqa: E402
from evals.speed.texts import line_changes, top_level_blocks  # noqa: E402
from evals.speed.window_edits import MARKER, lazy_edit, snippets  # noqa: E402
from fastedit.decode.engine import Engine  # noqa: E402
from fastedit.decode.graphs import TOKEN_BUCKETS, FusedRunner  # noqa: E402
from fastedit.decode.request import DecodeRequest, DecodeResult  # noqa: E402
from fastedit.decode.runner import Append  # noqa: E402
from fastedit.decode.sequence import Vocabulary  # noqa: E402
from fastedit.decode.settings import EngineSettings  # noqa: E402
from fastedit.draft.model import Draft, Kind  # noqa: E402
from fastedit.targets.codec import TokenizerCodec  # noqa: E402
from fastedit.verify.windows import Window, whole_file  # noqa: E402

if TYPE_CHECKING:
    from fastedit.decode.costs import CostTable

TRACES = Path(__file__).parent / "traces" / "edits.json.gz"
SLOT_LEN = 8192
PLAIN_CONTEXT = 4000
PLAIN_PASSES = 50
BATCHES = (1, 8, 32)
STOP = 0
SPARE_BYTES = 2 * 2**30  # for workspaces and graphs, besides weights and cache


def main(out: Path | None, budget_s: float, shapes: Sequence[DecoderShape] = SHAPES) -> dict[str, Any]:
    """Measure all shapes that fit the device within the budget; the results, also written to `out` as they come."""
    deadline_s = time.monotonic() + budget_s
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    codec, pairs = load_traces()
    report: dict[str, Any] = {
        "device": _device_name(device),
        "torch": torch.__version__,
        "replayed": True,
        "shapes": {},
    }
    for shape in shapes:
        if time.monotonic() > deadline_s:
            entry: dict[str, Any] = {"left_out": "no time left"}
        elif not _fits(shape, device):
            entry = {"left_out": "not enough memory"}
        else:
            entry = measure_shape(shape, codec, pairs, device, deadline_s)
        report["shapes"][shape.name] = entry
        print(shape.name, json.dumps(entry), flush=True)
        if out is not None:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(json.dumps(report, indent=1) + "\n")
        gc.collect()
        if device.type == "cuda":
            torch.cuda.empty_cache()
    return report


def load_traces() -> tuple[TokenizerCodec, list[Pair]]:
    data = json.loads(gzip.decompress(TRACES.read_bytes()))
    codec = TokenizerCodec(Tokenizer.from_str(json.dumps(data["tokenizer"])))
    pairs = [
        Pair(case["name"], case["original"], case["edited"], "", tuple(case["snippets"])) for case in data["cases"]
    ]
    return codec, pairs


def measure_shape(
    shape: DecoderShape, codec: TokenizerCodec, pairs: Sequence[Pair], device: torch.device, deadline_s: float
) -> dict[str, Any]:
    """All figures of one shape; later ones are left out where time runs out."""
    started_s = time.perf_counter()
    decoder = random_decoder(shape, SLOT_LEN, device)
    num_slots = _num_slots(decoder.cache_shape.bytes_per_token, device)
    runner = FusedRunner(decoder, num_slots, SLOT_LEN)
    settings = EngineSettings(num_slots=num_slots, slot_len=SLOT_LEN, pass_tokens=4096, pass_s=1.0)
    replay = ReplayRunner(runner)
    engine = Engine(replay, Vocabulary(codec, (STOP,), shape.vocabulary), settings)
    entry: dict[str, Any] = {
        "weight_bytes": decoder.weight_bytes,
        "cache_bytes": runner.cache_bytes,
        "num_slots": num_slots,
        "start_up_s": time.perf_counter() - started_s,
        "pass_ms": pass_times(engine.costs),
        "plain_tok_s": 1 / plain_seconds(runner),
        "batches": {},
    }
    for batch in (batch for batch in BATCHES if batch <= num_slots):
        for kind in (Kind.MERGED, Kind.ORIGINAL):
            if time.monotonic() < deadline_s:
                entry["batches"][f"{batch} {kind}"] = measure_batch(engine, replay, codec, pairs, batch, kind)
    entry["graph_bytes"] = torch.cuda.max_memory_allocated() if device.type == "cuda" else None
    return entry


def pass_times(costs: CostTable) -> dict[int, float]:
    return {width: 1000 * costs.seconds(width) for width in (*TOKEN_BUCKETS, 1024, 2048)}


def plain_seconds(runner: FusedRunner) -> float:
    """Seconds of a pass that writes one token, after `PLAIN_CONTEXT` tokens."""
    append = [Append(0, PLAIN_CONTEXT, [5], 1)]
    runner.append(append)
    started_s = time.perf_counter()
    for _ in range(PLAIN_PASSES):
        runner.append(append)
    return (time.perf_counter() - started_s) / PLAIN_PASSES


def measure_batch(
    engine: Engine, replay: ReplayRunner, codec: TokenizerCodec, pairs: Sequence[Pair], batch: int, kind: Kind
) -> dict[str, Any]:
    """All edits, `batch` at a time: rates over the whole run, and what reading the prompts alone takes."""
    chosen = [request_for(pair, codec, kind) for pair in pairs]
    chosen = (chosen * -(-batch // len(chosen)))[: max(len(chosen), batch)]
    chosen = [(request, trace) for request, trace in chosen if len(trace.prompt) + len(trace.output) < SLOT_LEN]
    decode_all(engine, replay, chosen[: max(4, batch)], batch)  # captures the graphs that will be used
    read_s, _ = decode_all(
        engine, replay, [(replace(request, max_new_tokens=1), trace) for request, trace in chosen], batch
    )
    total_s, results = decode_all(engine, replay, chosen, batch)
    num_tokens = sum(result.stats.completion_tokens for result in results)
    passes = sum(result.stats.passes for result in results)
    return {
        "requests": len(results),
        "prompt_tokens": sum(result.stats.prompt_tokens for result in results),
        "output_tokens": num_tokens,
        "seconds": total_s,
        "read_seconds": read_s,
        "end_to_end_tok_s": num_tokens / total_s,
        "decode_tok_s": num_tokens / max(total_s - read_s, 1e-9),
        "mean_request_ms": sum(result.stats.total_ms - result.stats.queue_ms for result in results) / len(results),
        "tokens_per_pass": num_tokens / passes,
        "divergences": sum(result.stats.divergences for result in results),
        "acceptance_rate": sum(r.stats.accepted for r in results) / max(1, sum(r.stats.drafted for r in results)),
        "median_stats": asdict(sorted(results, key=lambda result: result.stats.total_ms)[len(results) // 2].stats),
    }


def decode_all(
    engine: Engine, replay: ReplayRunner, requests: Sequence[tuple[DecodeRequest, Trace]], batch: int
) -> tuple[float, list[DecodeResult]]:
    """Seconds, and the results, of decoding the requests in groups of `batch` that start together."""
    results: list[DecodeResult] = []
    started_s = time.perf_counter()
    for group in _groups(requests, batch):
        engine.forget_prefixes()
        replay.traces += [trace for _, trace in group]
        handles = [engine.submit(request) for request, _ in group]
        while engine.step():
            pass
        results += [handle.result(0) for handle in handles]
    seconds = time.perf_counter() - started_s
    for (request, trace), result in zip(requests, results, strict=True):
        if result.tokens != trace.output[: request.max_new_tokens]:
            raise RuntimeError("a replayed output came out otherwise")
    return seconds, results


def request_for(pair: Pair, codec: TokenizerCodec, kind: Kind) -> tuple[DecodeRequest, Trace]:
    """A pair's whole file as a request, and what its target will write."""
    lines, changes = line_changes(pair)
    window: Window = whole_file(lines, changes, top_level_blocks(lines))
    draft = window.draft if kind == Kind.MERGED else Draft(window.original, kind)
    prompt = tuple(codec.encode(window.original + MARKER + lazy_edit(window)))
    output = (*codec.encode(pair.edited), STOP)
    request = DecodeRequest(
        prompt=prompt, max_new_tokens=len(output), drafts=(draft,), snippets=snippets(window), original=window.original
    )
    return request, Trace(prompt, output)


def _groups(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _num_slots(bytes_per_token: int, device: torch.device) -> int:
    if device.type != "cuda":
        return 2
    free, _ = torch.cuda.mem_get_info(device)
    return max(1, min(BATCHES[-1], (free - SPARE_BYTES) // (bytes_per_token * SLOT_LEN)))


def _fits(shape: DecoderShape, device: torch.device) -> bool:
    if device.type != "cuda":
        return shape.num_bytes < 2**30
    free, _ = torch.cuda.mem_get_info(device)
    return shape.num_bytes + 2 * SPARE_BYTES < free


def _device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--budget", type=float, default=420)
    parser.add_argument("--only", help="only shapes whose names begin so")
    parser.add_argument("--tiny", action="store_true", help="a toy shape, to see that everything runs")
    options = parser.parse_args()
    wanted = (TINY,) if options.tiny else tuple(s for s in SHAPES if s.name.startswith(options.only or ""))
    main(options.out, options.budget, wanted)
