"""A soak: pipelines of all kinds that are dropped inside reference cycles, for minutes.

    python -m penstock.tests.stress.drops --minutes 10

The collector finds them where it happens to run, also in their own threads. It must live, and
memory, threads, processes and descriptors must stay flat. `make stress SOAK=10` starts the program.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import sys
import tempfile
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import cv2
import numpy as np

import penstock.experimental.dynamic as ndd
from penstock import Pipeline, fn
from penstock.engine.closing import finish_closing
from penstock.engine.errors import PenstockError

from ..videos import video_file
from .attacks.memory_growth import resident_bytes
from .leaks import Census

BATCH = 8
WARM_UP = 3
"""Pipelines of each kind before the first count: imports, caches and pools of libraries stay."""

COUNT_AFTER = 40
"""Pipelines between two counts."""

ALLOWED_BYTES = 48 << 20
"""Growth of memory that fragmentation causes; a lost pipeline of each kind adds more in minutes."""


class Cycle:
    """An object that refers to itself, so that the collector alone finds it."""

    def __init__(self, *held: object) -> None:
        self.held = held
        self.me = self


def numbers() -> list[Any]:
    return [np.zeros((120, 120, 3), np.uint8)] * BATCH


def of_source(**options: Any) -> Pipeline:
    pipeline = Pipeline(BATCH, num_threads=2, seed=1, **options)
    with pipeline:
        pipeline.set_outputs(fn.resize(fn.external_source(source=numbers), size=64))
    return pipeline


def of_files(**options: Any) -> Pipeline:
    pipeline = Pipeline(BATCH, num_threads=2, seed=1, **options)
    with pipeline:
        encoded, _ = fn.readers.file(file_root="images")
        pipeline.set_outputs(fn.resize(fn.decoders.image(encoded), size=64))
    return pipeline


def of_damaged_files() -> Pipeline:
    pipeline = Pipeline(BATCH, num_threads=2, seed=1, on_error="replace")
    with pipeline:
        encoded, _ = fn.readers.file(files=["damaged.jpg", *map(str, Path("images").glob("*/*"))])
        pipeline.set_outputs(fn.resize(fn.decoders.image(encoded), size=64))
    return pipeline


def cached() -> Pipeline:
    pipeline = Pipeline(BATCH, num_threads=2, seed=1)
    with pipeline:
        encoded, _ = fn.readers.file(file_root="images")
        decoded = fn.decoders.image(encoded, cache="ram", cache_size=16 + os.getpid() % 500)
        pipeline.set_outputs(fn.resize(decoded, size=64))
    return pipeline


def of_video() -> Pipeline:
    pipeline = Pipeline(2, num_threads=2, seed=1)
    with pipeline:
        pipeline.set_outputs(fn.readers.video(filenames=["video.mp4"], sequence_length=4))
    return pipeline


def of_workers(method: str) -> Pipeline:
    pipeline = Pipeline(BATCH, num_threads=2, py_num_workers=1, py_start_method=method)
    with pipeline:
        pipeline.set_outputs(fn.external_source(source=one, parallel=True, batch=False))
    return pipeline


def one(info: Any) -> Any:
    return np.zeros((60, 60, 3), np.uint8)


def run(pipeline: Pipeline, random: Random) -> None:
    for _ in range(random.randint(0, 4)):
        pipeline.run()
    pipeline.me = pipeline  # type: ignore[attr-defined]


def run_dynamic(random: Random) -> None:
    with ndd.EvalContext(num_threads=2) as context:
        for _ in range(random.randint(1, 3)):
            batch = ndd.resize(ndd.batch(numbers()), size=32)
            batch.evaluate()
    Cycle(context, batch)


def run_proxy(random: Random) -> None:
    from penstock.plugin.pytorch.experimental.proxy import DALIServer

    pipeline = Pipeline(BATCH, num_threads=2, seed=1)
    with pipeline:
        pipeline.set_outputs(fn.external_source(name="number") * 2)
    server = DALIServer(pipeline)
    for number in range(random.randint(1, 3)):
        server.produce_data(server.proxy(np.full(4, number, np.float32)))
    Cycle(server, pipeline)


def run_iterator(random: Random) -> None:
    from penstock.plugin.pytorch import DALIGenericIterator

    iterator = DALIGenericIterator(of_source(), ["images"])
    for _ in range(random.randint(1, 3)):
        next(iterator)
    Cycle(iterator)


def fail(random: Random) -> None:
    pipeline = Pipeline(BATCH, num_threads=2, seed=1)
    with pipeline:
        encoded, _ = fn.readers.file(files=["damaged.jpg"] * BATCH)
        pipeline.set_outputs(fn.decoders.image(encoded))
    try:
        pipeline.run()
    except PenstockError as error:
        Cycle(error, pipeline)  # as a traceback does that somebody keeps


KINDS: dict[str, Callable[[Random], None]] = {
    "threads": lambda random: run(of_source(), random),
    "files": lambda random: run(of_files(), random),
    "damaged files": lambda random: run(of_damaged_files(), random),
    "processes": lambda random: run(of_files(exec_processes=True), random),
    "a cache": lambda random: run(cached(), random),
    "videos": lambda random: run(of_video(), random),
    "forks": lambda random: run(of_workers("fork"), random),
    "new interpreters": lambda random: run(of_workers("spawn"), random),
    "dynamic": run_dynamic,
    "the proxy": run_proxy,
    "an iterator": run_iterator,
    "errors": fail,
}
SLOW = {"processes", "forks", "new interpreters"}  # each starts processes


def make_files() -> None:
    """Write the files of all kinds to the current folder."""
    Path("images/a").mkdir(parents=True)
    for number in range(24):
        cv2.imwrite(f"images/a/{number}.jpg", np.full((50, 60, 3), 10 * number, np.uint8))
    Path("damaged.jpg").write_bytes(Path("images/a/1.jpg").read_bytes()[:300])
    video_file("video.mp4", "h264.mp4", 30)


def usable_kinds() -> list[str]:
    """Return the kinds that this machine's libraries allow."""
    kinds = list(KINDS)
    with suppress(ImportError):
        import torch  # noqa: F401

        return kinds
    return [kind for kind in kinds if kind not in {"the proxy", "an iterator"}]


