"""Rules that steer a running pipeline, each on against off, by the CPU seconds of both.

The table's second column is without the rule. `docs/architecture.md` has a table of the rules.

    python benchmarks/rules.py [--rounds 5] [--only NAME ...] [--json FILE]
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from penstock import pipeline_def
from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched, WrongSamplesError
from penstock.benchmarks.records_grid import FORMATS
from penstock.engine.control.reads import ReadLimits, SlowLimits
from penstock.engine.tensors.memory import SlabPool
from penstock.readers.process.source_reads import SourceReads
from penstock.readers.reading.window import ReadWindow
from penstock.readers.source import Allocate, Columns, Source

SAMPLES, SAMPLE_BYTES = 64, 110_000
WARM_UP_SECONDS, TURN_SECONDS = 1.0, 3.0  # many groups: the first batch of each pays for all


def read_rate(form: str, size: str, batch: int, limits: ReadLimits) -> Looked:
    """Return records a CPU second, of which the consumer touches each page."""

    @pipeline_def(batch_size=batch, num_threads=2, device_id=None, seed=1)
    def reading() -> Any:
        return tuple(FORMATS[form]("penstock", size, {"random_shuffle": True}))

    with patch.object(ReadWindow, "limits", limits):
        watched = Watched((form, size, batch), reading)  # with and without the rule, the same data

        def run() -> None:
            common.touch(watched.run()[0])

        common.run_for(run, WARM_UP_SECONDS)
        used = common.cpu_seconds()
        count = common.run_for(run, TURN_SECONDS)
        return watched.looked(batch * count / (common.cpu_seconds() - used))


class SlowSource(Source):
    """Samples that take a millisecond each, as behind a network. Sample i is full of i + 1."""

    def __len__(self) -> int:
        return SAMPLES

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> Columns:
        """Wait, and fill memory."""
        samples = []
        for index in indices.tolist():
            time.sleep(1e-3)
            samples.append(allocate((SAMPLE_BYTES,), np.uint8))
            samples[-1][:] = index + 1
        return (samples,)

    def where(self, index: int) -> str:
        """Return a name."""
        return f"sample {index}"

    def close(self) -> None:
        """Release nothing."""
        return


def slow_rate(limits: SlowLimits) -> float:
    """Return samples a second of storage behind a network, read as a process does it."""
    pool = SlabPool(shared=True)
    slab = pool.empty((2 * SAMPLES * SAMPLE_BYTES,))
    slab[:] = 0
    offset = pool.arena.offset(slab)
    assert offset is not None
    with patch.object(SourceReads, "limits", limits):
        reads = SourceReads(pool.arena, SlowSource(), {}, threads=4)
        read = partial(reads.read, np.arange(SAMPLES), offset, len(slab))
        started = time.perf_counter()
        rate = SAMPLES * common.run_for(read, TURN_SECONDS) / (time.perf_counter() - started)
    if set(np.bincount(slab)[1:].tolist()) != {SAMPLE_BYTES}:
        raise WrongSamplesError("slow storage: a sample is wrong, or not all there")
    return rate


def offered(options: Namespace) -> common.Measurements:
    """Return all measurements."""
    found: dict[str, Any] = {
        f"reads {form} {size} x{batch}": (
            "rec/CPU s",
            partial(read_rate, form, size, batch, ReadLimits()),
            partial(read_rate, form, size, batch, ReadLimits(samples=1)),
        )
        for form in ("tfrecord", "webdataset", "files")
        for size in ("small", "large")
        for batch in (8, 32, 256)
    }
    never = partial(slow_rate, SlowLimits(seconds=1e9))
    return found | {"slow storage": ("samples/s", partial(slow_rate, SlowLimits()), never)}


def main() -> int:
    """The command line."""
    return common.main(common.command_line(__doc__), offered, other="off")


if __name__ == "__main__":
    sys.exit(main())
