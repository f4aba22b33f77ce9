"""Which threads hold the GIL, as py-spy sees them from outside."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

LOOKS = 100
"""Samples a second. More of them slow the threads down, which py-spy stops for each."""

_SET_PTRACER = 0x59616D61  # PR_SET_PTRACER


def py_spy() -> str | None:
    """Return the path of py-spy, if it is installed."""
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    return shutil.which("py-spy", path=os.pathsep.join(folders))


def held(work: Callable[[], object], seconds: int) -> dict[str, float]:
    """Return the part of the time for which threads hold the GIL, by their names.

    Args:
        work: called again and again while py-spy looks.
        seconds: for which py-spy looks.

    Raises:
        RuntimeError: py-spy failed.
    """
    ctypes.CDLL(None).prctl(_SET_PTRACER, ctypes.c_ulong(-1))  # lets py-spy trace this process
    with tempfile.TemporaryDirectory() as temporary:
        stacks = Path(temporary) / "stacks"
        command = [str(py_spy()), "record", "--gil", "--threads", "--format", "raw"]
        command += ["--output", str(stacks), "--rate", str(LOOKS), "--duration", str(seconds)]
        spy = subprocess.Popen(
            [*command, "--pid", str(os.getpid())], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        while spy.poll() is None:
            work()
        if spy.returncode:
            raise RuntimeError(f"py-spy failed: {spy.communicate()[0].decode()}")
        lines = stacks.read_text().splitlines()
    samples: Counter[str] = Counter()
    for line in lines:
        stack, _, count = line.rpartition(" ")
        samples[stack.partition(";")[0].rpartition(": ")[2]] += int(count)
    return {name: count / (LOOKS * seconds) for name, count in samples.most_common()}
