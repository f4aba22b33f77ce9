"""A batch under way: sizes, places, random numbers, and rows filled by several threads."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.engine.batch import Batch, Rows, as_results, as_tensor_list
from penstock.engine.memory import SlabPool
from penstock.engine.operator import Operator
from penstock.engine.sampler import Sampler
from penstock.engine.tensors import TensorListCPU

from .toys import Numbers


def a_batch(number=2, size=4, **options):
    return Batch(number, size, SlabPool(), 7, **options)


def test_places_follow_from_the_number():
    assert a_batch().position.tolist() == [8, 9, 10, 11]
    assert a_batch(first=100).position.tolist() == [100, 101, 102, 103]
    batch = a_batch()
    batch.resize(2)
    assert (batch.position.tolist(), batch.epoch.tolist()) == ([8, 9], [0, 0])
    batch.resize(0)
    assert batch.position.tolist() == []


def test_a_reader_s_draw_gives_places_origins_and_padding():
    reader = Numbers(size=3, pad_last_batch=True)
    reader.open(4, None)
    batch = a_batch(number=1)
    batch.set_draw(0, reader.draw(1), reader)
    assert batch.epoch.tolist() == [1] * 4
    assert batch.where(2) == "numbers/2"
    assert batch.valid.tolist() == [True, True, True, False]
    other = Sampler(9, 4).draw(5)
    batch.set_draw(1, other, reader)
    assert batch.epoch.tolist() == [1] * 4  # the first reader's places count
    assert set(batch.draws) == {0, 1}


def test_random_numbers_depend_on_the_place_and_the_operator_only():
    class Dice(Operator):
        """Has a stream."""

        name = "toy.dice"

    one, other = Dice(), Dice()
    other.stream = 1
    numbers = a_batch().random(one, 3)
    assert numbers.shape == (4, 3)
    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(numbers[1:], a_batch(first=9).random(one, 3)[:3])
    assert (numbers != a_batch().random(other, 3)).all()


def test_invalid_rows_are_marked():
    batch = a_batch()
    batch.mark_invalid(1)
    assert batch.valid.tolist() == [True, False, True, True]
    assert batch.where(1) == ""


def test_finish_keeps_outputs_only():
    batch = a_batch()
    batch.values[3] = (TensorListCPU(np.zeros(4)), TensorListCPU(np.ones(4)))
    batch.finish([(3, 1), (3, 1)])
    assert [output.as_array().tolist() for output in batch.outputs] == [[1] * 4] * 2
    assert batch.values == {}


def test_results_are_counted():
    assert as_results(None, 0) == ()
    assert as_results(5, 1) == (5,)
    assert as_results((5, 6), 2) == (5, 6)
    for result, count in [((), 1), ((1, 2), 1), (1, 2), (1, 0)]:
        with pytest.raises(ArgumentError, match=f"has {count} outputs"):
            as_results(result, count)


def test_what_batch_operators_return_becomes_a_list():
    batch = a_batch()
    given = TensorListCPU(np.zeros(4), "X")
    assert as_tensor_list(given, batch, "Y") is given
    assert as_tensor_list(np.zeros((4, 2)), batch, "Y").layout() == "Y"
    assert as_tensor_list([np.zeros(i) for i in range(4)], batch, "").shape()[3] == (3,)
    with pytest.raises(ArgumentError, match="3 samples for a batch of 4"):
        as_tensor_list(np.zeros(3), batch, "")


@pytest.mark.parametrize("shape", [(), (0,), (3,), (300, 300)])
@pytest.mark.parametrize("dense", [True, False])
def test_rows_of_one_shape(shape, dense):
    rows = Rows(a_batch(), dense)
    for i in (2, 0, 3):
        own = rows.empty(i, shape, np.float32)
        own[...] = i
        assert rows.put(i, own, own) is own
    rows.put(1, np.full(shape, 1, np.float32), None)
    result = rows.finish("")
    assert rows.kind == (shape, np.float32)
    assert result.as_array().shape == (4, *shape)
    assert all((result.at(i) == i).all() for i in range(4))
    assert np.shares_memory(rows.row(1), result.at(1)) or not (dense and shape != (0,))


def test_rows_of_several_shapes_and_types():
    rows = Rows(a_batch(), dense_hint=True)
    arrays = [np.ones(3), np.ones(2), np.ones(3, np.int8), np.ones((1, 3))]
    for i, array in enumerate(arrays):
        rows.put(i, array, None)
    result = rows.finish("X")
    assert rows.kind is None
    for i, array in enumerate(arrays):
        assert (result.at(i).shape, result.at(i).dtype) == (array.shape, array.dtype)
        assert not np.shares_memory(result.at(i), array)


def test_rows_that_failed_stay_empty():
    rows = Rows(a_batch(), dense_hint=True)
    rows.put(1, np.ones(3), None)
    assert rows.kind == ((3,), np.float64)
    assert rows.row(0) is None
