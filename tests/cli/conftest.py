"""The command line as users start it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import penstock

HERE = Path(__file__).resolve().parent
PACKAGE = Path(penstock.__file__).resolve().parent


@pytest.fixture(scope="session")
def environment():
    """Variables with which a Python process finds this Penstock and `odd_jobs`."""
    path = os.pathsep.join([str(PACKAGE.parent), str(HERE)])
    return {**os.environ, "PYTHONPATH": path, "COLUMNS": "90"}


@pytest.fixture(scope="session")
def command():
    """What starts Penstock. Background processes ignore Ctrl-C, also what they start."""
    start = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from penstock.cli.main import main; sys.exit(main())"
    )
    return [sys.executable, "-c", start]


@pytest.fixture(scope="session")
def run(command, environment):
    """Run `penstock` with arguments and return what came of it."""

    def run(*arguments, **options):
        return subprocess.run(
            [*command, *map(str, arguments)],
            capture_output=True,
            text=True,
            env=environment,
            **options,
        )

    return run


@pytest.fixture
def odd_jobs(monkeypatch):
    """The name of a module whose jobs go wrong, importable by children."""
    monkeypatch.syspath_prepend(str(HERE))
    return "odd_jobs"
