"""How the training pipeline scales with the number of workers, beside NVIDIA DALI's threads.

Worker threads, worker processes and DALI take turns in one process on the same photographs. Without
DALI, the program prints the figures of Penstock alone. The last two columns are the CPU time that
this process spends on an image, for the most part with the GIL.

    python benchmarks/scaling_cpu.py [--json FILE] [--workers 1 2 4 8 12 16]
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.benchmarks import common
from penstock.benchmarks.training_cpu import Library, close, load, load_dali, train

WORKERS = (1, 2, 4, 8, 12, 16)


@dataclass(frozen=True)
class Scaling:
    """The figures of one number of workers.

    Attributes:
        workers: number of workers.
        threads, processes: images a second with threads and with processes.
        dali: images a second of DALI with as many threads; None without DALI.
        threads_us, processes_us: CPU time of this process for an image, in microseconds, without
            the CPU time of worker processes.
    """

    workers: int
    threads: float
    processes: float
    dali: float | None
    threads_us: float
    processes_us: float


def speed(
    library: Library, folder: str, options: argparse.Namespace, workers: int, **more: Any
) -> tuple[float, float]:
    """Return images a second, and microseconds of this process's CPU time for an image."""
    gc.collect()  # ends threads of the previous turn's pipeline
    pipeline = library.pipeline(
        train, folder, batch_size=options.batch, num_threads=workers, **more
    )
    pipeline.build()
    common.run_for(pipeline.run, options.warm_up)
    started, used = time.perf_counter(), time.process_time()
    images = options.batch * common.run_for(pipeline.run, options.seconds)
    rate = images / (time.perf_counter() - started)
    used = 1e6 * (time.process_time() - used) / images
    close(pipeline)
    return rate, used


def scaling(
    ours: Library, theirs: Library | None, folder: str, options: argparse.Namespace, workers: int
) -> Scaling:
    """Measure one number of workers."""
    threads, threads_us = speed(ours, folder, options, workers, exec_processes=False)
    processes, processes_us = speed(ours, folder, options, workers, exec_processes=True)
    dali = None if theirs is None else speed(theirs, folder, options, workers)[0]
    return Scaling(workers, threads, processes, dali, threads_us, processes_us)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=WORKERS, help="worker counts")
    parser.add_argument("--images", type=int, default=256, help="photographs in the data set")
    parser.add_argument("--batch", type=int, default=128, help="images in a batch")
    parser.add_argument("--warm-up", type=float, default=1.5, help="seconds before each turn")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of a turn")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    ours, theirs = load("penstock"), load_dali()
    folder = str(common.photographs(options.images))
    print("workers   threads  processes      DALI   images/s        ratio     here, us an image")
    figures = []
    for workers in options.workers:
        figures.append(scaling(ours, theirs, folder, options, workers))
        print_figure(figures[-1])
    if options.json:
        settings = {k: v for k, v in vars(options).items() if k not in ("json", "workers")}
        common.write_record(options.json, figures, **settings)
    return 0


def print_figure(figure: Scaling) -> None:
    """Print one line of the table; the ratio is that of processes to DALI."""
    dali, ratio = "-", "-"
    if figure.dali is not None:
        dali, ratio = f"{figure.dali:.0f}", f"{figure.processes / figure.dali:.2f}"
    print(
        f"{figure.workers:7}{figure.threads:10.0f}{figure.processes:11.0f}{dali:>10}{ratio:>24}"
        f"{figure.threads_us:12.0f}{figure.processes_us:11.0f}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
