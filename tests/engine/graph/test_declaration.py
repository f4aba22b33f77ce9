"""Signatures and docstrings, made from declarations."""

from __future__ import annotations

import inspect

import pytest

from penstock.engine.graph.declaration import camel_case, docstring, signature
from penstock.engine.graph.operator import OPERATORS, SampleOperator, param
from penstock.engine.graph.params import FLOAT, INT, NO_EFFECT, REQUIRED
from penstock.engine.graph.rules import Input


class Documented(SampleOperator):
    """Does something.

    Second paragraph.
    """

    name = "toy.documented"
    inputs = ("images", Input("boxes", optional=True))
    size = param(INT, REQUIRED, "How many.")
    scale = param(FLOAT, 2.5, "How much.", per_sample=True)
    old = param(INT, 0, NO_EFFECT)


def test_a_signature():
    parameters = signature(Documented).parameters
    assert list(parameters)[:5] == ["images", "boxes", "size", "scale", "seed"]
    assert list(parameters)[-4:-2] == ["old", "bytes_per_sample_hint"]
    assert parameters["images"].default is inspect.Parameter.empty
    assert parameters["boxes"].default is None
    assert parameters["size"].default is inspect.Parameter.empty
    assert parameters["size"].annotation == "int"
    assert parameters["scale"].default == 2.5
    assert parameters["scale"].annotation == "float | DataNode | None"
    assert list(parameters)[-2:] == ["device", "name"]


def test_a_reader_says_first_where_its_data_are():
    names = list(signature(OPERATORS["readers.file"]).parameters)
    assert names[:2] == ["file_root", "files"]
    assert names.index("random_shuffle") < names.index("seed") < names.index("lazy_init")


def test_a_docstring():
    text = docstring(Documented)
    assert text.startswith("Does something.\n\nSecond paragraph.\n\nArgs:\n")
    assert "    size (int): How many.\n" in text
    assert "    scale (float | DataNode | None): How much. Default: 2.5.\n" in text
    assert "without effect: old, bytes_per_sample_hint." in text.replace("\n        ", " ")
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_every_operator_has_both(name):
    kind = OPERATORS[name]
    assert set(kind.params) <= set(signature(kind).parameters)
    assert all(argument in docstring(kind) for argument in kind.params)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("crop_mirror_normalize", "CropMirrorNormalize"),
        ("coco_reader", "COCOReader"),
        ("resize", "Resize"),
    ],
)
def test_class_names(name, wanted):
    assert camel_case(name) == wanted