def collector_lives() -> bool:
    """Return whether the collector of this process still works."""
    gone = weakref.ref(Cycle())
    for _ in range(50):  # another thread may be collecting just now
        gc.collect()
        finish_closing()
        if gone() is None:
            return True
    return False


def memory_in_use() -> int:
    """Return the resident bytes, without those that the C library keeps for later."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    return resident_bytes()


def soak(
    seconds: float,
    seed: int,
    say: Callable[[str], None] = lambda _: None,
    kinds: Sequence[str] | None = None,
    warm_up: int = WARM_UP,
) -> int:
    """Drop pipelines for so long; return their number.

    Args:
        seconds: after the warm-up.
        seed: of the choice of kinds, and of their lengths.
        say: gets a line after each count.
        kinds: names of KINDS; None for all that the machine allows.
        warm_up: pipelines of each kind before the first count.

    Raises:
        AssertionError: something is not flat.
    """
    random = Random(seed)
    names = list(kinds or usable_kinds())
    for name in names * warm_up:
        KINDS[name](random)
    assert collector_lives()
    before, memory = Census.take_census(), memory_in_use()
    until, count = monotonic() + seconds, 0
    weights = [1 if name in SLOW else 6 for name in names]
    while monotonic() < until:
        for name in random.choices(names, weights, k=COUNT_AFTER):
            KINDS[name](random)
            count += 1
            if monotonic() > until:
                break
        assert collector_lives(), f"the collector does nothing any more, after {count} pipelines"
        beyond = Census.settled(before).beyond(before)
        assert not beyond, f"after {count} pipelines there are {beyond} more"
        growth = memory_in_use() - memory
        say(f"{count} pipelines, {growth / 1e6:+.1f} MB")
        assert growth < ALLOWED_BYTES, f"{growth >> 20} MiB more after {count} pipelines"
    return count


def main() -> int:
    """Run the soak; print what there is from time to time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", choices=sorted(KINDS))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_files()
        say = lambda text: print(text, flush=True)  # noqa: E731
        soak(60 * arguments.minutes, arguments.seed, say, arguments.only)
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
