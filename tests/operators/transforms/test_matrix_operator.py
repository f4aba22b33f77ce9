"""Matrices for a whole batch, their order, and ragged batches."""

from __future__ import annotations

import numpy as np

from penstock import Pipeline, fn

from ..running import run
from .plane_maps import PLANE, without_input


def test_maps_are_applied_in_order():
    move = run("transforms.translation", [PLANE[0]], offset=(10, 20))[0]
    np.testing.assert_allclose(move, [[1, 2, 13], [4, 5, 26]])
    before = run("transforms.translation", [PLANE[0]], offset=(10, 20), reverse_order=True)[0]
    np.testing.assert_allclose(before, [[1, 2, 53], [4, 5, 146]])


def test_random_matrices_are_made_for_a_whole_batch():
    with Pipeline(batch_size=64, num_threads=1, seed=1) as pipe:
        angle = fn.random.uniform(range=(-90.0, 90.0))
        turn = fn.transforms.rotation(angle=angle, center=(3, 4))
        pipe.set_outputs(fn.transforms.combine(turn, fn.transforms.scale(turn, scale=2)), angle)
        matrices, angles = (out.as_array() for out in pipe.run())
    turns = without_input("transforms.rotation", angle=float(angles[5]), center=(3, 4))[0]
    np.testing.assert_allclose(matrices[5][:, :2], 2 * turns[:, :2] @ turns[:, :2], atol=1e-4)


def test_maps_of_several_sizes_in_a_batch():
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        offset = fn.external_source(source=lambda: [np.float32([1, 2]), np.float32([1, 2, 3])])
        pipe.set_outputs(fn.transforms.translation(offset=offset))
        rows = [np.array(row) for row in pipe.run()[0].rows()]
    assert [row.shape for row in rows] == [(2, 3), (3, 4)]
