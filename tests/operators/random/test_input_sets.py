"""A call on several sets of inputs draws one set of random numbers."""

from __future__ import annotations

import inspect
import re
from functools import cache

import numpy as np
import pytest

from penstock import Pipeline, fn, ops
from penstock.engine.graph.operator import Operator, public_operators

from .input_sets import CALLS, SIZE, one, pairs

_RANDOM = re.compile(r"placement\.random_key|batch\.random\(|random_count =")  # in a class


def rows(pipe):
    return [[np.array(row) for row in output.rows()] for output in pipe.run()]


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("name", CALLS)
def test_sets_of_inputs_share_the_random_numbers(name):
    with Pipeline(batch_size=SIZE, num_threads=2, seed=3) as pipe:
        drawn = pairs(fn, CALLS[name])
        pipe.set_outputs(*(node for pair in drawn for node in pair), *one(fn, CALLS[name]))
        for _ in range(2):
            batch = rows(pipe)
            together, apart = batch[: 2 * len(drawn)], batch[2 * len(drawn) :]
            for first, second in zip(together[::2], together[1::2], strict=True):
                assert same(first, second)
            assert not all(map(same, together[::2], apart))


@pytest.mark.parametrize(
    "name",
    ["noise.gaussian", "noise.salt_and_pepper", "noise.shot", "jitter", "random_resized_crop"],
)
def test_sets_of_inputs_on_the_gpu(name, device_stage):
    with Pipeline(batch_size=SIZE, num_threads=2, seed=3) as pipe:
        ((first, second),) = pairs(fn, CALLS[name], "gpu")
        pipe.set_outputs(first.cpu(), second.cpu(), *one(fn, CALLS[name]))
        first_rows, second_rows, apart = rows(pipe)
    assert same(first_rows, second_rows)
    assert not same(first_rows, apart)


@cache
def draws_numbers(operator_class):
    return bool(_RANDOM.search(inspect.getsource(operator_class)))


def test_all_random_operators_are_tried():
    random = set()
    for _, _, operator_class in public_operators():
        bases = operator_class.__mro__[: operator_class.__mro__.index(Operator)]
        if operator_class.inputs and any(map(draws_numbers, bases)):
            random.add(operator_class.name)
    users_functions = {"python_function", "dl_tensor_python_function"}
    assert random - users_functions == set(CALLS) - {"ssd_random_crop"}


def test_classes_names_and_lists_of_one():
    image = np.random.default_rng(0).integers(0, 255, (9, 9, 3), np.uint8)
    with Pipeline(batch_size=4, num_threads=1) as pipe:
        images = fn.external_source(source=lambda: [image] * 4)
        first, second = ops.noise.Gaussian(stddev=9.0)([images, images], name="noise")
        assert (first.name, second.name) == ("noise[0]", "noise[1]")
        alone = fn.noise.gaussian([images], name="alone")
        assert alone.name == "alone"
        pipe.set_outputs(first, second, alone)
        one_set, other_set, apart = rows(pipe)
    assert same(one_set, other_set)
    assert not same(one_set, apart)


def test_lists_shift_no_other_numbers():
    def numbers(sets):
        with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
            shape = fn.random.uniform(shape=[2])
            drawn = fn.random.normal([shape] * sets) if sets > 1 else [fn.random.normal(shape)]
            pipe.set_outputs(drawn[0], fn.random.uniform())
            return rows(pipe)

    assert all(map(same, numbers(1), numbers(3)))


def test_several_outputs_give_a_list_for_each_output():
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        shape = fn.random.uniform(shape=[2], range=(5.0, 9.0))
        starts, ends = fn.segmentation.random_object_bbox([shape > 0, shape < 0, shape > 0])
        assert [len(starts), len(ends)] == [3, 3]
        assert [data.index for data in [*starts, *ends]] == [0, 0, 0, 1, 1, 1]
        pipe.set_outputs(*starts)
