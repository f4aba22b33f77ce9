"""An interrupt at a random statement of a pipeline's start, run and end.

The hook of `sys.settrace` counts the statements of Penstock in the main thread, and raises
KeyboardInterrupt at one of them. After `close()`, no thread, process or descriptor may be left.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import penstock
from penstock import Pipeline, fn
from penstock.tests.checkout import PACKAGE

from ...tracing import leaves_with
from .reader_settings import make_files

HOME = str(PACKAGE)


class Interrupter:
    """Counts statements; raises KeyboardInterrupt at number `at`, never if `at` is -1."""

    def __init__(self, at: int) -> None:
        self.count = 0
        self._at = at

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        path = frame.f_code.co_filename
        if not path.startswith(HOME) or os.sep + "tests" + os.sep in path:
            return None
        if event == "line" and not leaves_with(frame):
            self.count += 1
            if self.count - 1 == self._at:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self


def case(seed: int) -> None:
    """Interrupt one run of a small pipeline."""
    random = Random(seed)
    files = make_files(24)
    processes = random.random() < 0.1
    total = statements(files, -1, processes)
    statements(files, random.randrange(total), processes)


def statements(files: list[str], at: int, processes: bool) -> int:
    """Start, run and end a pipeline, interrupted at a statement; return their number."""
    pipeline = Pipeline(4, num_threads=2, seed=1, exec_processes=processes or None)
    with pipeline:
        encoded, labels = fn.readers.file(files=files, random_shuffle=True)
        pipeline.set_outputs(fn.cast(encoded, dtype=penstock.types.FLOAT), labels)
    hook = Interrupter(at)
    sys.settrace(hook)
    try:
        pipeline.build()
        for _ in range(3):
            pipeline.run()
        pipeline.close()
    except KeyboardInterrupt:
        assert at >= 0
    finally:
        sys.settrace(None)
        pipeline.close()
    Path("log").touch()
    return hook.count
