"""`types.Constant`: types, shapes and layouts of constants."""

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError


def output(define):
    with pipeline_def(define, batch_size=2, num_threads=1)() as pipe:
        (result,) = pipe.run()
        return result


@pytest.mark.parametrize("name", ["bool", "int8", "uint16", "int64", "float16", "float64"])
def test_conversions(name):
    result = output(lambda: getattr(types.Constant([0, 2], layout="X"), name)())
    expected = np.array([[0, 2]] * 2).astype(name)
    np.testing.assert_array_equal(result.as_array(), expected, strict=True)
    assert result.layout() == "X"


def test_shape():
    shaped = output(lambda: types.Constant([1, 2, 3, 4], shape=[2, 2]))
    assert shaped.as_array().tolist() == [[[1, 2], [3, 4]]] * 2
    broadcast = output(lambda: types.Constant([1, 2], shape=(2, 2)))
    assert broadcast.as_array().tolist() == [[[1, 2], [1, 2]]] * 2
    with pytest.raises(ArgumentError, match=r"\(3,\) does not fill the shape \(2, 2\)"):
        output(lambda: types.Constant([1, 2, 3], shape=(2, 2)))


@pytest.mark.parametrize("value", ["a", None, object()])
def test_no_numbers(value):
    with pytest.raises(ArgumentError, match="not an array of numbers"):
        output(lambda: types.Constant(value))


def test_a_number_is_a_scalar_constant():
    three = types.Constant(3)
    assert isinstance(three, types.ScalarConstant)
    assert (three.value, three.dtype, int(three), bool(three)) == (3, types.INT32, 3, True)
    assert float(three.float64()) == 3.0
    assert types.ScalarConstant(2.5, types.UINT8).value == 2
    assert repr(types.ScalarConstant(3)).startswith("DataNode(")
    assert not types.ScalarConstant(False)
    assert not isinstance(types.Constant(3, device="cpu"), types.ScalarConstant)
    assert not isinstance(types.Constant([3]), types.ScalarConstant)


@pytest.mark.parametrize(("convert", "value"), [(int, 2.5), (bool, 2.5), (float, 2), (float, True)])
def test_a_scalar_constant_of_another_kind_is_converted_first(convert, value):
    with pytest.raises(TypeError, match=f"is no {convert.__name__}; convert it first"):
        convert(types.Constant(value))


def test_an_array_of_one_number_on_a_device_has_32_bits():
    number = np.array(-1)  # int64
    assert output(lambda: types.Constant(number, device="cpu")).dtype.name == "INT32"
    assert output(lambda: types.Constant(number, types.INT64, device="cpu")).dtype.name == "INT64"
    assert output(lambda: types.Constant(np.int64(1), device="cpu")).dtype.name == "INT64"
    assert types.Constant(number).dtype.name == "INT64"


def test_several_numbers_are_no_scalar():
    with pytest.raises(TypeError, match="holds one number"):
        types.ScalarConstant([1, 2])


def test_a_scalar_constant_counts_by_its_type():
    def define():
        data = fn.zeros(shape=[2], dtype=types.UINT8)
        return data + types.ScalarConstant(3).uint8(), data + types.ScalarConstant(3)

    with pipeline_def(define, batch_size=1, num_threads=1)() as pipe:
        narrow, wide = pipe.run()
    assert (narrow.dtype, wide.dtype) == (types.UINT8, types.INT32)


def test_the_arguments_in_the_order_of_nodes():
    result = output(lambda: types.ConstantNode("cpu", [1, 2], types.INT8, [2], "X", name="two"))
    assert (result.as_array().tolist(), result.dtype) == ([[1, 2]] * 2, types.INT8)
    assert result.layout() == "X"
