"""Clips of 16 frames on the GPU, beside NVIDIA DALI: H.264 of 720 lines, at random and in order.

Key frames come every 30 or 250 frames. Both libraries read the same files with as many threads.

    python benchmarks/video_gpu.py [--json FILE] [--rounds 3] [--threads 8] [--only NAME ...]
        [--folder FOLDER] [--stats]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched
from penstock.benchmarks.training_cpu import Library, by_turns
from penstock.benchmarks.video_cpu import LENGTH, videos

FILES, FRAMES = 12, 600
GROUPS, BATCHES = (30, 250), (8, 32)
FILL = 64  # clips of DALI's shuffle buffer
_WARM_UP_SECONDS, _SECONDS = 3.0, 4.0


def clips(library: Library, paths: list[str], shuffles: bool) -> Any:
    """Return clips of the videos."""
    return library.fn.readers.video(
        device="gpu",
        filenames=paths,
        sequence_length=LENGTH,
        step=7 if shuffles else LENGTH,
        random_shuffle=shuffles,
        initial_fill=FILL,
        name="clips",
    )


def speed(
    library: Library, paths: list[str], shuffles: bool, batch: int, threads: int, stats: bool
) -> Looked:
    """Return clips a second after a warm-up."""

    def graph(library: Library, _: str) -> Any:
        return clips(library, paths, shuffles)

    options = {"batch_size": batch, "num_threads": threads, "device_id": 0}
    key = library.name, *paths, shuffles, batch, threads
    watched = Watched(key, partial(library.pipeline, graph, "", **options))
    common.run_for(watched.run, _WARM_UP_SECONDS)
    started = time.perf_counter()
    batches = common.run_for(watched.run, _SECONDS)
    seconds = time.perf_counter() - started
    if stats and hasattr(watched.pipeline, "stats"):
        print(watched.pipeline.stats())
    return watched.looked(batches * batch / seconds)


def encoded(folder: Path, groups: tuple[int, ...]) -> dict[int, list[str]]:
    """Encode the videos that the folder lacks, in threads; return paths by group of pictures."""
    common.photographs(8, (750, 1000), 70)  # which all videos show
    make = partial(videos, "h264.mp4", folder=folder, files=FILES, frames=FRAMES)
    with ThreadPoolExecutor() as pool:
        return dict(zip(groups, pool.map(make, groups), strict=True))


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=3)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--folder", type=Path, help="keep the videos there")
    parser.add_argument("--stats", action="store_true", help="show where the time went")
    with tempfile.TemporaryDirectory() as temporary:

        def offered(options: argparse.Namespace) -> common.Measurements:
            files = encoded(options.folder or Path(temporary), GROUPS)
            turns: dict[str, tuple[str, Any, Any]] = {}
            for group, batch, order in product(GROUPS, BATCHES, ("random", "in order")):
                turn = partial(
                    speed,
                    paths=files[group],
                    shuffles=order == "random",
                    batch=batch,
                    threads=options.threads,
                    stats=options.stats,
                )
                turns[f"{order}, group {group}, batch {batch}"] = "clips/s", turn, turn
            return by_turns(turns)

        return common.main(parser, offered, frames=LENGTH, files=FILES, frames_of_a_file=FRAMES)


if __name__ == "__main__":
    sys.exit(main())
