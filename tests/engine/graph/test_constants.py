"""The arrays that constants are."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, pipeline_def, types
from penstock.engine.graph.constants import ConstantOperator, constant_array


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(1, "int32"), (1.5, "float32"), (True, "bool"), (np.int64(1), "int64"), ([1, 2.0], "float32")],
)
def test_numbers_have_the_types_of_pipelines(value, dtype):
    assert constant_array(value).dtype == dtype


def test_a_type_that_is_asked_for():
    assert constant_array([1, 300], types.UINT8).tolist() == [1, 44]
    with pytest.raises(ArgumentError, match="cannot hold 4294967296; say which type"):
        constant_array(2**32)
    assert constant_array(2**32, types.INT64) == 2**32


def test_shapes():
    assert constant_array([1, 2], shape=(2, 1)).tolist() == [[1], [2]]
    assert constant_array(5, shape=(2,)).tolist() == [5, 5]
    with pytest.raises(ArgumentError, match="must not be negative"):
        constant_array(5, shape=(-1, -2))


def test_an_operator_repeats_its_value():
    class Three:
        size = 3

    operator = ConstantOperator(value=np.array([1, 2]), layout="X")
    assert operator.batch(Three).tolist() == [[1, 2]] * 3
    assert operator.output_layouts() == ("X",)
    with pytest.raises(ArgumentError, match="a letter names two dimensions"):
        ConstantOperator(value=np.zeros((1, 1)), layout="XX")


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [("float64", "float32"), ("int64", "int32"), ("uint64", "uint32"), ("int16", "int16")],
)
def test_arrays_have_32_bits_and_numbers_of_numpy_keep_theirs(stored, wanted):
    array = np.array([1, 2], stored)
    assert constant_array(array).dtype == wanted
    assert constant_array(array, stored).dtype == stored
    assert constant_array(array[0]).dtype == stored
    assert constant_array(np.array(1, stored)).dtype == stored


def test_arrays_that_32_bits_cannot_hold_are_refused():
    with pytest.raises(ArgumentError, match=r"int32, which cannot hold 1099511627776.*INT64"):
        constant_array(np.array([1, 2**40]))
    with pytest.raises(ArgumentError, match=r"uint32, which cannot hold 8589934592.*UINT64"):
        constant_array(np.array([2**33], np.uint64))
    assert constant_array(np.array([1e300])).tolist() == [np.inf]


def test_a_mean_of_float64_makes_float32_images():
    image = np.full((2, 2, 3), 200, np.uint8)
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        images = fn.external_source(source=lambda: [image])
        named = types.Constant([1.0], name="one")
        assert named.name == "one"
        pipe.set_outputs(images - np.array([123.68, 116.78, 103.94]), images * named)
        for output in pipe.run():
            assert np.array(output.at(0)).dtype == np.float32


NUMPY = [np.float64(1.5), np.array(1.5), np.int64(3), np.array(3, np.uint64)]


@pytest.mark.parametrize("value", NUMPY)
def test_numbers_of_numpy_have_32_bits_as_data_and_64_as_operands(value):
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(value, fn.copy(value), fn.copy(types.Constant(1)) * value)
        outputs = pipe.run()
    narrow = {"f": "float32", "i": "int32", "u": "uint32"}[value.dtype.kind]
    found = [np.asarray(output.at(0)).dtype.name for output in outputs]
    assert found[:2] == [narrow] * 2
    assert np.dtype(found[2]).itemsize == 8


def test_numbers_of_numpy_merge_with_those_of_python():
    @pipeline_def(batch_size=1, num_threads=1, enable_conditionals=True)
    def chosen():
        return np.float64(1.5) if fn.copy(types.Constant(1)) > 0 else 2.0

    with chosen() as pipe:
        assert pipe.run()[0].as_array() == np.float32(1.5)


def test_stars_stand_for_dimensions_without_names():
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        data = fn.reshape(types.Constant(np.zeros((2, 3, 4))), layout="F**")
        pipe.set_outputs(data, fn.reductions.sum(data, axis_names="F"))
        frames, total = pipe.run()
    assert (frames.layout(), total.shape()) == ("F**", [(3, 4)])
