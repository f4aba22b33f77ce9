"""Imports point one way, and `import penstock` asks for nothing that is not there."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import penstock

ROOT = Path(penstock.__file__).resolve().parent
PACKAGES = {
    "engine",
    "readers",
    "decoders",
    "operators",
    "plugin",
    "datasets",
    "cli",
}
# What each part of the package may import of the others.
MAY_IMPORT = {
    "engine": set(),
    "readers": {"engine"},
    "decoders": {"engine"},
    "operators": {"engine"},
    "plugin": {"engine"},
    "fn": {"engine", "readers", "decoders", "operators"},
    "ops": {"engine", "fn"},
    "tfrecord": {"engine", "readers"},
    "datasets": {"engine", "readers"},
    "cli": PACKAGES | {"fn", "ops", "__init__", "__version__"},
    "__init__": PACKAGES | {"fn", "ops", "tfrecord"},
    "__main__": {"cli"},
}
FILES = sorted(
    path
    for part in MAY_IMPORT
    for path in (ROOT.glob(f"{part}.py") if part not in PACKAGES else (ROOT / part).rglob("*.py"))
)


def part_of(path):
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def imports(path):
    """Yield (absolute module or None, parts of the package) of each import statement."""
    parents = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, None
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module, None
        elif isinstance(node, ast.ImportFrom):
            above = parents[: len(parents) - (node.level - 1)]
            target = (*above, *(node.module or "").split(".")) if node.module else above
            for name in [target[0]] if target else [alias.name for alias in node.names]:
                yield None, name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path):
    part = part_of(path)
    for absolute, own in imports(path):
        if absolute is not None:
            assert absolute.split(".")[0] != "penstock", f"{absolute}: own imports are relative"
        else:
            assert own == part or own in MAY_IMPORT[part], f"{part} must not import {own}"


def test_every_part_is_looked_at():
    assert {part_of(path) for path in FILES} >= {
        "engine",
        "readers",
        "decoders",
        "fn",
        "ops",
        "cli",
    }
    assert {path.stem for path in ROOT.glob("*.py")} <= set(MAY_IMPORT)
    strangers = {p.name for p in ROOT.iterdir() if (p / "__init__.py").is_file()} - PACKAGES
    assert strangers == set()


def test_no_module_at_the_root_shadows_the_standard_library():
    names = {path.name.removesuffix(".py") for path in ROOT.iterdir()} - {"__init__"}
    assert names & set(sys.stdlib_module_names) == set()


def test_import_needs_no_optional_library():
    heavy = ["torch", "cupy", "jax", "tensorflow", "kvikio", "nvidia", "PIL", "scipy", "hypothesis"]
    script = f"import sys, penstock; print(sorted(set({heavy}) & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=ROOT.parent,
        env={"PYTHONPATH": str(ROOT.parent), "PATH": ""},
        check=True,
    )
    assert result.stdout == "[]\n"


def test_types_is_a_module_of_its_own_name():
    script = "import penstock.types, types; from penstock import types as t; print(t.FLOAT.name)"
    result = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=ROOT,  # the root of a checkout on the path breaks nothing
        env={"PYTHONPATH": str(ROOT.parent), "PATH": ""},
        check=True,
    )
    assert result.stdout == "FLOAT\n"


def test_what_is_public():
    assert penstock.__all__ == [
        "ArgumentError",
        "CheckpointError",
        "DataNode",
        "DecodeError",
        "MissingDependencyError",
        "PenstockError",
        "Pipeline",
        "PipelineStopped",
        "SourceError",
        "WorkerError",
        "__version__",
        "backend",
        "data_node",
        "fn",
        "math",
        "newaxis",
        "ops",
        "pipeline",
        "pipeline_def",
        "tensors",
        "tfrecord",
        "types",
    ]
    assert all(hasattr(penstock, name) for name in penstock.__all__)
    for module in (penstock.fn, penstock.ops):
        assert all(hasattr(module, name) for name in module.__all__)
