"""State has owners: few attributes a class, written in one file, and there from the start.

The lists of exceptions may only shrink: a test also fails if an exception is no longer needed.
"""

from __future__ import annotations

import ast
from functools import cache

import pytest

from .test_architecture import FILES, PACKAGE, part_of

pytestmark = pytest.mark.slow  # a walk over all files

MOST_ATTRIBUTES = 14
LARGE = {
    "readers/webdataset/walked.py:WalkedSource": 15,
}
"""Classes with more attributes, and how many."""

CUT = {}
"""Classes of several bases, and the attributes that more than one file writes."""

LATE = {
    "datasets/formats/base.py:StoredSamples": {"schema"},
    "engine/conditions/runtime.py:If": {"merged", "restored"},
    "engine/graph/operator_base.py:Operator": {"called", "preserve"},
    "engine/processes/python_workers.py:PythonWorkers": {"empty"},
    "experimental/dynamic/generators.py:RNG": {"_block", "_count", "_high", "_key", "_words"},
    "experimental/dynamic/values.py:Value": {"_samples"},
    "geometry/random_crop.py:RandomCropArguments": {"crop_ranges"},
    "operators/indexing/window_operator.py:WindowOperator": {"target"},
    "readers/mixture/pack.py:Pack": {"_reader"},
    "readers/mixture/parts.py:PartsReader": {"parts", "readers"},
    "readers/reader.py:Reader": {"_first", "damages", "sampler", "source", "waits", "window"},
}
"""Classes, and the attributes that a method sets which `__init__` does not set."""


@cache
def classes():
    """Return all classes of the package with their files, by name."""
    found = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append((path, node))
    return found


def all_classes():
    """Yield file, name and node of each class."""
    for name, places in sorted(classes().items()):
        for path, node in places:
            yield f"{path.relative_to(PACKAGE)}:{name}", path, node


def methods(node):
    """Yield the methods that have an object, and its name there."""
    for method in node.body:
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            marks = {getattr(mark, "id", "") for mark in method.decorator_list}
            parameters = [*method.args.posonlyargs, *method.args.args]
            if parameters and not marks & {"staticmethod", "classmethod"}:
                yield method, parameters[0].arg


@cache
def assigned(node, only=None):
    """Return the attributes that methods of a class assign to their object."""
    return {
        part.attr
        for method, own in methods(node)
        if only is None or method.name == only
        for part in ast.walk(method)
        if isinstance(part, ast.Attribute)
        and isinstance(part.ctx, ast.Store)
        and isinstance(part.value, ast.Name)
        and part.value.id == own
    }


def parents(path, node):
    """Yield the classes of the package, with their files, from which a class derives itself."""
    for base in node.bases:
        base = base.value if isinstance(base, ast.Subscript) else base
        places = classes().get(getattr(base, "attr", getattr(base, "id", "")), ())
        near = [place for place in places if part_of(place[0]) == part_of(path)]
        yield from (near or places)[:1]


def family(path, node):
    """Yield a class and all its bases, with their files."""
    yield path, node
    for place in parents(path, node):
        if place[1] is not node:
            yield from family(*place)


def test_no_class_has_more_attributes_than_a_reader_can_hold():
    counts = {name: len(assigned(node)) for name, _, node in all_classes()}
    assert {name: n for name, n in counts.items() if n > MOST_ATTRIBUTES} == LARGE


def test_an_object_that_is_cut_into_several_bases_writes_each_attribute_in_one_file():
    found = {}
    for name, path, node in all_classes():
        if len(list(parents(path, node))) > 1:
            writers = {}
            for file, part in family(path, node):
                for attribute in assigned(part):
                    writers.setdefault(attribute, set()).add(file)
            if shared := {each for each, files in writers.items() if len(files) > 1}:
                found[name] = shared
    assert found == CUT


def test_what_a_method_sets_is_there_from_the_start():
    """An attribute that is declared without a value is set by `__init__`, or by no method."""
    found = {}
    for name, _, node in all_classes():
        if any("dataclass" in ast.unparse(mark) for mark in node.decorator_list):
            continue
        parts = [*node.body, *(part for method, _ in methods(node) for part in ast.walk(method))]
        bare = {
            getattr(part.target, "id", getattr(part.target, "attr", ""))
            for part in parts
            if isinstance(part, ast.AnnAssign) and part.value is None
        }
        late = bare & (assigned(node) - assigned(node, "__init__"))
        if late:
            found[name] = late
    assert found == LATE
