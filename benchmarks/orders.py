"""CPU time of mixtures and of batches by cost, beside one reader over the same files.

python benchmarks/orders.py [--folders 20] [--files 500] [--passes 8] [--rounds 5] [--json FILE]

All files are local and cached, and their samples are touched. Before the clock starts, a pipeline
reads a quarter of all bytes, and each sample is compared with its file. Figures are bytes that are
read in a second of CPU time, all threads together. What an order costs is what the mixture loses
beside the one reader.

A turn reads `--passes` times as many bytes as all files have. Both pipelines of a round take it in
slices of 20 ms, by turns, each in a process of its own. So other work on the machine slows both
alike, and what a pipeline does ahead of its slice is counted as its own.

Sizes of files have the shape of LibriSpeech's lengths: 62 % are normal around 15 s, the others
uniform from 1.5 to 14 s, scaled to a mean of 12.3 s; a second has `--bytes` bytes.
"""

from __future__ import annotations

import hashlib
import multiprocessing
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
SLICES = 4
"""Slices of a pass over all files."""


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


def serve(orders: Any, define: Any, contents: frozenset[bytes], nbytes: int, batch: int) -> None:
    """Read slices in this process, one whenever `orders` has a message, until it has None.

    Answer each with the bytes that were read so far, and the seconds of CPU time.

    Raises:
        WrongSampleError: a sample is not that of a file.
    """
    with Pipeline(batch, 2, exec_processes=False) as pipe:
        pipe.set_outputs(define())
        left = nbytes // 4
        while left > 0:  # until groups of batches have grown
            left -= _read(pipe, contents)
        read = wanted = 0
        while orders.recv() is not None:
            wanted += nbytes // SLICES
            while read < wanted:
                read += _read(pipe)
            orders.send((read, common.cpu_seconds()))


class Round:
    """A turn of an order and one of the one reader, which take place slice by slice.

    Args:
        slices: of a turn.
        ours, theirs: the arguments of `serve`.
    """

    def __init__(self, slices: int, ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
        self._slices = slices
        self._both = ours, theirs

    def ours(self) -> float:
        """Take both turns; return how many MB the order reads in a second of CPU time."""
        context = multiprocessing.get_context("spawn")
        pipes = [context.Pipe() for _ in self._both]
        processes = [
            context.Process(target=serve, args=(far, *own), daemon=True)
            for (_, far), own in zip(pipes, self._both, strict=True)
        ]
        for process, (_, far) in zip(processes, pipes, strict=True):
            process.start()
            far.close()  # so that the end of the process ends a wait for its answer
        places = [[_slice(near) for near, _ in pipes] for _ in range(self._slices + 1)]
        for process, (near, _) in zip(processes, pipes, strict=True):
            near.send(None)
            process.join()
        rates = [
            (read - read_before) / 1e6 / (seconds - before)
            for (read_before, before), (read, seconds) in zip(places[0], places[-1], strict=True)
        ]
        self._theirs = rates[1]
        return rates[0]

    def theirs(self) -> float:
        """Return the same of the one reader, from the turn that `ours` has taken."""
        return self._theirs


def _slice(pipe: Any) -> tuple[int, float]:
    pipe.send(True)
    answer: tuple[int, float] = pipe.recv()
    return answer


def _read(pipe: Pipeline, contents: frozenset[bytes] | None = None) -> int:
    (batch,) = pipe.run()
    common.touch(batch)
    if contents is not None:
        compare(batch, contents)
    return sum(row.nbytes for row in batch.rows())


def measurements(paths: list[list[str]], nbytes: int, count: int, passes: int) -> Any:
    """Return unit, the order's turn and the one reader's turn by name."""
    contents = frozenset(
        hashlib.sha256(Path(path).read_bytes()).digest() for own in paths for path in own
    )
    budget = BATCH * nbytes / count
    cost = {"by": "bytes", "budget": budget, "buckets": CLASSES}
    found = {
        f"a mixture of {sources} sources": (partial(mixed, paths, sources), BATCH)
        for sources in (3, 20)
    }
    costed = partial(one, paths, batch_cost=cost)
    found["batch_cost, as many bytes a batch"] = costed, 16 * BATCH
    plain = partial(one, paths), contents, nbytes, BATCH
    rounds = {
        name: Round(passes * SLICES, (define, contents, nbytes, batch_size), plain)
        for name, (define, batch_size) in found.items()
    }
    return {name: ("MB a CPU s", own.ours, own.theirs) for name, own in rounds.items()}


def main() -> int:
    parser = common.command_line(__doc__)
    parser.add_argument("--folders", type=int, default=20, help="20 or more")
    parser.add_argument("--files", type=int, default=500, help="files of a folder")
    parser.add_argument("--bytes", type=int, default=1000, help="bytes of a second")
    parser.add_argument("--passes", type=int, default=8, help="of a turn over all files")
    with tempfile.TemporaryDirectory() as folder:

        def offered(options: Namespace) -> Any:
            paths = written(Path(folder), options)
            nbytes = sum(Path(path).stat().st_size for own in paths for path in own)
            return measurements(paths, nbytes, options.folders * options.files, options.passes)

        return common.main(parser, offered, "one reader")


if __name__ == "__main__":
    sys.exit(main())
