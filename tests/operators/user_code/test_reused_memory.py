"""Functions of the user that use the memory of one sample for the next."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn

SAMPLES = 4


class Filled:
    """Fills one array, or one tensor, again and again."""

    def __init__(self, memory):
        self._memory = memory

    def __call__(self, number):
        self._memory[:] = getattr(number, "idx_in_batch", number)
        return self._memory


def firsts(define, **options):
    with Pipeline(batch_size=SAMPLES, num_threads=1, **options) as pipe:
        pipe.set_outputs(define())
        (output,) = pipe.run()
    return [int(np.asarray(row).ravel()[0]) for row in output.rows()]


def memories():
    torch = pytest.importorskip("torch")
    return np.zeros(3, np.int32), torch.zeros(3)


@pytest.mark.parametrize("which", [0, 1])
def test_a_source_of_samples(which):
    source = Filled(memories()[which])
    assert firsts(lambda: fn.external_source(source, batch=False)) == [0, 1, 2, 3]


def test_a_generator_of_samples():
    def source():
        memory = np.zeros(3, np.int32)
        for number in range(SAMPLES):
            memory[:] = number
            yield memory

    assert firsts(lambda: fn.external_source(source, batch=False)) == [0, 1, 2, 3]


@pytest.mark.usefixtures("importable_tests")
def test_in_python_workers():
    source = Filled(np.zeros(3, np.int32))
    options = {"parallel": True, "batch": False}
    assert firsts(lambda: fn.external_source(source, **options), py_num_workers=1) == [0, 1, 2, 3]

    def computed():
        numbers = fn.external_source(lambda: list(np.arange(SAMPLES)))
        return fn.python_function(numbers, function=source, parallel=True)

    assert firsts(computed, py_num_workers=1) == [0, 1, 2, 3]


def test_without_a_copy_the_memory_is_the_source_s():
    memory = np.zeros(3, np.int32)

    def source(info):
        memory[:] = info.idx_in_batch
        return memory

    assert firsts(lambda: fn.external_source(source, batch=False, no_copy=True)) == [3] * SAMPLES


def test_a_function_of_samples():
    numbers = list(np.arange(SAMPLES))
    memory = Filled(np.zeros(3, np.int32))

    def computed():
        return fn.python_function(fn.external_source(lambda: numbers), function=memory)

    assert firsts(computed) == [0, 1, 2, 3]
