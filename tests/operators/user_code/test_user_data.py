import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, LayoutError
from penstock.engine.tensors import TensorCPU, TensorListCPU, TensorListGPU
from penstock.operators.user_code.user_data import (
    Column,
    Expected,
    as_array,
    as_column,
    copied,
    expectations,
    fed_as,
    own_layout,
)
from penstock.tests.operators.running import batch_of

ANY = Expected("the data")


class Interface:
    """Has nothing but `__array__`."""

    def __array__(self, dtype=None, copy=None):
        return np.array([1, 2], np.int16)


class OnDevice:
    """Says that it is on a GPU."""

    __cuda_array_interface__ = {"shape": (1,)}  # noqa: RUF012


class Nowhere:
    """Data that lie neither in host memory nor on a device, as PyTorch's "meta" tensors do."""

    def __dlpack__(self, **_):
        raise ValueError("no device")

    __dlpack_device__ = __dlpack__


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (np.zeros((2, 3), np.uint8), "uint8", (2, 3)),
        (np.float32(1), "float32", ()),
        (3, "int64", ()),
        (2.5, "float64", ()),
        (True, "bool", ()),
        ([[1, 2], [3, 4]], "int64", (2, 2)),
        (TensorCPU(np.zeros(3, np.int8)), "int8", (3,)),
        (Interface(), "int16", (2,)),
        (np.zeros(2, ">f4"), "float32", (2,)),
        (np.ma.masked_array([1, 2]), "int64", (2,)),
    ],
)
def test_what_is_taken(value, dtype, shape):
    array = as_array(value, ANY)
    assert array.dtype == np.dtype(dtype)
    assert array.dtype.isnative
    assert array.shape == shape


def test_torch_tensors_are_not_copied():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(6).reshape(2, 3)
    array = as_array(tensor, ANY)
    tensor[0, 0] = 77
    assert array.tolist() == [[77, 1, 2], [3, 4, 5]]


def test_tensor_that_needs_gradients():
    torch = pytest.importorskip("torch")
    with pytest.raises(ArgumentError, match="the data of type Tensor is no array"):
        as_array(torch.ones(2, requires_grad=True), ANY)


def test_numbers_get_the_declared_type():
    assert as_array([1, 2], Expected("x", np.dtype("uint8"))).dtype == np.uint8
    with pytest.raises(ArgumentError, match=r"declared as uint8, which cannot hold \[1, 300\]"):
        as_array([1, 300], Expected("x", np.dtype("uint8")))
    with pytest.raises(ArgumentError, match=r"cannot hold 1\.5"):
        as_array(1.5, Expected("x", np.dtype("int32")))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("text", "is str; return an array"),
        (np.zeros(2, complex), "complex128"),
        (np.array([object()]), "elements of type object"),
        ([[1], [1, 2]], "is no array"),
        (OnDevice(), "on the GPU"),
        (Nowhere(), "of type Nowhere is no array: no device"),
        (np.ma.masked_array([1, 2], [False, True]), "masked elements"),
    ],
)
def test_what_is_refused(value, text):
    with pytest.raises(ArgumentError, match=text):
        as_array(value, ANY)


def test_columns():
    assert len(as_column(np.zeros((3, 2)), ANY)) == 3
    ragged = as_column([np.zeros(2), np.zeros(3)], ANY)
    assert [row.shape for row in ragged.rows] == [(2,), (3,)]
    assert len(as_column([], ANY)) == 0
    earlier = TensorListCPU(np.zeros((2, 4, 5)), "HW")
    assert as_column(earlier, ANY).layout == "HW"
    assert as_column(earlier, Expected("x", layout="XY")).layout == "XY"


@pytest.mark.parametrize("tensor_list", [TensorListCPU, TensorListGPU])
def test_layouts_that_data_bring_along(tensor_list):
    batch = tensor_list(np.zeros((2, 4, 5)), "HW")
    assert own_layout(batch, "x") == own_layout(list(batch), "x") == "HW"
    assert own_layout([np.zeros(2), *batch], "x") == "HW"
    assert (
        own_layout([np.zeros(2)], "x") == own_layout([], "x") == own_layout(np.ones(2), "x") == ""
    )
    with pytest.raises(LayoutError, match="samples of x have the layouts HW, XY"):
        own_layout([*batch, *tensor_list(np.zeros((2, 4, 5)), "XY")], "x")


def test_fed_layouts():
    data, declared = TensorListCPU(np.zeros((2, 4, 5)), "HW"), Expected("x", layout="HW")
    assert fed_as(data, None, declared) == fed_as(data, "", ANY._replace(what="x")) == declared
    assert fed_as(data, "XY", ANY).layout == "XY"
    assert fed_as(np.zeros(3), None, declared) is declared
    with pytest.raises(LayoutError, match="declared with the layout 'HW', but the data are fed"):
        fed_as(data, "XY", declared)


@pytest.mark.parametrize(
    ("data", "expected", "text"),
    [
        (5, ANY, "a single number"),
        ([np.zeros(2), np.zeros((2, 2))], ANY, r"sample 1 is float64 of shape \(2, 2\)"),
        ([np.zeros(2), np.zeros(2, np.uint8)], ANY, "sample 1 is uint8"),
        (np.zeros((2, 2)), Expected("x", np.dtype("uint8")), "declared as uint8, but the data is"),
        (np.zeros((2, 2)), Expected("x", ndim=2), r"2 dimensions, but a sample has the shape \(2,"),
        ([np.zeros(2)], Expected("x", layout="HW"), "'HW', which does not describe"),
    ],
)
def test_columns_that_are_refused(data, expected, text):
    with pytest.raises(ArgumentError, match=text):
        as_column(data, expected)


def test_copies():
    source = np.arange(6).reshape(2, 3)
    for rows in (source, list(source)):
        copy = copied(Column(rows, "X"), batch_of(2))
        assert copy.as_array().tolist() == source.tolist()
        assert not np.shares_memory(copy.as_array(), source)
        assert copy.layout() == "X"
    ragged = copied(Column([np.zeros(1), np.zeros(2)], ""), batch_of(2))
    assert ragged.shape() == [(1,), (2,)]


def test_expectations():
    first, second = expectations("fn.x", 2, ["HWC"], np.uint8, [None, 1])
    assert (first.layout, first.dtype, first.ndim) == ("HWC", np.uint8, None)
    assert (second.layout, second.dtype, second.ndim) == (None, np.uint8, 1)
    assert second.what == "fn.x, output 1"
    with pytest.raises(ArgumentError, match="does not describe 2 dimensions"):
        expectations("fn.x", 1, "HWC", None, 2)
