"""Programs of other loaders, each in a virtual environment that `make peers` makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ENVIRONMENTS = Path(__file__).resolve().parent.parent / ".venv" / "peers"


def run(peer: str, program: str, *arguments: object) -> str:
    """Return what a Python program prints in the environment of a peer; skip without it."""
    python = ENVIRONMENTS / peer / "bin" / "python"
    if not python.exists():
        pytest.skip(f"`make peers` installs {peer}")
    command = [str(python), "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
