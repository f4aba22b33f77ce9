"""Every operator is under a suite, or stands here with the reason why not."""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from penstock.engine.graph.operator import OPERATORS
from penstock.readers.mixture.parts import PartsReader
from penstock.readers.reader import Reader
from penstock.readers.record_reader import RecordReader

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

# Operators whose errors follow from arguments, layouts and numbers of dimensions.
BY_ARGUMENTS = [
    "random.coin_flip",
    "random.uniform",
    "constant",
    "debayer",
    "experimental.debayer",
    "expand_dims",
    "experimental.dilate",
    "experimental.erode",
    "mel_filter_bank",
    "mfcc",
    "per_frame",
    "permute_batch",
    "experimental.resize",
    "_vision_resize",
    "resize_crop_mirror",
    "experimental.tensor_resize",
    "tensor_resize",
]


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


def test_suites_of_operators_that_raise_errors_on_data_have_bad_inputs():
    raising = {
        kind
        for kind in operators_of_suites()
        if "Raises:" in kind.__doc__ and "gpu" in kind.devices and not is_reader(kind)
    }
    with_bad_inputs = {OPERATORS[name] for name, given in suites() if "bad_inputs" in given}
    by_arguments = {OPERATORS[name] for name in BY_ARGUMENTS}
    assert {kind.name for kind in raising - with_bad_inputs - by_arguments} == set()
    assert {kind.name for kind in by_arguments & with_bad_inputs | by_arguments - raising} == set()


def test_the_sources_of_every_reader_are_under_their_suite():
    for kind in filter(is_reader, OPERATORS.values()):
        assert any("(SourceConformance)" in text for text in texts_of_room(kind)), kind


def test_every_reader_of_records_meets_damaged_files():
    """A mixture reads by the readers of its sources."""
    for kind in filter(is_reader, OPERATORS.values()):
        if issubclass(kind, RecordReader) and not issubclass(kind, PartsReader):
            call = rf"def files\(self.*return \S*fn\.{kind.name}\("
            assert any(re.search(call, text, re.S) for text in texts_of_room(kind)), (
                f"the tests of {kind.name} damage no files: give the fixture `files` and the "
                "method `read` in its SourceConformance"
            )


def texts_of_room(kind):
    """Return the texts of the tests of a reader's room."""
    room = kind.__module__.split(".")[2]
    paths = [*(TESTS / "readers" / room).glob("*.py"), TESTS / "readers" / f"test_{room}.py"]
    return [path.read_text(encoding="utf-8") for path in paths if path.exists()]


def is_reader(kind):
    return kind.__module__.startswith("penstock.readers.") and issubclass(kind, Reader)


@cache
def operators_of_suites():
    """Return the operators that are under a suite."""
    return {OPERATORS[name] for name, _ in suites()}


def suites():
    """Yield operator and attributes of each suite: of test classes, and of `operator_suite`."""
    for path in TESTS.rglob("test_*.py"):
        source = path.read_text(encoding="utf-8")
        if "operator = " not in source and "operator_suite" not in source:
            continue
        tree = ast.parse(source)
        constants = texts(tree.body)
        for node in ast.walk(tree):
            name, given = None, {}
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test") and node.bases:
                given = texts(node.body)
                name = given.get("operator")
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "operator_suite":
                name, given = ast.unparse(node.args[0]), {word.arg for word in node.keywords}
            name = constants.get(name, name or "").strip("'")
            if name in OPERATORS:
                yield name, given


def texts(body):
    """Return the texts of the values that statements assign, by the texts of the targets."""
    lines = (node for node in body if isinstance(node, ast.Assign))
    return {ast.unparse(node.targets[0]): ast.unparse(node.value) for node in lines}
