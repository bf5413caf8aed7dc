"""Shards of training documents, made small enough to be carried to another machine.

    python evals/gpu/pack_shards.py FOLDER SHARDS... --tokenizer FOLDER [--limit MEGABYTES]

FOLDER gets `train-0000.xz`, `train-0001.xz`, ... of all the folders of shards, `held-out-0000.xz` of what lies in their
`held-out`, and the tokenizer. An answer is mostly its prompt once more, and documents of one file resemble each other:
many of them compressed together take about a seventh of two bytes a token. What would make the folder larger than the
limit is left out, and told.
"""

from __future__ import annotations

import argparse
import lzma
import shutil
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from evals.gpu.bare import make_importable  # noqa: E402

make_importable()

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402

from fastedit.training.documents import HELD_OUT, Document, read_shard, shards_in, write_shards  # noqa: E402

BLOCK_SHARDS = 32  # more find more that is alike, and take more memory to compress
TRAIN = "train"
TOKENIZER = "tokenizer"
NUMBER = np.dtype("<u2")
COUNT = np.dtype("<u4")
MEGABYTE = 1_000_000
LIMIT = 45.0


@dataclass(frozen=True, slots=True)
class Packed:
    """What a folder got: documents and their tokens, its size, and how many shards are not in it."""

    documents: int
    tokens: int
    megabytes: float
    shards_left_out: int


def pack_folder(
    folder: Path, sources: Sequence[Path], tokenizer: Path, limit: float = LIMIT, block_shards: int = BLOCK_SHARDS
) -> Packed:
    """Write blocks of the sources' shards, in their order, as long as all of it stays below `limit` megabytes.

    ValueError where not even the tokenizer and the held-out documents do.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.xz"):
        old.unlink()
    shutil.copytree(tokenizer, folder / TOKENIZER, dirs_exist_ok=True)
    held_out = [path for source in sources for path in shards_in(source / HELD_OUT)]
    _write(folder, HELD_OUT, 0, pack_block(_documents(held_out)))
    if size_of(folder) > limit * MEGABYTE:
        raise ValueError(f"the held-out documents alone take {size_of(folder) / MEGABYTE:.1f} MB")
    shards = [path for source in sources for path in shards_in(source)]
    num_documents = num_tokens = 0
    for number, start in enumerate(range(0, len(shards), block_shards)):
        documents = _documents(shards[start : start + block_shards])
        block = pack_block(documents)
        if size_of(folder) + len(block) > limit * MEGABYTE:
            return Packed(num_documents, num_tokens, size_of(folder) / MEGABYTE, len(shards) - start)
        _write(folder, TRAIN, number, block)
        num_documents += len(documents)
        num_tokens += sum(map(len, documents))
    return Packed(num_documents, num_tokens, size_of(folder) / MEGABYTE, 0)


def unpack_folder(folder: Path, into: Path) -> int:
    """Write the shards that a packed folder holds, held-out ones too; how many documents they have to train on.

    FileNotFoundError where there are none.
    """
    with ThreadPoolExecutor() as pool:
        held_out, train = (list(pool.map(_read, sorted(folder.glob(f"{kind}-*.xz")))) for kind in (HELD_OUT, TRAIN))
    if not any(train):
        raise FileNotFoundError(f"there are no packed documents in {folder.name}")
    for blocks, where in ((train, into), (held_out, into / HELD_OUT)):
        write_shards((document for block in blocks for document in block), where)
    return sum(map(len, train))


def pack_block(documents: Sequence[Document]) -> bytes:
    """Documents as one compressed piece. ValueError for tokens that two bytes don't hold."""
    lengths = np.array([len(document) for document in documents], dtype=np.uint32)
    prompts = np.array([document.num_prompt for document in documents], dtype=np.uint32)
    numbers = np.concatenate([lengths, prompts, *(document.tokens for document in documents)])
    if len(numbers) and int(numbers.max()) > np.iinfo(NUMBER).max:
        raise ValueError(f"{int(numbers.max())} doesn't fit into two bytes")
    raw = np.array([len(documents)], COUNT).tobytes() + numbers.astype(NUMBER).tobytes()
    # The dictionary holds all of the block; positions count by twos, as the numbers do.
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": max(4096, len(raw)), "lp": 1, "pb": 1}]
    return lzma.compress(raw, format=lzma.FORMAT_XZ, filters=filters)


def unpack_block(block: bytes) -> list[Document]:
    """What `pack_block` was given."""
    raw = lzma.decompress(block)
    count = int(np.frombuffer(raw, COUNT, 1)[0])
    numbers = np.frombuffer(raw, NUMBER, offset=COUNT.itemsize)
    lengths, prompts = numbers[:count], numbers[count : 2 * count]
    return list(_cut(numbers[2 * count :].astype(np.uint32), lengths, prompts))


def _cut(
    tokens: npt.NDArray[np.uint32], lengths: npt.NDArray[np.uint16], prompts: npt.NDArray[np.uint16]
) -> Iterator[Document]:
    ends = np.cumsum(lengths, dtype=np.int64)
    for end, length, prompt in zip(ends.tolist(), lengths.tolist(), prompts.tolist(), strict=True):
        yield Document(tokens[end - length : end], prompt)


def size_of(folder: Path) -> int:
    """The bytes of all files below it."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _documents(shards: Sequence[Path]) -> list[Document]:
    return [document for path in shards for document in read_shard(path)]


def _write(folder: Path, kind: str, number: int, block: bytes) -> None:
    (folder / f"{kind}-{number:04d}.xz").write_bytes(block)


def _read(path: Path) -> list[Document]:
    return unpack_block(path.read_bytes())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("shards", type=Path, nargs="+")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="MEGABYTES")
    options = parser.parse_args(arguments)
    packed = pack_folder(options.folder, options.shards, options.tokenizer, options.limit)
    print(
        f"{packed.documents:,} documents of {packed.tokens:,} tokens in {packed.megabytes:.1f} MB, "
        f"{packed.shards_left_out} shards left out"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
