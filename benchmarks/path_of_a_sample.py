"""How many files and functions one warm batch of one walks through, counted in all threads.

The pipeline is that of training: file, image decoder, resize, crop_mirror_normalize with a
coin flip. Only functions of this package count. A move is a call from one file into another.

    python benchmarks/path_of_a_sample.py [--trace]

`--trace` prints each call, indented by its depth, thread by thread.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import cv2
import numpy as np

import penstock
from penstock import Pipeline, fn, pipeline_def

ROOT = str(Path(penstock.__file__).parent)
"""Folder of the package that is imported, which need not be this checkout."""

GOAL_FILES, GOAL_MOVES, GOAL_DEPTH = 33, 85, 16
"""What one batch of one should walk through at most."""

WARM_UP_BATCHES = 20


@dataclass(frozen=True)
class Call:
    """One call of a function of this package.

    Attributes:
        thread: name of the thread.
        depth: number of calls of this package that are under way in that thread.
        file, function: that are called.
        caller: file of the nearest caller in this package; "" if there is none.
    """

    thread: str
    depth: int
    file: str
    function: str
    caller: str


@dataclass
class Recorder:
    """Records calls in all threads that start after it was installed, while `active`."""

    active: bool = False
    calls: list[Call] = field(default_factory=list)

    def install(self) -> None:
        """Watch this thread and all threads to come."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def remove(self) -> None:
        """Watch no more threads, and not this one."""
        threading.setprofile(None)
        sys.setprofile(None)

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        if not self.active or event != "call" or not _is_ours(frame):
            return
        callers = list(_callers(frame))
        code = frame.f_code
        caller = callers[0].f_code.co_filename if callers else ""
        name = threading.current_thread().name
        self.calls.append(Call(name, len(callers), code.co_filename, code.co_qualname, caller))


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_code.co_filename
    return name.startswith(ROOT) and name != __file__ and "site-packages" not in name


def _callers(frame: FrameType) -> Any:
    above = frame.f_back
    while above is not None:
        if _is_ours(above):
            yield above
        above = above.f_back


@pipeline_def(
    batch_size=1, num_threads=1, exec_pipelined=False, prefetch_queue_depth=1, exec_processes=False
)
def training(files: list[str]) -> Any:
    """Define the CPU training pipeline."""
    # Depth 0 reads every batch alone: the batch that is counted has its own read.
    encoded, label = fn.readers.file(files=files, random_shuffle=True, prefetch_queue_depth=0)
    image = fn.decoders.image(encoded)
    image = fn.resize(image, resize_x=224, resize_y=224)
    image = fn.crop_mirror_normalize(
        image, crop=(200, 200), mean=[1.0, 2.0, 3.0], std=[4.0, 5.0, 6.0],
        mirror=fn.random.coin_flip(),
    )  # fmt: skip
    return image, label


def record(pipeline: Pipeline) -> list[Call]:
    """Return the calls that one warm batch takes."""
    recorder = Recorder()
    recorder.install()
    try:
        with pipeline:
            for _ in range(WARM_UP_BATCHES):
                pipeline.run()
            recorder.active = True
            pipeline.run()
            recorder.active = False
    finally:
        recorder.remove()
    return recorder.calls


def photographs(folder: Path, count: int = 64) -> list[str]:
    """Write photographs of noise; return their paths."""
    paths = [str(folder / f"{i}.jpg") for i in range(count)]
    for i, path in enumerate(paths):
        cv2.imwrite(path, np.random.default_rng(i).integers(0, 256, (300, 400, 3), np.uint8))
    return paths


def report(title: str, calls: list[Call]) -> str:
    """Return one line that sums up calls."""
    moves = sum(call.caller not in ("", call.file) for call in calls)
    files = {call.file for call in calls}
    functions = {(call.file, call.function) for call in calls}
    depth = max((call.depth for call in calls), default=0)
    return (
        f"{title:<20} {len(files):>3} files, {len(functions):>3} functions, {len(calls):>3} calls, "
        f"{moves:>3} moves, depth {depth}"
    )


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trace", action="store_true")
    with tempfile.TemporaryDirectory() as folder:
        calls = record(training(photographs(Path(folder))))
    if not calls:
        sys.exit(f"no call of {ROOT} was recorded")
    print(report("one batch of one", calls))
    print(f"{'goal':<20} {GOAL_FILES:>3} files, {GOAL_MOVES} moves, depth {GOAL_DEPTH}")
    for thread in sorted({call.thread for call in calls}):
        own = [call for call in calls if call.thread == thread]
        print(report(thread, own))
        if parser.parse_args().trace:
            for call in own:
                print(f"{'  ' * call.depth}{call.function}  {call.file.removeprefix(ROOT)[1:]}")
    if parser.parse_args().trace:
        print(Counter(call.file.removeprefix(ROOT)[1:] for call in calls).most_common())


if __name__ == "__main__":
    main()
