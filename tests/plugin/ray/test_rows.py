"""Samples as blocks of Ray Data, and back, without a cluster."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import Encoded, Sample
from penstock.datasets.checking.digests import content_digest
from penstock.datasets.schema import schema_of
from penstock.engine.errors import ArgumentError, DecodeError
from penstock.testing import made

pytest.importorskip("ray.data", reason="Ray Data is not installed")
arrow = pytest.importorskip("pyarrow")

from penstock.plugin.ray.rows import block_of, samples_of  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


def contents(samples):
    return [(sample.key, content_digest(sample)) for sample in samples]


@pytest.mark.parametrize("name", made.CONTENTS)
def test_samples_there_and_back(name):
    samples = made.CONTENTS[name]()
    block = block_of(samples, schema_of(samples))
    assert contents(samples_of(block, "")) == contents(samples)
    encoded = [
        n for n, component in samples[-1].components.items() if isinstance(component, Encoded)
    ]
    for name in encoded:
        extension = samples[-1].components[name].extension
        assert set(block.column(f"{name}.extension").to_pylist()) == {extension}


@pytest.mark.parametrize(
    "dtype", ["uint8", "int16", "uint32", "int64", "float16", "float32", "float64", "bool"]
)
def test_types_of_arrays(dtype):
    samples = [Sample(str(i), {"x": np.ones((2, i), dtype)}) for i in (3, 1, 3)]
    back = list(samples_of(block_of(samples, schema_of(samples)), ""))
    assert [(s.components["x"].shape, s.components["x"].dtype) for s in back] == [
        (s.components["x"].shape, np.dtype(dtype)) for s in samples
    ]


def test_a_varying_extent_is_one_type_of_column():
    samples = [Sample(str(i), {"x": np.ones((2, i))}) for i in (3, 3, 1)]
    schema = schema_of(samples)
    first, second = (block_of(part, schema) for part in (samples[:2], samples[2:]))
    assert first.schema == second.schema
    assert contents(samples_of(first, "")) == contents(samples[:2])


def test_what_a_sample_lacks_is_none():
    whole = {"a": Encoded(b"a", "x"), "b": 1, "c": "c", "d": np.ones(3), "e": 1.5}
    samples = [Sample("0", whole), Sample("1", {}), Sample("2", whole)]
    schema = schema_of(samples)
    block = block_of(samples, schema)
    assert {**block.slice(1, 1).to_pylist()[0], "key": None} == dict.fromkeys(block.column_names)
    assert contents(samples_of(block, "")) == contents(samples)
    none = block_of(samples[1:2], schema)
    assert none.column("d").type == block.column("d").type
    assert contents(samples_of(none, "")) == contents(samples[1:2])


def test_a_value_of_another_type_names_the_component():
    samples = [Sample("first", {"x": 1}), Sample("last", {"x": "one"})]
    with pytest.raises(DecodeError, match=r"'x' of a sample from 'first' to 'last' is not int"):
        block_of(samples, schema_of(samples[:1]))


def test_rows_without_a_key_get_numbers():
    table = arrow.table({"label": [3, 4]})
    assert [(s.key, s.components) for s in samples_of(table, "part")] == [
        ("part/00000000", {"label": 3}),
        ("part/00000001", {"label": 4}),
    ]


def test_columns_of_other_programs():
    floats = arrow.list_(arrow.float32(), 2)
    png = b"\x89PNG\r\n\x1a\n..."
    table = arrow.table(
        {
            "image": [{"bytes": b"...", "path": "cats/1.webp"}],
            "mask": [png],
            "point": arrow.array([[1.5, 2.0]], floats),
            "boxes": arrow.array([[[1, 2], [3, 4]]], arrow.list_(arrow.list_(arrow.int32()))),
            "good": [True],
            "none": arrow.array([None], arrow.string()),
        }
    )
    ((sample),) = samples_of(table, "")
    components = dict(sample.components)
    point, boxes = components.pop("point"), components.pop("boxes")
    assert components == {"image": Encoded(b"...", "webp"), "mask": Encoded(png, "png"), "good": 1}
    assert (point.tolist(), point.dtype) == ([1.5, 2.0], np.float32)
    assert (boxes.tolist(), boxes.dtype) == ([[1, 2], [3, 4]], np.int32)


def test_a_column_that_is_no_component():
    table = arrow.table({"key": ["a"], "when": [np.datetime64("2026-01-01", "s")]})
    with pytest.raises(ArgumentError, match="row 'a': no component can hold the column 'when'"):
        list(samples_of(table, ""))
