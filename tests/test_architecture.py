"""Imports point one way, and `import penstock` asks for nothing that is not there."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

import penstock
from penstock.engine.graph.operator import OPERATORS

from .interpreters import output_of

ROOT = Path(penstock.__file__).resolve().parent
GROUND = {"engine", "geometry", "formats", "signals"}  # what readers, decoders and operators share
PACKAGES = GROUND | {"readers", "decoders", "operators", "plugin", "datasets", "cli"}
# What each part of the package may import of the others.
MAY_IMPORT = {
    "engine": set(),
    "geometry": {"engine"},
    "formats": {"engine"},
    "signals": {"engine"},
    "readers": GROUND,
    "decoders": GROUND,
    "operators": GROUND,
    "plugin": {"engine"},
    "fn": {"engine"},
    "ops": {"engine", "fn"},
    "extend": {"engine", "readers", "decoders", "operators", "plugin"},
    "tfrecord": {"engine", "readers"},
    "datasets": GROUND | {"readers", "decoders"},
    "cli": PACKAGES | {"fn", "ops", "__init__", "__version__"},
    "__init__": PACKAGES | {"extend", "fn", "ops", "tfrecord"},
    "__main__": {"cli"},
}
# The rooms of the engine: each imports only those before it.
ROOMS = (
    "printable",
    "errors",
    "suggestions",
    "pending",
    "threads",
    "order",
    "tensors",
    "gpu",
    "graph",
    "types",
    "work",
    "processes",
    "run",
)
# What the parts above may import of the engine: not the work, and not the threads that do it.
OPEN_ROOMS = {
    "printable",
    "errors",
    "suggestions",
    "pending",
    "threads",
    "order",
    "tensors",
    "gpu",
    "graph",
}
OPEN_ROOMS |= {"types"}
ALSO_OPEN = {
    "readers": {"processes"},  # the reading process is a helper process
    "decoders": {"processes"},  # so is the one that decodes what the GPU does not
    "datasets": {"processes"},  # conversions in child processes
    "plugin": {"run"},  # iterators run pipelines
    "__init__": {"run"},
    "cli": {"run"},
}
# Operators that one part adds to a graph by name, and another part defines.
BY_NAME = {
    "engine": {"_arithmetic", "_indices", "_subscript", "get_property", "shapes"},
    "readers": {
        "_decode_clip",
        "_decode_clip_sound",
        "_decode_sequence",
        "_decode_utterance",
        "resize",
    },
    "decoders": {"cast"},
    "plugin": {"_jax_function", "_numba_function", "_torch_python_function"},
}
FILES = sorted(
    path
    for part in MAY_IMPORT
    for path in (ROOT.glob(f"{part}.py") if part not in PACKAGES else (ROOT / part).rglob("*.py"))
)


EDGES_INTO = set(FILES)


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


def own_imports(path):
    """Yield (part, room or None) of each import of our own."""
    parents = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = parents[: len(parents) - (node.level - 1)]
            target = (*above, *(node.module or "").split(".")) if node.module else above
            names = [target] if len(target) > 1 else [(*target, alias.name) for alias in node.names]
            for part, *room in names:
                yield part, room[0] if room else None


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path):
    part = part_of(path)
    for absolute, own in imports(path):
        if absolute is not None:
            assert absolute.split(".")[0] != "penstock", f"{absolute}: own imports are relative"
        else:
            assert own == part or own in MAY_IMPORT[part], f"{part} must not import {own}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_engine_s_rooms_stand_one_above_the_other(path):
    part, *rest = path.relative_to(ROOT).with_suffix("").parts
    if part == "engine" and rest == ["__init__"]:
        return
    for other, room in own_imports(path):
        if other == "engine" and part == "engine":
            assert ROOMS.index(room) <= ROOMS.index(rest[0]), f"{rest[0]} must not import {room}"
        elif other == "engine":
            assert room in OPEN_ROOMS | ALSO_OPEN.get(part, set()), f"{part} must not import {room}"


def test_every_room_is_listed():
    rooms = {p.stem for p in (ROOT / "engine").iterdir() if p.suffix == ".py" or p.is_dir()}
    assert rooms - {"__init__", "__pycache__"} == set(ROOMS)


def test_operators_that_are_added_by_name_are_defined():
    found = {}
    for path in FILES:
        names = re.findall(
            r"""(?:OPERATORS\[|_apply\()"(\w+)\"""", path.read_text(encoding="utf-8")
        )
        if names:
            found.setdefault(part_of(path), set()).update(names)
    assert found == BY_NAME
    assert {name for names in BY_NAME.values() for name in names} <= set(OPERATORS)


def test_no_files_import_one_another():
    edges = {path: set(imported_files(path)) for path in FILES}
    done, under_way = set(), []

    def visit(path):
        if path in under_way:
            circle = [str(p.relative_to(ROOT)) for p in under_way[under_way.index(path) :]]
            raise AssertionError(f"these files import one another: {circle}")
        if path in done:
            return
        under_way.append(path)
        for other in sorted(edges[path]):
            visit(other)
        under_way.pop()
        done.add(path)

    for path in FILES:
        visit(path)


def imported_files(path):
    """Yield the files of our own that a file imports, also within functions and for types."""
    parents = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        above = ROOT.joinpath(*parents[: len(parents) - (node.level - 1)])
        target = above.joinpath(*(node.module or "").split(".")) if node.module else above
        for alias in node.names:
            names = (target / f"{alias.name}.py", target / alias.name / "__init__.py")
            files = (*names, target.with_suffix(".py"), target / "__init__.py")
            found = next((file for file in files if file.is_file()), None)
            if found in EDGES_INTO and found != path:
                yield found


def test_type_names_are_unique():
    defined = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and part_of(path) != "plugin":
                defined.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: where for name, where in defined.items() if len(where) > 1} == {}


