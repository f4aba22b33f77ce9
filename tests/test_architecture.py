"""Imports point one way, and `import penstock` asks for nothing that is not there."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import penstock
from penstock.engine.graph.operator import OPERATORS
from penstock.tests.checkout import PACKAGE, ROOT

from .interpreters import output_of

GROUND = {"engine", "geometry", "formats", "signals"}  # what readers, decoders and operators share
PARTS = {"readers", "decoders", "operators"}  # of which composite operators consist
PACKAGES = GROUND | PARTS
PACKAGES |= {"auto_aug", "composite", "experimental", "plugin", "datasets", "serving"}
PACKAGES |= {"cli", "testing"}
# What each part of the package may import of the others.
MAY_IMPORT = {
    "engine": set(),
    "geometry": {"engine"},
    "formats": {"engine"},
    "signals": {"engine"},
    "readers": GROUND,
    "decoders": GROUND,
    "operators": GROUND,
    "composite": GROUND | PARTS,
    "auto_aug": {"engine", "operators", "fn"},
    "experimental": {"engine", "operators", "fn"},
    "plugin": {"engine", "datasets"},
    "fn": {"engine"},
    "ops": {"engine", "fn"},
    "extend": GROUND - {"signals"} | PARTS | {"plugin", "datasets"},
    "tfrecord": {"readers"},
    "datasets": GROUND | {"readers", "decoders"},
    "testing": {"engine", "readers", "decoders", "datasets", "plugin", "fn"},
    "serving": {"engine", "__version__"},
    "cli": GROUND | PARTS | {"datasets", "serving", "__version__"},
    "__init__": PACKAGES - {"testing"} | {"extend", "fn", "ops", "tfrecord"},
    "__main__": {"cli"},
}
# The rooms of the engine: each imports only those before it.
ROOMS = (
    "arrays",
    "printable",
    "errors",
    "suggestions",
    "pending",
    "machine",
    "threads",
    "closing",
    "uninterrupted",
    "control",
    "ranks",
    "order",
    "tensors",
    "gpu",
    "graph",
    "conditions",
    "types",
    "backend",
    "work",
    "processes",
    "run",
    "eager",
    "pipeline",
)
# What the parts above may import of the engine: not the work, and not the threads that do it.
OPEN_ROOMS = {
    "printable",
    "errors",
    "suggestions",
    "pending",
    "machine",
    "threads",
    "control",
    "ranks",
    "order",
    "tensors",
    "gpu",
    "graph",
    "conditions",
}
OPEN_ROOMS |= {"arrays", "closing", "types", "backend"}
ALSO_OPEN = {
    "readers": {"processes"},  # the reading process is a helper process
    "decoders": {"processes"},  # so is the one that decodes what the GPU does not
    "datasets": {"processes"},  # conversions in child processes
    "plugin": {"run", "pipeline"},  # iterators run pipelines
    "experimental": {"run", "eager", "pipeline"},  # operators run at once
    "__init__": {"run", "pipeline"},
    "serving": {"run", "pipeline"},  # servers run pipelines
    "cli": {"run", "pipeline"},
    "testing": {"work", "run", "eager", "pipeline"},  # a batch and its device, and what runs them
}
# Operators that one part adds to a graph by name, and another part defines.
BY_NAME = {
    "engine": {"_arithmetic", "_indices", "_subscript", "get_property", "shapes"},
    "plugin": {"_jax_function", "_numba_function", "_torch_python_function"},
}
FILES = sorted(
    path
    for part in MAY_IMPORT
    for path in (*(PACKAGE / part).rglob("*.py"), PACKAGE / f"{part}.py")
    if path.is_file()
)


EDGES_INTO = set(FILES)


def part_of(path):
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@cache
def statements(path):
    """Return the import statements and the classes of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kept = (ast.Import, ast.ImportFrom, ast.ClassDef)
    return [node for node in ast.walk(tree) if isinstance(node, kept)]


def imports(path):
    """Yield (absolute module or None, parts of the package) of each import statement."""
    parents = path.relative_to(PACKAGE).parts[:-1]
    for node in statements(path):
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
    parents = path.relative_to(PACKAGE).parts[:-1]
    for node in statements(path):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = parents[: len(parents) - (node.level - 1)]
            target = (*above, *(node.module or "").split(".")) if node.module else above
            names = [target] if len(target) > 1 else [(*target, alias.name) for alias in node.names]
            for part, *room in names:
                yield part, room[0] if room else None


