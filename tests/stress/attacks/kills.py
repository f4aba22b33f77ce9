"""Workers and reading processes that are killed at a random moment.

The run must go on with right results, or end with an error soon; `close()` must return.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np

from penstock import Pipeline, fn, types
from penstock.engine.errors import PenstockError

from .reader_settings import make_files


def case(seed: int) -> None:
    """Kill one child of this process while batches are taken."""
    random = Random(seed)
    files = make_files(64)
    with Pipeline(8, num_threads=2, seed=1, exec_processes=True) as pipeline:
        encoded, labels = fn.readers.file(files=files)
        pipeline.set_outputs(fn.cast(encoded, dtype=types.INT32), labels)
        pipeline.build()
        killer = threading.Timer(random.uniform(0, 1.2), kill_a_child, (random,))
        killer.start()
        with suppress(PenstockError):
            for step in range(400):
                values, numbers = (output.as_array() for output in pipeline.run())
                expected = (np.arange(8) + 8 * step)[:, None] % 64
                np.testing.assert_array_equal(numbers, expected)
                np.testing.assert_array_equal(values, expected)
        killer.cancel()
        killer.join()


def kill_a_child(random: Random) -> None:
    """Kill or stop a random child of this process."""
    children = []
    for task in os.listdir("/proc/self/task"):
        with suppress(OSError):
            children += Path(f"/proc/self/task/{task}/children").read_text().split()
    if children:
        with suppress(ProcessLookupError):
            os.kill(int(random.choice(children)), random.choice((signal.SIGKILL, signal.SIGSEGV)))
