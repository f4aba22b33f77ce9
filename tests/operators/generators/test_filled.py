from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def, types
from penstock.engine.errors import ArgumentError
from penstock.engine.tensors import TensorListGPU
from penstock.testing.agreement import on_device

SIZE = 3


def ragged():
    return [np.full(k + 1, k, np.int16) for k in range(SIZE)]


def outputs(define, **options):
    with pipeline_def(define, batch_size=SIZE, num_threads=2)(**options) as pipe:
        return pipe.run()


def test_zeros_and_ones():
    zeros, ones, scalars = outputs(
        lambda: (
            fn.zeros(shape=[2, 3], dtype=types.FLOAT, layout="HW"),
            fn.ones(shape=4),
            fn.ones(dtype=types.BOOL),
        )
    )
    np.testing.assert_array_equal(zeros.as_array(), np.zeros((SIZE, 2, 3), np.float32), strict=True)
    np.testing.assert_array_equal(ones.as_array(), np.ones((SIZE, 4), np.int32), strict=True)
    np.testing.assert_array_equal(scalars.as_array(), np.ones(SIZE, bool), strict=True)
    assert zeros.layout() == "HW"


def test_a_shape_for_each_sample():
    (ones,) = outputs(lambda: fn.ones(shape=fn.external_source(source=ragged).shape()))
    assert ones.shape() == [(1,), (2,), (3,)]
    assert all((ones.at(i) == 1).all() for i in range(SIZE))


def test_like():
    def define():
        data = fn.external_source(source=ragged, layout="X")
        return fn.zeros_like(data), fn.ones_like(data, dtype=types.UINT8), fn.full_like(data, 7)

    zeros, ones, sevens = outputs(define)
    assert zeros.shape() == ones.shape() == sevens.shape() == [(1,), (2,), (3,)]
    assert [out.dtype.name for out in (zeros, ones, sevens)] == ["INT16", "UINT8", "INT16"]
    assert [out.at(2).tolist() for out in (zeros, ones, sevens)] == [[0] * 3, [1] * 3, [7] * 3]
    assert zeros.layout() == ones.layout() == sevens.layout() == "X"


def test_full_broadcasts():
    rows, given = outputs(
        lambda: (fn.full(types.Constant([1.0, 2.0]), shape=(3, 2)), fn.full(np.uint8([4, 5])))
    )
    assert rows.as_array().tolist() == [[[1.0, 2.0]] * 3] * SIZE
    assert given.as_array().tolist() == [[4, 5]] * SIZE
    assert given.dtype == types.UINT8


def test_what_does_not_fit():
    with pytest.raises(ArgumentError, match=r"shape \(2,\) cannot be broadcast to \(3,\)"):
        outputs(lambda: fn.full(types.Constant([1, 2]), shape=3))
    with pytest.raises(ArgumentError, match="'HW' does not describe"):
        outputs(lambda: fn.zeros(shape=3, layout="HW"))


def test_copy_gives_the_same():
    (copied,) = outputs(lambda: fn.copy(fn.external_source(source=ragged, layout="X")))
    assert [copied.at(i).tolist() for i in range(SIZE)] == [row.tolist() for row in ragged()]
    assert copied.layout() == "X"


# Operators that make numbers give the same ones on both devices.
COUNT = 4


def ragged_pairs() -> Any:
    return [np.full((k + 1, 2), k, np.int16) for k in range(COUNT)]


@pipeline_def(batch_size=COUNT, num_threads=2, device_id=0, seed=9)
def made(define: Any, device: str) -> Any:
    data = fn.external_source(source=ragged_pairs, layout="XY")
    return define(data, data.gpu() if device == "gpu" else data, device)