@pytest.mark.slow
def test_own_imports_are_relative():
    absolute = [
        (str(path.relative_to(PACKAGE)), module)
        for path in FILES
        for module, _ in imports(path)
        if module is not None and module.split(".")[0] == "penstock"
    ]
    assert absolute == []


@pytest.mark.slow
def test_imports_point_one_way():
    wrong = [
        f"{path.relative_to(PACKAGE)} must not import {own}"
        for path in FILES
        for absolute, own in imports(path)
        if absolute is None and own not in MAY_IMPORT[part_of(path)] | {part_of(path)}
    ]
    assert wrong == []


def test_the_page_says_who_may_import_whom():
    """A row of the table of docs/architecture.md lists what the parts of the row may import."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    above, parts_of_page = set(), set()
    for names, rule in re.findall(r"^\| (`[^|]+) \|[^|]*\| ([^|]*) \|$", page, re.M):
        parts = {name.rstrip("/").removesuffix(".py") for name in re.findall(r"`([^`]+)`", names)}
        parts = {name.replace("data_sets", "datasets") for name in parts}
        listed = set(re.findall(r"`(\w+)`", rule)) | (above if "the same" in rule else set())
        if listed and not rule.startswith("itself"):
            allowed = set().union(*(MAY_IMPORT[part] for part in parts))
            assert listed == {name for name in allowed - parts if "__" not in name}, names
        above = listed
        parts_of_page |= parts
    assert parts_of_page == {part for part in MAY_IMPORT if "__" not in part}


def test_the_engine_s_rooms_stand_one_above_the_other():
    wrong = [
        f"{path.relative_to(PACKAGE)} must not import {room}"
        for path in FILES
        if path != PACKAGE / "engine/__init__.py"
        for other, room in own_imports(path)
        if other == "engine" and room not in rooms_open_to(path)
    ]
    assert wrong == []


def rooms_open_to(path):
    """Return the rooms of the engine that a file may import."""
    part, *rest = path.relative_to(PACKAGE).with_suffix("").parts
    if part == "engine":
        return ROOMS[: ROOMS.index(rest[0]) + 1]
    return OPEN_ROOMS | ALSO_OPEN.get(part, set())


def test_every_room_is_listed():
    rooms = {p.stem for p in (PACKAGE / "engine").iterdir() if p.suffix == ".py" or p.is_dir()}
    assert rooms - {"__init__", "__pycache__"} == set(ROOMS)


def modules_in(room):
    """Return the names of the modules and packages beside an `__init__.py`."""
    stems = {
        path.stem
        for path in room.parent.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    return stems - {"__init__"}


@pytest.mark.parametrize("room", sorted((PACKAGE / "engine").rglob("__init__.py")), ids=str)
def test_the_engine_s_rooms_list_their_modules(room):
    docstring = ast.get_docstring(ast.parse(room.read_text(encoding="utf-8")))
    listed = re.findall(r"^ *(\w+) {2,}\S", docstring, re.M)
    assert sorted(listed) == sorted(modules_in(room))


@pytest.mark.parametrize(
    "room",
    [path for path in FILES if path.name == "__init__.py"],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_a_room_that_lists_its_modules_lists_all(room):
    """A docstring that names more than half of the modules beside it is a list, or a map."""
    docstring = ast.get_docstring(ast.parse(room.read_text(encoding="utf-8"))) or ""
    modules = modules_in(room)
    missing = {name for name in modules if not re.search(rf"\b{name}\b", docstring)}
    assert not missing or 2 * len(missing) >= len(modules)
    heads = re.findall(r"^(\w+)/? {2,}\S", docstring, re.M)
    strangers = [name for name in heads if name not in modules]
    assert not strangers or 2 * len(strangers) >= len(heads)


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
            circle = [str(p.relative_to(PACKAGE)) for p in under_way[under_way.index(path) :]]
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
    parents = path.relative_to(PACKAGE).parts[:-1]
    for node in statements(path):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        above = PACKAGE.joinpath(*parents[: len(parents) - (node.level - 1)])
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
        for node in statements(path):
            # Frameworks give the names of classes in these parts.
            if isinstance(node, ast.ClassDef) and part_of(path) not in {"plugin", "experimental"}:
                defined.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: where for name, where in defined.items() if len(where) > 1} == {}


def test_every_folder_of_the_package_is_at_the_root():
    links = {path.name: path.readlink() for path in PACKAGE.iterdir() if path.is_symlink()}
    apart = {
        name: Path("../..") / name
        for name in ("benchmarks", "docs", "examples", "fixtures", "tests")
    }
    assert links == apart | {
        name: Path("../..") / ("data_sets" if name == "datasets" else name) for name in PACKAGES
    }


def test_every_kernel_is_in_the_wheel():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = listed["tool"]["setuptools"]["package-data"]
    assert {"*.cu", "*.cuh"} <= set(shipped["*"])
    packages = {path.parent for path in FILES}
    sources = [path for folder in packages for path in folder.glob("*.cu*")]
    assert {path.suffix for path in sources} == {".cu", ".cuh"}
    assert len(sources) == len(list(ROOT.glob("[a-z]*/**/*.cu*")))


def test_the_emulator_s_header_is_in_the_wheel():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    headers = {path.name for path in PACKAGE.glob("testing/*.h")}
    assert headers == {"emulator.h"}
    assert listed["tool"]["setuptools"]["package-data"]["penstock.testing"] == ["*.h"]


def test_every_module_belongs_to_a_concept_that_has_tests():
    """Tests name a module, or a module of the same part that imports it; tables do not count."""
    tested = {path for path in FILES if path.stem[0] == "_" or is_named(path)}
    helpers = {
        helper
        for path in tested
        for helper in (*imported_files(path), *started_files(path))
        if part_of(helper) == part_of(path) and path.stem != "table"
    }
    alone = [str(path.relative_to(PACKAGE)) for path in sorted({*FILES} - tested - helpers)]
    assert alone == []


def is_named(path):
    """Return whether tests name a module, or the roll-call of operators does.

    Tests name a module by importing it, or by a file with its name, or with the first words of it:
    `test_bmp.py` for `bmp_decode.py`.
    """
    words = path.stem.split("_")
    files = {"_".join(["test", *words[: i + 1]]) for i in range(len(words))}
    module = ".".join(("penstock", *path.relative_to(PACKAGE).with_suffix("").parts))
    stems, imported = names_in_tests()
    operators = {kind.__module__ for kind in OPERATORS.values()}
    return bool(files & stems) or module in imported | operators


@cache
def names_in_tests():
    """Return the names of all test files, and of all modules that these import."""
    paths = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "tests").rglob("conftest.py")]
    statement = re.compile(r"^ *from (penstock[.\w]*) import (\([^)]*\)|.*)", re.M)
    imported = set()
    for path in paths:
        for module, names in statement.findall(path.read_text(encoding="utf-8")):
            imported |= {module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))}
    return {path.stem for path in paths}, imported


def started_files(path):
    """Yield the programs of child processes, which are modules that others name in a string."""
    text = path.read_text(encoding="utf-8")
    return (child for child in path.parent.glob("*_child.py") if child.stem in text)


def test_every_part_is_looked_at():
    assert {part_of(path) for path in FILES} >= {
        "engine",
        "readers",
        "decoders",
        "fn",
        "ops",
        "cli",
    }
    modules = {path.stem for path in PACKAGE.glob("*.py")}
    modules |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert modules == set(MAY_IMPORT)


def test_no_folder_of_the_root_shadows_a_library():
    """Who starts Python in the root, or `python -m pytest`, has the root on the path."""
    names = {path.name.removesuffix(".py") for path in ROOT.iterdir()}
    assert names & {*sys.stdlib_module_names, *packages_distributions()} <= {"tests"}


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "names"),
    [
        ("penstock; dir(penstock.fn)", OPTIONAL),
        ("penstock; dir(penstock.fn)", LATER),
        ("penstock", OPERATORS_ALONE),
        (
            "penstock.datasets.conversion.engines.converting_child",
            "cv2 simplejpeg soundfile av lmdb",
        ),
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
        "LayoutError",
        "MissingDependencyError",
        "OperatorConcurrency",
        "PenstockError",
        "Pipeline",
        "PipelineConfig",
        "PipelineStopped",
        "SerializationError",
        "SourceError",
        "StreamPolicy",
        "WorkerError",
        "__version__",
        "auto_aug",
        "backend",
        "backend_impl",
        "data_node",
        "extend",
        "fn",
        "math",
        "newaxis",
        "ops",
        "pickling",
        "pipeline",
        "pipeline_def",
        "plugin_manager",
        "sysconfig",
        "tensors",
        "tfrecord",
        "types",
    ]
    assert all(hasattr(penstock, name) for name in penstock.__all__)
    for module in (penstock.fn, penstock.ops):
        assert all(hasattr(module, name) for name in module.__all__)
