"""Tight limits of descriptors, addresses and file sizes.

A run under a limit must give right results, or end with an error; `on_error="skip"` must not
replace good samples because the machine lacks something.
"""

from __future__ import annotations

import resource
from pathlib import Path
from random import Random

import numpy as np

from penstock import Pipeline, fn
from penstock.engine.errors import PenstockError


def case(seed: int) -> None:
    """Read many small arrays under one limit."""
    random = Random(seed)
    count = random.randint(20, 150)
    paths = [f"{number}.npy" for number in range(count)]
    for number, path in enumerate(paths):
        np.save(path, np.full((64, 64), number, np.int32))
    limit, value = random.choice(
        (
            (resource.RLIMIT_NOFILE, random.randint(20, 100)),
            (resource.RLIMIT_AS, addresses() + (random.choice((40, 400, 4000, 40000)) << 20)),
            (resource.RLIMIT_FSIZE, random.choice((0, 1 << 20))),
        )
    )
    soft, hard = resource.getrlimit(limit)
    processes = random.random() < 0.2
    region = {"roi_start": [8, 8], "roi_end": [32, 40]} if random.random() < 0.5 else {}
    resource.setrlimit(limit, (value, hard))
    try:
        with Pipeline(
            7,
            num_threads=2,
            on_error=random.choice(("raise", "skip")),
            exec_processes=processes or None,
        ) as pipeline:
            pipeline.set_outputs(fn.readers.numpy(files=paths, **region))
            for step in range(2 * count // 7):
                (output,) = pipeline.run()
                expected = [(7 * step + i) % count for i in range(7)]
                assert [int(output.at(i)[0, 0]) for i in range(7)] == expected
                assert output.valid.all()
    except (PenstockError, OSError, MemoryError, RuntimeError) as error:
        if not str(error) and not isinstance(error, MemoryError):
            raise AssertionError("an error without a message") from error
    finally:
        resource.setrlimit(limit, (soft, hard))


def addresses() -> int:
    """Return the bytes of addresses that this process uses."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
