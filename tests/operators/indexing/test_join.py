from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.operators.indexing.join import Cat, Stack
from penstock.testing.agreement import agree, source
from penstock.tests.operators.running import apply, array, batch_of, dense, tensors

from .test_crop import rows
from .test_flip import TYPES

A, B = np.arange(6).reshape(2, 3), np.arange(6, 12).reshape(2, 3)


def test_stack_and_cat():
    np.testing.assert_array_equal(apply(Stack, A, B, axis=1), np.stack([A, B], 1))
    np.testing.assert_array_equal(
        apply(Cat, A, B[:, :1], axis=-1), np.concatenate([A, B[:, :1]], 1)
    )


@pytest.mark.parametrize(
    ("kind", "inputs", "arguments", "text"),
    [
        (Stack, (A, B[0]), {}, "agree in dtype and number of dimensions"),
        (Stack, (A, B[:1]), {}, "one shape to be stacked"),
        (Stack, (A, B.astype(np.uint8)), {}, "input 1 is uint8"),
        (Stack, (A, B), {"axis": 3}, "not from -2 to 2"),
        (Stack, (A, B), {"axis_name": "AB"}, "single letter"),
        (Cat, (A, B[:, :1]), {}, "along axis 0 only"),
        (Cat, (A, B), {"axis": 2}, "not from -2 to 1"),
        (Cat, (np.int64(1), np.int64(2)), {}, "inputs of 0 dimensions"),
        (Cat, (A, B), {"axis": 0, "axis_name": "H"}, "axis and axis_name exclude one another"),
        (Cat, (A, B), {"axis_name": "H"}, "no axis 'H'"),
    ],
)
def test_bad_inputs(kind, inputs, arguments, text):
    with pytest.raises(ArgumentError, match=text):
        apply(kind, *inputs, **arguments)


def test_layouts_must_agree_to_name_an_axis():
    with pytest.raises(ArgumentError, match="layouts differ"):
        Cat("cpu", (), ("HW", "WH"), axis_name="W")
    with pytest.raises(ArgumentError, match="layouts differ"):
        Stack("cpu", (), ("HW", "WH"), axis_name="C").output_layouts()
    assert Stack("cpu", (), ("HW", ""), axis=2, axis_name="C").output_layouts() == ("HWC",)


def test_stack_batches():
    operator = Stack("cpu", (), ("", ""))
    result = operator.batch(batch_of(2), dense([1, 2]), dense([3, 4]))
    assert result.as_array().tolist() == [[1, 3], [2, 4]]
    one = tensors(array("int32", [1]), array("int32", [1, 2]))
    ragged = operator.batch(batch_of(2), one, one)
    assert ragged.shape() == [(2, 1), (2, 2)]


# `cat` and `stack` on the GPU: every axis, element size, and extents of each sample.
@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1, -3])
@pytest.mark.parametrize("dtype", TYPES)
def test_stack(device_stage, axis, dtype):
    data = rows(axis % 7, "HWC", dtype)
    agree("stack", data, [row + row for row in data], [row * 0 for row in data], axis=axis)
    agree("stack", data[:1] * 2, data[:1] * 2, axis=axis)
    agree("stack", data, axis=axis)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("dtype", TYPES)
def test_cat(device_stage, axis, dtype):
    rng = np.random.default_rng(axis + 1)
    first = rows(axis % 5, "HWC", dtype)
    others = []
    for _ in range(2):
        shapes = np.array([row.shape for row in first])
        shapes[:, axis] = rng.integers(0, 20, len(first))
        others.append([rng.integers(0, 99, shape).astype(dtype) for shape in shapes])
    agree("cat", first, *others, axis=axis, layout="HWC")
    agree("cat", first[:1] * 2, others[0][:1] * 2, axis=axis)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("channels", [(3, 1), (1, 1, 2), (4, 4), (5, 8, 1), (20, 20), (1,) * 9])
def test_channels_of_several_images(device_stage, channels, dtype):
    rng = np.random.default_rng(len(channels))
    for sizes in ([(37, 53)] * 2, [(8, 16), (1, 1), (5, 7)]):
        images = [
            [rng.integers(0, 99, (*size, count)).astype(dtype) for size in sizes]
            for count in channels
        ]
        agree("cat", *images, axis=2, layout="HWC")


def test_scalars_are_stacked(device_stage):
    agree("stack", [np.float32(n) for n in range(5)], [np.float32(9)] * 5)


@pytest.mark.parametrize("name", ["stack", "cat"])
def test_a_row_that_does_not_fit(device_stage, name):
    with Pipeline(batch_size=3, on_error="replace") as pipe:
        left = source([np.full((2, 3), n) for n in range(3)]).gpu()
        right = source([np.full((2, 3 - n % 2), n) for n in range(3)]).gpu()
        pipe.set_outputs(getattr(fn, name)(left, right, axis=0))
        (output,) = pipe.run()
        assert output.valid.tolist() == [True, False, True]
        assert output.as_cpu().at(2).reshape(-1).tolist() == [2] * 12


@pytest.mark.parametrize(
    ("operator", "other", "message"),
    [
        (fn.stack, np.zeros((2, 3), "u1"), "agree in dtype"),
        (fn.cat, np.zeros((2, 3, 1)), "agree in dtype"),
        (fn.stack, np.zeros((2, 4)), "must have one shape"),
        (fn.cat, np.zeros((1, 4)), "may differ in their extent along axis 0 only"),
    ],
)
def test_errors_are_those_of_the_cpu(device_stage, operator, other, message):
    for device in ("cpu", "gpu"):
        with Pipeline(batch_size=1) as pipe:
            nodes = [source([np.zeros((2, 3))]), source([other])]
            pipe.set_outputs(operator(*(n.gpu() if device == "gpu" else n for n in nodes)))
            with pytest.raises(ValueError, match=message):
                pipe.run()
