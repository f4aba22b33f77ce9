import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.elementwise.arithmetic import Arithmetic
from penstock.tests.operators.running import apply, array, batch_of, dense, tensors


def compute(function, *operands):
    return apply(Arithmetic, *operands, function=function)


def int32(*values):
    return np.array(values, np.int32)


@pytest.mark.parametrize(
    ("function", "left", "right", "result"),
    [
        ("add", array("uint8", [250, 3]), array("uint8", [10, 100]), array("uint8", [4, 103])),
        ("sub", array("uint8", [1]), array("int8", [2]), array("int16", [-1])),
        ("mul", np.array([True, False]), np.array([True, True]), np.array([True, False])),
        ("truediv", int32(7, -7, 0), int32(2, 0, 0), array("float32", [3.5, -np.inf, np.nan])),
        ("floordiv", int32(7, -7, 7, -7), int32(2, 2, -2, -2), int32(3, -3, -3, 3)),
        ("floordiv", array("uint8", [7, 255]), array("uint8", [2, 16]), array("uint8", [3, 15])),
        (
            "floordiv",
            np.int64(-(2**63)),
            np.int64(3),
            np.int64(-3074457345618258602),
        ),
        ("floordiv", array("float32", [-7]), array("float32", [2]), array("float32", [-3.5])),
        ("mod", int32(7, -7, 7, -7), int32(2, 2, -2, -2), int32(1, -1, 1, -1)),
        (
            "mod",
            array("float32", [-7.5, 1]),
            array("float32", [2, 0]),
            array("float32", [-1.5, np.nan]),
        ),
        ("pow", int32(2, -2, 0, 2, 1), int32(10, 3, 0, -1, -3), int32(1024, -8, 1, 0, 0)),
        ("fpow", int32(2), int32(-1), array("float32", [0.5])),
        ("lshift", int32(-8, 1, 1), int32(1, 31, 32), int32(-16, -(2**31), 0)),
        ("rshift", int32(-8, 7), int32(1, 40), int32(-4, 0)),
        ("and", array("uint8", [7]), int32(-2), int32(6)),
        ("xor", np.array([True, True]), np.array([True, False]), np.array([False, True])),
        ("lt", int32(-1, 1), array("uint32", [4294967295, 1]), np.array([True, False])),
        ("eq", array("int64", [-1]), array("uint64", [2**64 - 1]), np.array([False])),
        ("eq", array("int64", [16777217]), array("float32", [16777216]), np.array([True])),
        ("min", array("int8", [-1]), array("uint8", [200]), array("int16", [-1])),
        ("max", int32(4), array("float32", [1.5]), array("float32", [4])),
        ("add", array("float16", [1.5]), array("uint8", [1]), array("float16", [2.5])),
    ],
)
def test_two_operands(function, left, right, result):
    actual = compute(function, left, right)
    np.testing.assert_array_equal(actual, result)
    assert actual.dtype == result.dtype


@pytest.mark.parametrize(
    ("function", "operand", "result"),
    [
        ("neg", array("uint8", [1, 0]), array("uint8", [255, 0])),
        ("abs", array("int8", [-128, -5]), array("int8", [-128, 5])),
        ("invert", np.array([True, False]), np.array([False, True])),
        ("invert", array("uint8", [1]), array("uint8", [254])),
        ("floor", int32(-4), array("float32", [-4])),
        ("ceil", array("float64", [-2.5]), array("float64", [-2])),
        ("sqrt", array("int64", [4, -4]), array("float32", [2, np.nan])),
        ("rsqrt", array("float32", [4, 0]), array("float32", [0.5, np.inf])),
        ("log", array("int8", [0, 1]), array("float32", [-np.inf, 0])),
    ],
)
def test_one_operand(function, operand, result):
    actual = compute(function, operand)
    np.testing.assert_array_equal(actual, result)
    assert actual.dtype == result.dtype


def test_clamp_promotes_all_three():
    actual = compute("clamp", array("int8", [-50, 30]), np.uint8(3), np.int16(20))
    np.testing.assert_array_equal(actual, [3, 20])
    assert actual.dtype == np.int16


@pytest.mark.parametrize("function", ["floordiv", "mod"])
def test_integer_division_by_zero_is_an_error(function):
    with pytest.raises(ZeroDivisionError, match="integer division by zero"):
        compute(function, int32(1, 2), int32(1, 0))


@pytest.mark.parametrize(
    ("function", "operands", "text"),
    [
        ("add", (True, True), "booleans"),
        ("neg", (True,), "booleans"),
        ("and", (np.float32(1), 1), "integers only, not on float32 and int64"),
        ("lshift", (True, True), "integers only"),
        ("add", (np.ones(3), np.ones(2)), r"shapes \(3,\) and \(2,\) cannot be broadcast"),
        ("add", (np.ones(3),), "takes 2 operands, but got 1"),
        ("sqr", (1,), "no arithmetic function 'sqr'"),
    ],
)
def test_what_cannot_be_computed(function, operands, text):
    with pytest.raises(ArgumentError, match=text):
        compute(function, *operands)


def test_broadcasting():
    actual = compute("add", np.ones((2, 1, 3), np.uint8), array("float32", [[1], [2]]))
    assert actual.shape == (2, 2, 3)
    np.testing.assert_array_equal(actual[0, :, 0], [2, 3])


def test_layout_is_the_longest():
    for layouts in (("HWC", "C"), ("", "HWC"), ("WC", "HWC")):
        assert Arithmetic("cpu", (), layouts, function="add").output_layouts() == ("HWC",)


def test_layouts_that_contradict():
    with pytest.raises(ArgumentError, match="'HWC' and 'H'"):
        Arithmetic("cpu", (), ("HWC", "H"), function="add").output_layouts()


def test_dense_batch_is_one_expression():
    images = dense(np.arange(24, dtype=np.uint8).reshape(2, 3, 4))
    factors = dense(array("float32", [2, 10]))
    operator = Arithmetic("cpu", (), ("HW", ""), function="mul")
    result = operator.batch(batch_of(2), images, factors)
    expected = images.as_array() * array("float32", [2, 10])[:, None, None]
    np.testing.assert_array_equal(result.as_array(), expected)
    assert result.layout() == "HW"
    assert result.is_dense_tensor()


def test_ragged_batch():
    operator = Arithmetic("cpu", (), ("", ""), function="add")
    result = operator.batch(
        batch_of(2), tensors(int32(1, 2), int32(5)), tensors(int32(1), int32(1, 2, 3))
    )
    np.testing.assert_array_equal(result.at(0), [2, 3])
    np.testing.assert_array_equal(result.at(1), [6, 7, 8])


def test_scalars_stay_scalars():
    result = compute("add", np.int32(1), np.int32(2))
    assert result.shape == ()
    assert result == 3