def test_every_package_is_in_the_wheel():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = set(listed["tool"]["setuptools"]["packages"])
    folders = {path.parent.relative_to(ROOT) for path in FILES}
    folders |= {p.parent.relative_to(ROOT) for p in ROOT.glob("*/kernels/*.cu")}
    assert packages == {".".join(("penstock", *folder.parts)) for folder in folders}


def test_every_kernel_is_in_the_wheel():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = listed["tool"]["setuptools"]["package-data"]
    sources = [*ROOT.glob("*/kernels/*.cu"), *ROOT.glob("*/kernels/*.cuh")]
    for path in sources:
        patterns = shipped[".".join(("penstock", *path.parent.relative_to(ROOT).parts))]
        assert any(path.match(pattern) for pattern in patterns), f"{path} is not packaged"


@pytest.mark.parametrize("part", sorted(PACKAGES))
def test_nine_of_ten_modules_have_a_test_file_of_their_name(part):
    modules = [path for path in FILES if part_of(path) == part and path.stem[0] != "_"]
    missing = [
        str(path.relative_to(ROOT))
        for path in modules
        if not any(file.is_file() for file in files_of_tests(path))
    ]
    assert len(missing) <= len(modules) / 10, f"these modules have no test file: {missing}"


def files_of_tests(path):
    """Yield the files that may test a module: on the CPU, and the GPU half."""
    folder = path.relative_to(ROOT).parent
    for top in ("tests", "tests/gpu"):
        yield ROOT / top / folder / f"test_{path.stem}.py"


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


OPTIONAL = (
    "torch cupy jax tensorflow kvikio nvidia PIL scipy hypothesis av astropy fsspec typer "
    "imagecodecs tifffile"
)
# What only some programs need, or only once they run: imported then, for `import` to stay short.
LATER = (
    "asyncio concurrent.futures decimal difflib fractions hashlib logging secrets shutil socket "
    "subprocess tempfile urllib.request zipfile penstock.decoders.audio.mixed "
    "penstock.engine.processes.child_process penstock.engine.run.executor "
    "penstock.formats.coco.instances penstock.readers.fits.source penstock.readers.lmdb.files"
)
# What the further processes of a pipeline need not import.
OPERATORS_ALONE = "cv2 simplejpeg penstock.decoders.image.table penstock.readers.table"


@pytest.mark.parametrize(
    ("program", "names"),
    [
        ("penstock; dir(penstock.fn)", OPTIONAL),
        ("penstock; dir(penstock.fn)", LATER),
        ("penstock", OPERATORS_ALONE),
        ("penstock.datasets.engines.converting_child", "cv2 simplejpeg soundfile av lmdb"),
    ],
)
def test_import_needs_neither_optional_libraries_nor_what_is_needed_later(program, names):
    script = f"import sys, {program}; print(sorted(set({names.split()}) & set(sys.modules)))"
    assert output_of(script) == "[]\n"


def test_types_is_a_module_of_its_own_name():
    script = "import penstock.types, types; from penstock import types as t; print(t.FLOAT.name)"
    in_a_checkout = output_of(script, ROOT)  # whose root on the path breaks nothing
    assert in_a_checkout == "FLOAT\n"


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
        "extend",
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
