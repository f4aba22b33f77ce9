"""Random sequences of cuts and returns, against a map of bytes."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from penstock.engine.tensors.device_pieces import DeviceSegment, FreePieces, Piece

SIZES = (16, 40, 24)  # of segments that lie side by side


@pytest.fixture
def segments():
    return [DeviceSegment(SimpleNamespace(size=size), nullcontext()) for size in SIZES]


@pytest.fixture
def free(segments):
    pieces, start = FreePieces(), 0
    for segment in segments:
        pieces.add(Piece(segment, start, segment.size))
        start += segment.size
    return pieces


def spans(pieces):
    return sorted((piece.start, piece.start + piece.size) for piece in pieces)


@pytest.mark.parametrize("seed", range(20))
def test_pieces_never_overlap_and_neighbors_are_one(free, seed):
    random = np.random.default_rng(seed)
    ends = np.cumsum(SIZES).tolist()
    lent = []
    for _ in range(300):
        size = int(random.integers(1, 9))
        fitting = [piece for piece in free if piece.size >= size]
        if fitting and random.random() < 0.55:
            lent.append(free.cut(fitting[random.integers(len(fitting))], size))
            assert lent[-1].size == size
        elif lent:
            free.add(lent.pop(random.integers(len(lent))))
        bounds = spans([*free, *lent])
        assert [start for start, _ in bounds] == [0, *(end for _, end in bounds[:-1])]
        assert bounds[-1][1] == ends[-1]
        idle = spans(free)
        for (_, end), (start, _) in pairwise(idle):
            assert end < start or end in ends
    for piece in lent:
        free.add(piece)
    assert spans(free) == [(0, 16), (16, 56), (56, 80)]


def test_joined_pieces_wait_for_the_users_of_each(free):
    whole = next(iter(free))
    first, second, third = (free.cut(whole, size) for size in (4, 4, 8))
    first.waits, second.waits, third.waits = {1: 5, None: 2}, {1: 3, 2: 4}, {1: 6, None: 1}
    free.add(first)
    free.add(third)
    free.add(second)
    [joined] = [piece for piece in free if piece.start == 0]
    assert (joined.size, joined.waits) == (16, {1: 6, 2: 4, None: 2})
    assert free.cut(joined, 4).waits == {}
    assert joined.waits == {1: 6, 2: 4, None: 2}
