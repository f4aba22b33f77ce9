"""Programs that tests run in new interpreters, which import this checkout alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from penstock.tests.checkout import ROOT, SOURCES


def output_of(program: str, folder: Path = ROOT.parent) -> str:
    """Return what a program prints that starts in a folder; its warnings are errors."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(SOURCES), "PATH": ""},
        check=False,
    )
    assert not result.returncode, result.stderr
    return result.stdout
