"""CPU time of mixtures and of batches by cost, beside one reader over the same files.

python benchmarks/orders.py [--folders 20] [--files 500] [--rounds 5] [--json FILE]

All files are local and cached, and their samples are touched. Before the clock starts, a pipeline
reads a quarter of all bytes, and each sample is compared with its file. A turn reads as many bytes
as all files have. Figures are bytes that are read in a second of CPU time, all threads together.
What an order costs is what the mixture loses beside the one reader.

Sizes of files have the shape of LibriSpeech's lengths: 62 % are normal around 15 s, the others
uniform from 1.5 to 14 s, scaled to a mean of 12.3 s; a second has `--bytes` bytes.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from penstock import Pipeline, fn
from penstock.benchmarks import common

BATCH = 64
CLASSES = 30


def lengths(count: int) -> Any:
    """Return seconds of speech, (count,)."""
    rng = np.random.default_rng(2026)
    drawn = np.where(
        rng.random(count) < 0.62, rng.normal(15, 1.2, count), rng.uniform(1.5, 14, count)
    )
    return np.clip(drawn, 0.5, None) * 12.3 / drawn.mean()


def written(folder: Path, options: Namespace) -> list[list[str]]:
    """Return the paths of the files in each folder."""
    sizes = (lengths(options.folders * options.files) * options.bytes).astype(int).tolist()
    paths = [
        [str(folder / f"{i:02}" / f"{j:04}") for j in range(options.files)]
        for i in range(options.folders)
    ]
    for own in paths:
        Path(own[0]).parent.mkdir()
    rng = np.random.default_rng(2027)
    for path, size in zip((path for own in paths for path in own), sizes, strict=True):
        Path(path).write_bytes(rng.bytes(size))
    return paths


class WrongSampleError(Exception):
    """A pipeline handed out bytes that no file has."""


def compare(batch: Any, contents: frozenset[bytes]) -> None:
    """Compare each sample with the files."""
    for row, sample in enumerate(batch.rows()):
        if hashlib.sha256(sample).digest() not in contents:
            raise WrongSampleError(f"row {row} of a batch has the bytes of no file")


def mixed(paths: list[list[str]], sources: int) -> Any:
    """Return the outputs of a mixture, whose sources have the shares 1, 2, 3, 1, 2, ..."""
    parts = np.array_split(np.arange(len(paths)), sources)
    members = {
        f"source {i}": fn.readers.file(files=[path for n in part for path in paths[n]])
        for i, part in enumerate(parts)
    }
    weights = {name: 1 + i % 3 for i, name in enumerate(members)}
    return fn.readers.mix(members, weights=weights, random_shuffle=True, name="data")[0]


def one(paths: list[list[str]], **options: Any) -> Any:
    """Return the outputs of one reader over all files."""
    files = [path for own in paths for path in own]
    return fn.readers.file(files=files, random_shuffle=True, name="data", **options)[0]


def turn(define: Any, contents: frozenset[bytes], nbytes: int, batch_size: int) -> float:
    """Return how many MB are read in a second of CPU time.

    Raises:
        WrongSampleError: a sample is not that of a file.
    """
    with Pipeline(batch_size, 2, exec_processes=False) as pipe:
        pipe.set_outputs(define())
        left = nbytes // 4
        while left > 0:  # until groups of batches have grown
            left -= _read(pipe, contents)
        started, read = common.cpu_seconds(), 0
        while read < nbytes:
            read += _read(pipe)
        return read / 1e6 / (common.cpu_seconds() - started)


def _read(pipe: Pipeline, contents: frozenset[bytes] | None = None) -> int:
    (batch,) = pipe.run()
    common.touch(batch)
    if contents is not None:
        compare(batch, contents)
    return sum(row.nbytes for row in batch.rows())


def measurements(paths: list[list[str]], nbytes: int, count: int) -> Any:
    """Return unit, the order's turn and the one reader's turn by name."""
    contents = frozenset(
        hashlib.sha256(Path(path).read_bytes()).digest() for own in paths for path in own
    )
    plain = partial(turn, partial(one, paths), contents, nbytes, BATCH)
    budget = BATCH * nbytes / count
    cost = {"by": "bytes", "budget": budget, "buckets": CLASSES}
    found = {
        f"a mixture of {sources} sources": partial(mixed, paths, sources) for sources in (3, 20)
    }
    turns = {name: partial(turn, define, contents, nbytes, BATCH) for name, define in found.items()}
    costed = partial(one, paths, batch_cost=cost)
    turns["batch_cost, as many bytes a batch"] = partial(turn, costed, contents, nbytes, 16 * BATCH)
    return {name: ("MB a CPU s", ours, plain) for name, ours in turns.items()}


def main() -> int:
    parser = common.command_line(__doc__)
    parser.add_argument("--folders", type=int, default=20, help="20 or more")
    parser.add_argument("--files", type=int, default=500, help="files of a folder")
    parser.add_argument("--bytes", type=int, default=1000, help="bytes of a second")
    with tempfile.TemporaryDirectory() as folder:

        def offered(options: Namespace) -> Any:
            paths = written(Path(folder), options)
            nbytes = sum(Path(path).stat().st_size for own in paths for path in own)
            return measurements(paths, nbytes, options.folders * options.files)

        return common.main(parser, offered, "one reader")


if __name__ == "__main__":
    sys.exit(main())
