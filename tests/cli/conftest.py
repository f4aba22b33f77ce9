"""The command line as users start it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from penstock.cli import main as main_module
from penstock.tests.checkout import SOURCES

from ..readers.conftest import web as web

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def environment():
    """Variables with which a Python process finds this Penstock and `odd_jobs`."""
    path = os.pathsep.join([str(SOURCES), str(HERE)])
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
            **{"env": environment} | options,
        )

    return run


@pytest.fixture
def odd_jobs(monkeypatch):
    """The name of a module whose jobs go wrong, importable by children."""
    monkeypatch.syspath_prepend(str(HERE))
    return "odd_jobs"


@dataclass(frozen=True)
class Result:
    """What came of a command: exit status, standard output and standard error."""

    status: int
    output: str
    errors: str


@pytest.fixture
def penstock_in_process(capsys):
    """Run `penstock` with arguments in this process, which takes no second to start."""

    def run(*arguments):
        capsys.readouterr()
        status = main_module.run(list(map(str, arguments)))
        return Result(status, *capsys.readouterr())

    return run


PIPELINES = '''
import numpy as np
from penstock import Pipeline, fn, pipeline_def

def scene(info):
    """An image with two boxes, their classes and a mask, a number and a text."""
    image = np.full((40, 60, 3), 200, np.uint8)
    mask = np.zeros((40, 60), np.int32)
    mask[10:20, 10:30] = 1
    boxes = np.array([[10, 10, 30, 20], [40, 5, 55, 35]], np.float32)
    name = np.frombuffer(f"scene {info.idx_in_epoch}".encode(), np.uint8)
    return image, mask, boxes, np.array([1, 7]), np.int64(info.idx_in_epoch), name

@pipeline_def(batch_size=4, num_threads=2, seed=1)
def scenes():
    return tuple(fn.external_source(
        source=scene, num_outputs=6, batch=False, layout=["HWC", "HW", "", "", "", ""]))

@pipeline_def(num_threads=2, seed=1)
def photos(folder, side=32):
    encoded, labels = fn.readers.file(file_root=folder)
    return fn.resize(fn.decoders.image(encoded), size=(side, side)), labels

@pipeline_def(batch_size=2, num_threads=1)
def failing():
    return fn.external_source(source=lambda i: np.zeros(1 // (i.idx_in_epoch - 1)), batch=False)

@pipeline_def(batch_size=2, num_threads=1)
def wrong():
    return fn.resize(undefined_name)

ready = Pipeline(batch_size=3, num_threads=1)
with ready:
    ready.set_outputs(fn.random.coin_flip(probability=1.0))

def helper():
    return 1
'''


@pytest.fixture
def pipelines(tmp_path, monkeypatch):
    """A Python file with pipelines, which no other test has imported."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    path = tmp_path / "my_pipelines.py"
    path.write_text(PIPELINES)
    yield path
    for name in set(sys.modules) - before:
        if name.startswith("my_pipelines"):
            del sys.modules[name]


@pytest.fixture(scope="session")
def class_folders(tmp_path_factory):
    """Two class folders with three small JPEG images each."""
    root = tmp_path_factory.mktemp("class_folders")
    for number, name in enumerate(("cats", "dogs")):
        (root / name).mkdir()
        for i in range(3):
            pixels = np.full((48, 64, 3), 60 * i + 100 * number, np.uint8)
            cv2.imwrite(str(root / name / f"{i}.jpg"), pixels)
    return root
