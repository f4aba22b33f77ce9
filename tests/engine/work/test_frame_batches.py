"""The frames of a batch as a batch: unfolding, folding, random numbers and errors."""

from __future__ import annotations

import numpy as np

from penstock.engine.graph.context import BatchContext, Placement
from penstock.engine.graph.sequences import Sequences
from penstock.engine.pending import Later
from penstock.engine.tensors import TensorListCPU
from penstock.engine.work.frame_batches import FrameBatch, batch_frames
from penstock.engine.work.inner_batches import InnerBatch

from ...operators.running import batch_of


class Placed:
    """An operator whose random numbers are its own."""

    placement = Placement()


def test_the_frames_of_a_batch():
    batch = batch_of(3)
    frames = FrameBatch(batch, np.array([2, 0, 1]))
    rows = [np.arange(6.0).reshape(2, 3), np.zeros((0, 3)), np.arange(3.0).reshape(1, 3)]
    unfolded = frames.unfold(TensorListCPU(rows, "FX"))
    assert [row.tolist() for row in unfolded.rows()] == [[0, 1, 2], [3, 4, 5], [0, 1, 2]]
    repeated = frames.repeat(TensorListCPU(np.array([5.0, 6.0, 7.0])))
    assert [row.item() for row in repeated.rows()] == [5, 5, 7]
    folded = frames.fold(unfolded)
    np.testing.assert_array_equal(folded[0], rows[0])
    np.testing.assert_array_equal(folded[2], rows[2])


def test_random_numbers_and_errors_are_those_of_samples():
    batch = batch_of(2)
    frames = FrameBatch(batch, np.array([2, 1]))
    numbers = frames.random(Placed(), 3)
    np.testing.assert_array_equal(numbers, batch.random(Placed(), 3)[[0, 0, 1]])
    error = ValueError("of frame 2")
    frames.fail_row(2, error)
    frames.fail_row(2, ValueError("later"))
    assert (frames.errors, batch.errors) == ({2: error}, {1: error})
    assert frames.where(2) == batch.where(1)
    assert frames.number == batch.number


def test_what_an_operator_writes_to_its_batch_is_not_lost():
    batch = batch_of(2)
    frames = FrameBatch(batch, np.array([2, 1]))
    frames.count_bytes(host=15, device=27)
    assert frames.empty((3,), np.uint8).shape == (3,)
    assert (batch.memory.taken_bytes, batch.memory.taken_device_bytes) == (15 + 3, 27)
    checked = []
    frames.check_later(lambda: checked.append(1))
    batch.debts.run_checks()
    assert checked == [1]


def test_a_frame_batch_has_all_that_a_batch_has():
    frames = FrameBatch(batch_of(2), np.array([2, 1]))
    names = {*BatchContext.__annotations__, *vars(BatchContext)} - {"device"}
    for name in names:
        if not name.startswith("_"):
            assert name in {*vars(frames), *vars(FrameBatch), *vars(InnerBatch)}, name
    assert not hasattr(frames, "values")  # which no operator may use


def test_work_that_was_begun_elsewhere_is_waited_for():
    def begin(_, frames):
        return Later(lambda: [row + 1 for row in frames.rows()])

    rows = TensorListCPU([np.zeros((2, 3)), np.ones((1, 3))], "FX")
    (found,) = batch_frames(Sequences((True,), frozenset()), batch_of(2), [rows], {}, begin, 1)
    assert [sample.tolist() for sample in found] == [[[1.0] * 3] * 2, [[2.0] * 3]]
