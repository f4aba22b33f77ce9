"""Schemas."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import ComponentType, Encoded, Sample
from penstock.datasets.schema import schema_of, type_of
from penstock.engine.errors import DecodeError
from penstock.testing import made


def test_schemas_of_samples():
    texts = {name: str(each) for name, each in schema_of(made.detections()).items()}
    assert texts == {
        "image": "encoded jpg",
        "boxes": "array float32 (n, 4)",
        "labels": "array int32 (n,)",
    }
    assert schema_of(made.speech())["duration"] == ComponentType("float")


def test_different_extensions_leave_the_extension_open():
    samples = [Sample("a", {"x": Encoded(b"", extension)}) for extension in ("jpg", "png")]
    assert schema_of(samples) == {"x": ComponentType("encoded")}


def test_integers_and_floats_are_floats():
    assert schema_of([Sample("a", {"x": 1}), Sample("b", {"x": 1.5})])["x"].type == "float"


@pytest.mark.parametrize("other", ["text", np.zeros(3), np.zeros((2, 2), np.int8)])
def test_different_types_are_errors(other):
    samples = [Sample("a", {"x": np.zeros((2, 2))}), Sample("b", {"x": other})]
    with pytest.raises(DecodeError, match="component 'x' of 'b': it is array"):
        schema_of(samples)


@pytest.mark.parametrize("value", [Encoded(b"", "jpg"), 1, 1.5, "x", np.zeros((2, 3), np.uint8)])
def test_types_come_back_from_json(value):
    assert ComponentType.from_json(type_of(value).to_json()) == type_of(value)


@pytest.mark.parametrize(
    "fields", [None, {}, {"type": "array"}, {"type": "array", "dtype": "x"}, {"type": "object"}]
)
def test_other_json_is_refused(fields):
    with pytest.raises(DecodeError):
        ComponentType.from_json(fields)
