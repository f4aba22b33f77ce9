"""Arrays and errors survive the way through a message."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from penstock import WorkerError
from penstock.engine.processes.messages import (
    pickled_error,
    reference,
    resolve,
    unpickled_error,
)
from penstock.engine.tensors.arena import Arena

ARENA = Arena(shared=False)


def in_arena(shape, dtype):
    return ARENA.array((ARENA.reserve(4096), shape, dtype))


def sent(array):
    """Return an array after a message, and the reference to it."""
    carried = pickle.loads(pickle.dumps(reference(array, ARENA)))
    return resolve(carried, ARENA), carried


def test_an_array_in_the_arena_is_its_slot():
    array = in_arena((3, 4), "<f4")
    array[...] = np.arange(12).reshape(3, 4)
    same, carried = sent(array)
    assert carried == (ARENA.offset(array), (3, 4), "<f4")
    same[0, 0] = 99
    assert array[0, 0] == 99


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3),
        np.float32(1.5) * np.ones(()),
        np.empty((0, 3), np.uint8),
        np.arange(12).reshape(3, 4)[:, 1],
        np.array(["2020-01-01"], "M8[D]"),
        np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]),
    ],
    ids=str,
)
def test_an_array_elsewhere_is_copied(array):
    copy, _ = sent(array)
    assert (copy.shape, copy.dtype) == (array.shape, array.dtype)
    assert (copy == array).all()
    assert copy.flags.writeable


def test_an_error_keeps_type_notes_and_traceback():
    error = KeyError("gone")
    error.add_note("in fn.resize")
    again = unpickled_error(*pickled_error(error))
    assert type(again) is KeyError
    assert again.__notes__ == ["in fn.resize"]
    assert "KeyError: 'gone'" in str(again.__cause__)


def test_an_error_that_cannot_be_pickled_is_described():
    class LocalError(Exception):
        pass

    error = LocalError("odd")
    error.add_note("in fn.resize")
    again = unpickled_error(*pickled_error(error))
    assert type(again) is WorkerError
    assert str(again).endswith("LocalError: odd")
    assert again.__notes__ == ["in fn.resize"]
