"""What an `if` on data costs and saves on the CPU, beside NVIDIA DALI's.

Three definitions blur and resize the same photographs: all of them; half of them, in an `if`; and
all of them, in an `if` that is always true. The definitions take turns in one process, a batch
each, and the fastest batch counts. Without DALI, the program prints the figures of Penstock alone.

    python benchmarks/conditionals.py [--size 375 500] [--batch 32] [--threads 2] [--rounds 30]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.benchmarks.augmentation import photographs
from penstock.benchmarks.common import seen
from penstock.benchmarks.looking import Watched
from penstock.benchmarks.training_cpu import Library, load, load_dali


def work(library: Library, images: Any) -> Any:
    blurred = library.fn.gaussian_blur(images, sigma=5.0)
    return library.fn.resize(blurred, size=[224, 224])


def unconditional(library: Library, images: Any, flags: Any) -> Any:
    """Do the work for all samples."""
    return work(library, images)


def conditional(library: Library, images: Any, flags: Any) -> Any:
    """Do the work for the samples with a flag, and for the others return a part of the image."""
    if flags:  # noqa: SIM108  (what is measured)
        result = work(library, images)
    else:
        result = library.fn.crop(images, crop=[224, 224])
    return result


def pipeline(
    library: Library, graph: Callable[..., Any], images: list[Any], flags: list[bool], threads: int
) -> Watched:
    """Return a pipeline that has warmed up."""
    arrays = [np.array(flag) for flag in flags]

    def define() -> Any:
        data = library.fn.external_source(source=lambda: images, layout="HWC")
        return graph(library, data, library.fn.external_source(source=lambda: arrays))

    options = {"batch_size": len(images), "num_threads": threads, "device_id": None, "seed": 1}
    options |= {"exec_pipelined": False, "exec_async": False}
    make = library.pipeline_def(enable_conditionals=True, **options)(define)
    made = Watched((library.name, graph, *flags), make)
    for _ in range(3):
        made.run()
    return made


def seconds(run: Callable[[], Any]) -> float:
    """Return the seconds that a batch takes, while nothing is computed ahead."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def compare(library: Library, images: list[Any], threads: int, rounds: int) -> None:
    """Print the figures of one library."""
    half = [i % 2 == 0 for i in range(len(images))]
    every = [True] * len(images)
    made = {
        "all samples": pipeline(library, unconditional, images, every, threads),
        "if, half": pipeline(library, conditional, images, half, threads),
        "if, all": pipeline(library, conditional, images, every, threads),
    }
    times = [
        {name: seconds(pipeline.run) for name, pipeline in made.items()} for _ in range(rounds)
    ]
    best = {name: min(round_times[name] for round_times in times) for name in made}
    looked = {name: pipeline.looked(1 / best[name]) for name, pipeline in made.items()}
    for name, fastest in best.items():
        print(
            f"{library.name:12} {name:12} {len(images) / fastest:8.0f} images/s "
            f"{best['all samples'] / fastest:6.2f} x as fast"
            f"{seen(*looked[name][1:3])}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", nargs=2, type=int, default=(375, 500))
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    images = photographs(options.batch, *options.size)
    for library in filter(None, (load("penstock"), load_dali())):
        compare(library, images, options.threads, options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
