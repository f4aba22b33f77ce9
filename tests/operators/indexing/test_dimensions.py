from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError
from penstock.operators.indexing.dimensions import ExpandDims, Squeeze
from penstock.testing.agreement import agree, source
from penstock.tests.operators.running import apply, array

SAMPLE = np.zeros((2, 1, 3, 1))


def test_squeeze():
    assert apply(Squeeze, SAMPLE, axes=[1, 3]).shape == (2, 3)
    assert apply(Squeeze, SAMPLE, axes=-1).shape == (2, 1, 3)
    assert apply(Squeeze, SAMPLE, axes=array("int32", [1])).shape == (2, 3, 1)


def test_squeeze_by_name():
    operator = Squeeze("cpu", (), ("FHWC",), axis_names="CH")
    assert operator.output_layouts() == ("FW",)
    assert apply(Squeeze, SAMPLE, layouts=("FHWC",), axis_names="H").shape == (2, 3, 1)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "either axes or axis_names"),
        ({"axes": 1, "axis_names": "H"}, "either axes or axis_names"),
        ({"axes": 0}, "not of extent 1"),
        ({"axes": 4}, r"axis 4 is outside of \[-4, 3\]"),
        ({"axes": [1, -3]}, "twice"),
        ({"axis_names": "X"}, "no axis 'X' in the layout 'FHWC'"),
    ],
)
def test_bad_squeezes(arguments, text):
    with pytest.raises(ArgumentError, match=text):
        apply(Squeeze, SAMPLE, layouts=("FHWC",), **arguments)


def test_squeeze_layout_of_data_axes_is_unknown():
    assert Squeeze("cpu", ("axes",), ("FHWC",)).output_layouts() == ("",)


def test_expand():
    assert apply(ExpandDims, SAMPLE, axes=[0, 5]).shape == (1, 2, 1, 3, 1, 1)
    operator = ExpandDims("cpu", (), ("HW",), axes=[3, 0], new_axis_names="CF")
    assert operator.output_layouts() == ("FHWC",)


def test_names_of_the_axes_of_single_numbers():
    operator = ExpandDims("cpu", (), ("",), axes=[1, 0], new_axis_names="XY")
    assert operator.output_layouts() == ("YX",)
    assert apply(ExpandDims, np.array(5), axes=[0], new_axis_names="X").shape == (1,)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "'axes' must be given"),
        ({"axes": -1}, "from 0"),
        ({"axes": [0, 0]}, "distinct"),
        ({"axes": 5}, "none can stand at 5"),
        ({"axes": [0, 1], "new_axis_names": "F"}, "a letter for each"),
        ({"axes": 0, "new_axis_names": "F"}, "needs an input with a layout"),
    ],
)
def test_bad_expansions(arguments, text):
    with pytest.raises(ArgumentError, match=text):
        apply(ExpandDims, SAMPLE, **arguments)


# `squeeze`, `expand_dims`, `reshape` and `reinterpret` on the GPU: no element moves.
RAGGED = [np.arange(n * 6, dtype=np.int32).reshape(1, n, 6, 1) for n in (3, 1, 4)]
DENSE = RAGGED[:1] * 3


@pytest.mark.parametrize("data", [RAGGED, DENSE], ids=["ragged", "dense"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("squeeze", {"axes": [0]}),
        ("squeeze", {"axes": [-1, 0]}),
        ("expand_dims", {"axes": [0, 3]}),
        ("reshape", {"shape": [-1, 2]}),
        ("reshape", {"rel_shape": [1, 1, 0.5, 2]}),
        ("reshape", {"src_dims": [1, 2, -1]}),
        ("reinterpret", {"dtype": types.INT16, "shape": [-1]}),
        ("reinterpret", {"dtype": types.INT64, "shape": [-1, 3]}),
        ("reinterpret", {"dtype": types.UINT8}),
    ],
)
def test_constant_arguments(device_stage, name, arguments, data):
    agree(name, data, layout="FHWC", **arguments)


@pytest.mark.parametrize("data", [RAGGED, DENSE], ids=["ragged", "dense"])
def test_arguments_of_each_sample(device_stage, data):
    agree("squeeze", data, per_sample={"axes": [[0], [3], [0]]})
    agree("squeeze", data, per_sample={"axes": [[0], [3, 0], [0]]})
    agree("reshape", data, per_sample={"shape": [[-1, 6], [6, -1], [2, -1]]})
    agree("reshape", data, per_sample={"shape": [[-1], [6, -1], [2, -1, 1]]})


def test_another_layout(device):
    with Pipeline(batch_size=3) as pipe:
        data = source(RAGGED, "FHWC")
        pipe.set_outputs(fn.reshape(data.gpu() if device == "gpu" else data, layout="ABCD"))
        (output,) = pipe.run()
        assert output.layout() == "ABCD"
        assert output.shape() == [row.shape for row in RAGGED]


def test_the_shape_as_an_input(device_stage):
    with Pipeline(batch_size=3) as pipe:
        data, shapes = source(DENSE).gpu(), source([[9, -1], [2, 9], [18, 1]])
        pipe.set_outputs(fn.reshape(data, shapes))
        assert pipe.run()[0].shape() == [(9, 2), (2, 9), (18, 1)]


def test_a_row_that_does_not_fit(device_stage):
    with Pipeline(batch_size=3, on_error="replace") as pipe:
        data = source(RAGGED).gpu()
        pipe.set_outputs(fn.reshape(data, shape=[4, -1]))
        (output,) = pipe.run()
        assert output.valid.tolist() == [False, False, True]
        np.testing.assert_array_equal(output.as_cpu().at(2), RAGGED[2].reshape(4, 6))


@pytest.mark.parametrize(
    ("operator", "arguments", "message"),
    [
        (fn.squeeze, {"axes": [1]}, "cannot be removed"),
        (fn.expand_dims, {"axes": [9]}, "none can stand at 9"),
        (fn.reshape, {"shape": [5]}, "do not fill"),
        (fn.reinterpret, {"shape": [-1, 5], "dtype": types.INT8}, "do not fill"),
        (fn.reshape, {"shape": [-1], "layout": "HW"}, "has 2 letters"),
    ],
)
def test_errors_are_those_of_the_cpu(device_stage, operator, arguments, message):
    for device in ("cpu", "gpu"):
        with Pipeline(batch_size=3) as pipe:
            data = source(DENSE)
            pipe.set_outputs(operator(data.gpu() if device == "gpu" else data, **arguments))
            with pytest.raises(ValueError, match=message):
                pipe.run()
