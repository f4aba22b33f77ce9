"""Every operator is under a suite, or stands here with the reason why not."""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from penstock.engine.graph.operator import OPERATORS
from penstock.readers.reader import Reader

TESTS = Path(__file__).resolve().parent.parent
# Names of operators, or patterns of names.
EXCUSED = {
    "readers.*": "sources are under `SourceConformance`",
    "experimental.readers.*": "sources are under `SourceConformance`",
    "*_reader": "other names of readers",
    "*_reader_resize": "other names of readers",
    "external_source": "gives the suite its samples",
    "experimental.inputs.video": "is fed, and has no inputs: tests/decoders/video",
    "*decoders.video": "compared with FFmpeg: tests/decoders/video",
    "_decode_*": "stand in readers' graphs, and are tested with the readers",
    "_ssd_*": "stand in the graph of `ssd_random_crop`, which is under the suite",
    "_truth": "a part of conditionals: tests/engine/conditions",
    "_merge": "a part of conditionals: tests/engine/conditions",
    "_assert": "a part of conditionals: tests/engine/conditions",
    "_constant": "stands for a value that is no node",
    "_indices": "stands for the indices of a subscript: tests/operators/indexing",
    "*_function": "call functions of users, which decide on results: tests/operators/user_code",
    "dump_image": "writes files: tests/operators/batches",
    "optical_flow": "runs on the GPU alone: tests/operators/optical_flow",
}


def test_every_operator_is_under_a_suite():
    missing = {
        name
        for name, kind in OPERATORS.items()
        if kind not in operators_of_suites() and kind.__module__.startswith("penstock.")
    }
    excused = {name for name in missing for pattern in EXCUSED if fnmatchcase(name, pattern)}
    assert sorted(missing - excused) == []


def test_no_excuse_is_out_of_date():
    names = [name for name, kind in OPERATORS.items() if kind not in operators_of_suites()]
    assert [
        pattern for pattern in EXCUSED if not any(fnmatchcase(name, pattern) for name in names)
    ] == []


def test_the_sources_of_every_reader_are_under_their_suite():
    rooms = {kind.__module__.split(".")[2] for kind in OPERATORS.values() if is_reader(kind)}
    for room in rooms:
        texts = [
            path.read_text(encoding="utf-8") for path in (TESTS / "readers" / room).glob("*.py")
        ]
        assert any("(SourceConformance)" in text for text in texts), room


def is_reader(kind):
    return kind.__module__.startswith("penstock.readers.") and issubclass(kind, Reader)


@cache
def operators_of_suites():
    """Return the operators that are under a suite."""
    return {OPERATORS[name] for name in names_in_suites()}


def names_in_suites():
    """Yield the operators of the suites: of test classes, and of calls of `operator_suite`."""
    for path in TESTS.rglob("test_*.py"):
        source = path.read_text(encoding="utf-8")
        if "operator = " not in source and "operator_suite" not in source:
            continue
        tree = ast.parse(source)
        constants = texts(tree.body)
        for node in ast.walk(tree):
            name = None
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test") and node.bases:
                name = texts(node.body).get("operator")
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "operator_suite":
                name = ast.unparse(node.args[0])
            name = constants.get(name, name or "").strip("'")
            if name in OPERATORS:
                yield name


def texts(body):
    """Return the texts of the values that statements assign, by the texts of the targets."""
    lines = (node for node in body if isinstance(node, ast.Assign))
    return {ast.unparse(node.targets[0]): ast.unparse(node.value) for node in lines}
