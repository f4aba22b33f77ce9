"""Operators frame by frame: memory, random numbers, errors, and folding."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.graph.context import HeapWorkspace
from penstock.engine.graph.operator import SampleOperator
from penstock.engine.graph.sequences import Sequences
from penstock.engine.work.frames import FrameWorkspace, sample_frames

VIDEO = np.arange(24.0).reshape(3, 2, 4)


class Adds(SampleOperator):
    called = "fn.adds"

    def sample(self, workspace, frame, *, by, twice=1):
        out = workspace.empty(frame.shape, frame.dtype)
        np.add(frame, by * twice, out=out)
        return out, frame[0]


def run(video, by, sequences, **constants):
    taken = []

    def allocate(shape, dtype, output=0):
        taken.append(np.empty(shape, dtype))
        return taken[-1]

    workspace = HeapWorkspace(allocate)
    workspace.empty = allocate
    results = sample_frames(
        sequences,
        Adds(),
        workspace,
        [video],
        constants,
        {"by": by},
        lambda name, value: float(value),
        2,
    )
    return results, taken


def test_results_lie_in_the_memory_of_the_sample():
    marked = Sequences((True,), frozenset({"by"}))
    (added, rows), taken = run(VIDEO, np.array([10.0, 20, 30]), marked, twice=2)
    assert added is taken[0]
    assert rows is taken[1]
    np.testing.assert_array_equal(added, VIDEO + np.array([20, 40, 60])[:, None, None])
    np.testing.assert_array_equal(rows, VIDEO[:, 0])


def test_an_image_or_an_argument_serves_all_frames():
    (added, _), _ = run(VIDEO[0], np.array([10.0, 20]), Sequences((False,), frozenset({"by"})))
    np.testing.assert_array_equal(added, [VIDEO[0] + 10, VIDEO[0] + 20])
    (added, _), _ = run(VIDEO, np.array(5.0), Sequences((True,), frozenset()))
    np.testing.assert_array_equal(added, VIDEO + 5)


@pytest.mark.parametrize(
    ("by", "message"),
    [(np.zeros(2), "have 3 and 2 frames"), (np.float64(1), "a single number is no sequence")],
)
def test_wrong_sequences(by, message):
    with pytest.raises(ArgumentError, match=message):
        run(VIDEO, by, Sequences((True,), frozenset({"by"})))
    with pytest.raises(ArgumentError, match="has no frames"):
        run(VIDEO[:0], np.zeros(0), Sequences((True,), frozenset({"by"})))


def test_frames_share_their_scratch_memory():
    workspace = FrameWorkspace(HeapWorkspace(), 3)
    first, other = workspace.scratch((4, 5), np.float32), workspace.scratch((3,), np.uint8)
    assert not np.shares_memory(first, other)
    workspace.store([np.zeros(3)])
    again = workspace.scratch((5, 2), np.float64)
    assert np.shares_memory(first, again)
    workspace.store([np.zeros(3)])
    assert workspace.scratch((1000,), np.float64).shape == (1000,)


def test_frames_of_several_shapes_are_refused():
    workspace = FrameWorkspace(HeapWorkspace(), 2)
    workspace.store([np.zeros(3)])
    with pytest.raises(ArgumentError, match=r"frame 1 gives float64 of shape \(4,\)"):
        workspace.store([np.zeros(4)])
