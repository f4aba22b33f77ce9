"""How the training pipeline scales with the number of workers, beside NVIDIA DALI's threads.

Worker threads, worker processes, the workers that Penstock chooses by itself, and DALI take turns
in one process on the same photographs. Without DALI, the program prints the figures of Penstock
alone. Photographs of 60x60 pixels are light samples, those of 500x375 middling and of 2400x1600
heavy ones. The last two columns are the CPU time that this process spends on an image, for the most
part with the GIL.

    python benchmarks/scaling_cpu.py [--json FILE] [--workers 1 2 4 8 12 16]
        [--sizes 60x60 500x375 2400x1600]
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from dataclasses import dataclass
from itertools import product
from typing import Any

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked
from penstock.benchmarks.training_cpu import Library, load, load_dali, train, watch

WORKERS = (1, 2, 4, 8, 12, 16)


@dataclass(frozen=True)
class Scaling:
    """The figures of one number of workers.

    Attributes:
        size: of the photographs, width x height in pixels.
        workers: number of workers.
        threads, processes: images a second with threads and with processes.
        chosen: images a second with the workers that Penstock chooses.
        dali: images a second of DALI with as many threads; None without DALI.
        threads_us, processes_us: CPU time of this process for an image, in microseconds, without
            the CPU time of worker processes.
        compared, wrong: samples of all four that were compared with the same samples alone, and
            those that differ.
    """

    size: str
    workers: int
    threads: float
    processes: float
    chosen: float
    dali: float | None
    threads_us: float
    processes_us: float
    compared: int
    wrong: int


def speed(
    library: Library, folder: str, options: argparse.Namespace, workers: int, **more: Any
) -> tuple[Looked, float]:
    """Return images a second, and microseconds of this process's CPU time for an image."""
    gc.collect()  # ends threads of the previous turn's pipeline
    watched = watch(library, train, folder, batch_size=options.batch, num_threads=workers, **more)
    common.run_for(watched.run, options.warm_up)
    started, used = time.perf_counter(), time.process_time()
    images = options.batch * common.run_for(watched.run, options.seconds)
    rate = images / (time.perf_counter() - started)
    used = 1e6 * (time.process_time() - used) / images
    return watched.looked(rate), used


def scaling(
    ours: Library, theirs: Library | None, size: str, options: argparse.Namespace, workers: int
) -> Scaling:
    """Measure one size of photographs and one number of workers."""
    width, height = map(int, size.split("x"))
    folder = str(common.photographs(options.images, (height, width)))
    threads, threads_us = speed(ours, folder, options, workers, exec_processes=False)
    processes, processes_us = speed(ours, folder, options, workers, exec_processes=True)
    chosen, _ = speed(ours, folder, options, workers)
    dali = None if theirs is None else speed(theirs, folder, options, workers)[0]
    looked = [threads, processes, chosen, *([dali] if dali else [])]
    return Scaling(
        size,
        workers,
        threads.figure,
        processes.figure,
        chosen.figure,
        dali.figure if dali else None,
        threads_us,
        processes_us,
        sum(one.compared for one in looked),
        sum(one.wrong for one in looked),
    )


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=None, only=False)
    parser.add_argument("--workers", type=int, nargs="+", default=WORKERS, help="worker counts")
    parser.add_argument("--sizes", nargs="+", default=["500x375"], help="of the photographs")
    parser.add_argument("--images", type=int, default=256, help="photographs in the data set")
    parser.add_argument("--batch", type=int, default=128, help="images in a batch")
    parser.add_argument("--warm-up", type=float, default=3.0, help="seconds before each turn")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of a turn")
    options = parser.parse_args()
    ours, theirs = load("penstock"), load_dali()
    print(
        f"{'':12}workers   threads  processes    chosen  of best      DALI   ratio"
        "    here, us an image"
    )
    figures = []
    for size, workers in product(options.sizes, options.workers):
        figures.append(scaling(ours, theirs, size, options, workers))
        print_figure(figures[-1])
    common.record(options, figures)
    return 0


def print_figure(figure: Scaling) -> None:
    """Print one line of the table; the last ratio is that of the chosen workers to DALI."""
    dali, ratio = "-", "-"
    if figure.dali is not None:
        dali, ratio = f"{figure.dali:.0f}", f"{figure.chosen / figure.dali:.2f}"
    of_best = figure.chosen / max(figure.threads, figure.processes)
    print(
        f"{figure.size:12}{figure.workers:7}{figure.threads:10.0f}{figure.processes:11.0f}"
        f"{figure.chosen:10.0f}{of_best:9.2f}{dali:>10}{ratio:>8}"
        f"{figure.threads_us:12.0f}{figure.processes_us:9.0f}"
        f"{common.seen(figure.compared, figure.wrong)}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
