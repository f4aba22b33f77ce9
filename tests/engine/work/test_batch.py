"""A batch under way: sizes, places, random numbers, and rows filled by several threads."""

from __future__ import annotations

import numpy as np

from penstock.engine.graph.context import Placement
from penstock.engine.graph.operator import Operator
from penstock.engine.order.sampler import Sampler
from penstock.engine.tensors import TensorListCPU
from penstock.engine.tensors.alignment import ALIGNMENT, aligned
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch

from ..toys import Numbers


def a_batch(number=2, size=4, **options):
    return Batch(number, size, SlabPool(), 7, **options)


def test_places_follow_from_the_number():
    assert a_batch().position.tolist() == [8, 9, 10, 11]
    assert a_batch(first=100).position.tolist() == [100, 101, 102, 103]
    batch = a_batch()
    batch.samples.resize(2)
    assert (batch.position.tolist(), batch.epoch.tolist()) == ([8, 9], [0, 0])
    batch.samples.resize(0)
    assert batch.position.tolist() == []


def test_a_reader_s_draw_gives_places_origins_and_padding():
    reader = Numbers(size=3, pad_last_batch=True)
    reader.open(4, None)
    batch = a_batch(number=1)
    selection = reader.select(1)
    batch.samples.select(0, selection, lambda: reader.where(selection))
    assert batch.epoch.tolist() == [1] * 4
    assert batch.where(2) == "numbers/2"
    assert batch.samples.valid.tolist() == [True, True, True, False]
    other = Sampler(9, 4).select(5)
    batch.samples.select(1, other)
    assert batch.epoch.tolist() == [1] * 4  # the first reader's places count
    assert set(batch.selections) == {0, 1}


def test_random_numbers_depend_on_the_place_and_the_operator_only():
    class Dice(Operator):
        """Has a stream."""

        name = "toy.dice"

    one, other = Dice(), Dice()
    other.placement = Placement(random_key=1)
    numbers = a_batch().random(one, 3)
    assert numbers.shape == (4, 3)
    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(numbers[1:], a_batch(first=9).random(one, 3)[:3])
    assert (numbers != a_batch().random(other, 3)).all()


def test_invalid_rows_are_marked():
    batch = a_batch()
    batch.samples.mark_invalid(1)
    assert batch.samples.valid.tolist() == [True, False, True, True]
    assert batch.where(1) == ""


def test_finish_keeps_outputs_only():
    batch = a_batch()
    batch.values[3] = (TensorListCPU(np.zeros(4)), TensorListCPU(np.ones(4)))
    batch.finish([(3, 1), (3, 1)])
    assert [output.as_array().tolist() for output in batch.outputs] == [[1] * 4] * 2
    assert batch.values == {}


def test_parts_of_a_group_are_outputs_of_their_own():
    """The second batch of a group would else begin in the middle of a line of the cache."""
    pool = SlabPool()
    batch = Batch(0, 6, pool, seed=1, count=3)
    batch.outputs = (TensorListCPU(aligned(np.arange(6, dtype=np.int32).reshape(6, 1))),)
    parts = batch.parts()
    assert [part.outputs[0].as_array().tolist() for part in parts] == [
        [[0], [1]],
        [[2], [3]],
        [[4], [5]],
    ]
    assert {part.outputs[0].data_ptr() % ALIGNMENT for part in parts} == {0}
    pool.close()
