"""Write `traces/edits.json.gz`, the edits that a GPU run replays: `python -m evals.gpu.make_traces [CASES]`.

A GPU run sees only the repository, so the texts come along, with a tokenizer trained on them. Only cases that were
written for the set are taken: the others' originals have licences of their own.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

from evals.speed.bench import stdlib_texts
from evals.speed.pairs import DEFAULT_CASES, Pair, load_pairs
from fastedit.targets.synthetic import make_tokenizer

TRACES = Path(__file__).parent / "traces" / "edits.json.gz"
OWN_WORDING = "written for this set"
MAX_CHANGED_SHARE = 0.25
VOCABULARY = 16_384


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="?", type=Path, default=DEFAULT_CASES)
    options = parser.parse_args()
    pairs = [pair for pair in load_pairs(options.cases)[0] if is_usable(pair, options.cases)]
    tokenizer = make_tokenizer([*stdlib_texts(200), *(pair.original for pair in pairs)], VOCABULARY)
    data = {
        "tokenizer": json.loads(tokenizer.backend_tokenizer.to_str()),
        "cases": [
            {"name": p.name, "original": p.original, "edited": p.edited, "snippets": list(p.snippets)} for p in pairs
        ],
    }
    TRACES.parent.mkdir(exist_ok=True)
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0)
    TRACES.write_bytes(packed)
    print(f"{len(pairs)} cases, {len(packed) / 1024:.0f} KiB")


def is_usable(pair: Pair, cases: Path) -> bool:
    case = json.loads((cases / pair.name.split("/")[0] / "case.json").read_bytes())
    return case.get("source") == OWN_WORDING and pair.changed_share <= MAX_CHANGED_SHARE and pair.num_lines >= 60


if __name__ == "__main__":
    main()