DEFINITIONS = {
    "uniform": lambda cpu, like, on: fn.random.uniform(range=[2, 5], shape=[3, 4], device=on),
    "scalars": lambda cpu, like, on: fn.random.uniform(device=on),
    "values": lambda cpu, like, on: fn.random.uniform(values=[1, 5], dtype=types.UINT8, device=on),
    "normal": lambda cpu, like, on: fn.random.normal(like, mean=3.0, seed=5),
    "coin_flip": lambda cpu, like, on: fn.random.coin_flip(shape=cpu.shape(), device=on),
    "beta": lambda cpu, like, on: fn.random.beta(like, alpha=0.5, seed=5),
    "choice": lambda cpu, like, on: fn.random.choice(cpu, shape=[2], device=on),
    "permutation": lambda cpu, like, on: fn.batch_permutation(device=on),
    "constant": lambda cpu, like, on: fn.constant(idata=[1, 2, 3], layout="A", device=on),
    "constants": lambda cpu, like, on: fn.constant(fdata=2.5, shape=[3, 300], device=on),
    "zeros": lambda cpu, like, on: fn.zeros(shape=[2, 5], layout="HW", device=on),
    "ones": lambda cpu, like, on: fn.ones(shape=cpu.shape(), dtype=types.FLOAT16, device=on),
    "one": lambda cpu, like, on: fn.ones(dtype=types.BOOL, device=on),
    "zeros_like": lambda cpu, like, on: fn.zeros_like(like),
    "ones_like": lambda cpu, like, on: fn.ones_like(cpu, dtype=types.FLOAT, device=on),
    "full": lambda cpu, like, on: fn.full(types.Constant([1.5, 2]), shape=[3, 2], device=on),
    "full_as_it_is": lambda cpu, like, on: fn.full(like),
    "full_without_axes": lambda cpu, like, on: fn.full(types.Constant([[7]]), shape=[3], device=on),
    "full_like": lambda cpu, like, on: fn.full_like(like, 7.9),
    "full_like_rows": lambda cpu, like, on: fn.full_like(like, np.float32([1, 300])),
    "of_the_device": lambda cpu, like, on: (
        fn.full_like(fn.ones_like(cpu, dtype=types.FLOAT), like)
        if on == "cpu"
        else fn.full_like(fn.ones_like(like, dtype=types.FLOAT), like)
    ),
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_same_numbers(device_stage, name):
    results = {}
    for device in ("cpu", "gpu"):
        with made(DEFINITIONS[name], device) as pipe:
            pipe.run()
            (results[device],) = pipe.run()
    wanted, out = results["cpu"], results["gpu"]
    assert isinstance(out, TensorListGPU)
    assert out.layout() == wanted.layout()
    for row, other in zip(out.as_cpu().rows(), wanted.rows(), strict=True):
        np.testing.assert_array_equal(row, other, strict=True)


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (
            lambda cpu, like, on: fn.full(like, shape=[3, 3]),
            r"fn.full: a fill value of shape \(1, 2\) cannot be broadcast to \(3, 3\)",
        ),
        (lambda cpu, like, on: fn.zeros(shape=[2], layout="HW", device=on), "does not describe"),
    ],
)
def test_errors(device_stage, define, message):
    with pytest.raises(ValueError, match=message), made(define, "gpu") as pipe:
        pipe.run()


def test_a_copy_to_the_device_changes_no_numbers(device_stage):
    results = []
    for there in (False, True):
        with Pipeline(batch_size=4, num_threads=1, seed=9) as pipe:
            image = fn.external_source(source=lambda: [np.zeros((4, 4, 3), np.uint8)] * 4)
            first = image.gpu() if there else image
            flipped = fn.flip(first, horizontal=fn.random.coin_flip())
            pipe.set_outputs(flipped, fn.random.uniform(range=(0, 1)))
            results.append(pipe.run()[1].as_array())
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("name", ["zeros", "full", "random.uniform"])
def test_a_negative_extent_is_the_error_of_its_sample(device, name):
    inputs = [[np.int32(7)] * 3] if name == "full" else []
    shapes = {"shape": [np.float32(shape) for shape in ([2, 3], [2, -1], [4, 5])]}
    with pytest.raises(ArgumentError, match=f"^fn.{name}: shape is -1; it must be at least 0") as e:
        on_device(device, name, *inputs, per_sample=shapes)
    assert "sample 1 of batch 0" in " ".join(e.value.__notes__)
