"""Functions that write to their arguments change nothing that others get."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.operators.user_code.user_function import UserFunction
from penstock.testing.agreement import source

SIZE = 2
ADDRESSES = []


def zeros():
    return fn.external_source(source=lambda: [np.zeros((2, 3, 1), np.uint8)] * SIZE, layout="HWC")


def fed():
    return fn.external_source(name="fed", layout="HWC")


def add(row):
    ADDRESSES.append(row.__array_interface__["data"][0])
    row += 100
    return row


def batches(rows):
    return [add(row) for row in rows]


def first_elements(define):
    with Pipeline(batch_size=SIZE, num_threads=2) as pipe:
        pipe.set_outputs(*define())
        if any(node.name == "fed" for node in pipe._definition.graph.nodes):
            pipe.feed_input("fed", [np.zeros((2, 3, 1), np.uint8)] * SIZE)
            pipe.feed_input("fed", [np.zeros((2, 3, 1), np.uint8)] * SIZE)
        return [np.array(output.row(1)).reshape(-1)[0].item() for output in pipe.run()]


@pytest.mark.parametrize(
    "options", [{"function": add}, {"function": batches, "batch_processing": True}]
)
@pytest.mark.parametrize("data", [zeros, fed])
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        lambda x: fn.crop(x, crop=(2, 2)),
        lambda x: fn.reshape(x, shape=[-1]),
        lambda x: fn.flip(x, horizontal=1),
        lambda x: fn.permute_batch(x, indices=[1, 0]),
    ],
)
def test_siblings_and_outputs_get_what_they_should(view, data, options):
    def define():
        whole = data()
        part = view(whole)
        return whole, fn.python_function(part, **options), whole + 0, part + 0

    assert first_elements(define) == [0, 100, 0, 0]


def test_two_functions_of_the_same_data():
    def define():
        data = zeros()
        return [fn.python_function(data, function=add) for _ in range(3)]

    assert first_elements(define) == [100, 100, 100]


def test_one_argument_twice():
    def both(first, second):
        first += 1
        return second

    def define():
        data = zeros()
        return [fn.python_function(data, data, function=both)]

    assert first_elements(define) == [0]


def test_data_that_nobody_else_reads_are_not_copied():
    addresses = []

    def look(row):
        addresses.append(row.__array_interface__["data"][0])
        return row

    with Pipeline(batch_size=SIZE, num_threads=1) as pipe:
        data = fn.cast(zeros(), dtype=np.float32)
        pipe.set_outputs(fn.python_function(data, function=look), data.shape())
        pipe.build()
        steps = [step for segment in pipe._as_built().plan.segments for step in segment.steps]
        shared = [step.shared for step in steps if isinstance(step.node.operator, UserFunction)]
        assert shared == [()]
        pipe.run()
    assert addresses[1] - addresses[0] == 2 * 3 * 4  # rows of one slab


def test_pytorch_s_functions():
    pytest.importorskip("torch")
    from penstock.plugin.pytorch import fn as torch_fn

    def define():
        data = zeros()
        return data, torch_fn.torch_python_function(data, function=lambda x: x.add_(100)), data + 0

    assert first_elements(define) == [0, 100, 0]


# Functions that write to arrays on the GPU change nothing that others get.
def added(row):
    row += 100
    return row


@pytest.mark.parametrize("view", [lambda x: x, lambda x: fn.reshape(x, shape=[-1])])
def test_siblings_and_outputs_get_what_they_should_on_the_gpu(device_stage, view):
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        data = source([np.zeros((2, 3), np.uint8)] * 2).gpu()
        part = view(data)
        changed = fn.python_function(part, function=added, device="gpu")
        pipe.set_outputs(data, changed, part + 0)
        rows = [output.as_cpu().row(1) for output in pipe.run()]
    assert [int(row.reshape(-1)[0]) for row in rows] == [0, 100, 0]
