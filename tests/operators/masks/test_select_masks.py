"""`fn.segmentation.select_masks`: several polygons of a mask, wrong polygons."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError

from ..box_samples import outputs

NAME = "segmentation.select_masks"
POLYGONS = np.int32([[2, 7, 10], [0, 0, 3], [1, 3, 7], [0, 10, 14]])
VERTICES = np.arange(42).reshape(14, 3)


def select(mask_ids, polygons=POLYGONS, vertices=VERTICES, **arguments):
    """Return polygons and vertices of the chosen masks."""
    (chosen,), (points,) = outputs(
        NAME, [np.array(mask_ids, np.int32)], [polygons], [vertices], **arguments
    )
    return chosen, points


def test_all_polygons_of_a_mask_are_selected():
    chosen, points = select([0, 2])
    assert chosen.tolist() == [[0, 0, 3], [0, 3, 7], [2, 7, 10]]
    np.testing.assert_array_equal(points, VERTICES[[0, 1, 2, 10, 11, 12, 13, 7, 8, 9]])


def test_masks_become_their_positions():
    chosen, _ = select([2, 0], reindex_masks=True)
    assert chosen[:, 0].tolist() == [0, 1, 1]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8])
def test_dtypes_stay(dtype):
    chosen, points = select([1], POLYGONS.astype(dtype), VERTICES.astype(np.float16))
    assert (chosen.dtype, points.dtype) == (dtype, np.float16)


def test_nothing_chosen_and_nothing_there():
    chosen, points = select([])
    assert (chosen.shape, points.shape) == ((0, 3), (0, 3))
    chosen, points = select([], np.zeros((0, 3), np.int32), np.zeros((0, 2)))
    assert (chosen.shape, points.shape) == ((0, 3), (0, 2))


@pytest.mark.parametrize(
    ("mask_ids", "polygons", "message"),
    [
        ([5], POLYGONS, "no polygon of mask 5"),
        ([1, 1], POLYGONS, "chosen once"),
        ([1], [[1, 3, 70]], "polygon 0 has the vertices 3 to 70, but there are 14"),
        ([1], [[1, 7, 3]], "vertices 7 to 3"),
        ([1], [[1, -1, 3]], "vertices -1 to 3"),
        ([1], [[1, 3]], r"\(polygons, 3\)"),
        ([[1]], POLYGONS, r"shapes \(masks,\)"),
        ([1], np.float32(POLYGONS), "polygons must be integers"),
    ],
)
def test_wrong_input_is_refused(mask_ids, polygons, message):
    polygons = np.array(polygons) if isinstance(polygons, list) else polygons
    with pytest.raises(ArgumentError, match=message):
        select(mask_ids, polygons)
