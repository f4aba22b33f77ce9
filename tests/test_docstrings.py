"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib

import pytest

from penstock.tests.checkout import ROOT

PARTS = [
    "auto_aug",
    "engine",
    "formats",
    "geometry",
    "signals",
    "readers",
    "composite",
    "decoders",
    "operators",
    "experimental",
    "plugin",
    "datasets",
    "cli",
    "testing",
]

MAY_MISS = {"torch", "clu", "cupy", "jax", "pandas", "ray", "tensorflow"}


def modules_with_examples():
    paths = [*ROOT.glob("*.py"), *(p for part in PARTS for p in (ROOT / part).rglob("*.py"))]
    for path in sorted(paths):
        if ">>> " not in path.read_text(encoding="utf-8"):
            continue
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(["penstock", *(part for part in parts if part != "__init__")])


@pytest.mark.slow
@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_examples_run(name, tmp_path, monkeypatch):
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if (error.name or "").split(".")[0] in MAY_MISS:
            pytest.skip(f"{error.name} is not installed")
        raise
    monkeypatch.chdir(tmp_path)  # what an example writes
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    found = [
        test
        for name in ("penstock.engine.pipeline.definition", "penstock.engine.order.permutation")
        for test in finder.find(importlib.import_module(name))
        if test.examples
    ]
    assert found
