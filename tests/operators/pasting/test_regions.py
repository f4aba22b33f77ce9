"""Plans of canvases: where regions come from and go."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.pasting.regions import RegionArguments, plan_canvases

IMAGE = (6, 8, 3)


def plan(images=(IMAGE, IMAGE), own=None, **arguments):
    """Return the plan of one canvas of these sources."""
    given = {name: np.asarray(value)[np.newaxis] for name, value in arguments.items()}
    numbers = RegionArguments(*map(given.get, RegionArguments._fields))
    sources = np.zeros((1, len(images)), int), np.arange(len(images))[np.newaxis]
    shapes = np.array([images or [own]])
    made = plan_canvases("fn.some", [0], np.array([[10, 12]]), sources, shapes, numbers)
    assert len(made) == 1
    return made


def shape_of(made):
    return tuple(made.shapes[0].tolist())


def test_whole_images_at_the_corner():
    made = plan()
    assert shape_of(made) == (10, 12, 3)
    assert made.extents.tolist() == [[[[6, 8], [6, 8]]]]
    assert not made.start.any()
    assert not made.to.any()


def test_regions_reach_to_the_end_of_the_image():
    made = plan(in_anchors=[[1, 2], [5, 0]])
    assert made.extents.tolist() == [[[[5, 6], [1, 8]]]]


def test_relative_anchors_are_rounded_down_and_shapes_up():
    made = plan(
        in_anchors_rel=np.float32([[0.3, 0.3]] * 2),
        shapes_rel=np.float32([[0.3, 0.3]] * 2),
        out_anchors_rel=np.float32([[0.37, 0.37]] * 2),
    )
    assert (made.start[0, 0, 0].tolist(), made.extents[0, 0, 0].tolist()) == ([1, 2], [2, 3])
    assert made.to[0, 0, 0].tolist() == [3, 4]


def test_frames_have_regions_of_their_own():
    anchors = np.arange(12).reshape(3, 2, 2) % 3
    made = plan(((3, *IMAGE), (3, *IMAGE)), out_anchors=anchors)
    assert shape_of(made) == (3, 10, 12, 3)
    np.testing.assert_array_equal(made.to[0], anchors)


def test_without_sources_the_own_shape_gives_the_channels():
    made = plan((), own=(4, 4, 7))
    assert (shape_of(made), made.to.shape) == ((10, 12, 7), (1, 1, 0, 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"out_anchors": [[5, 0], [0, 0]]}, r"region 0 of \[6, 8\] .* out of the canvas"),
        ({"in_anchors": [[0, 0], [-1, 0]]}, "region 1 .* out of its source"),
        ({"shapes": [[7, 1], [1, 1]]}, "out of its source"),
        ({"shapes": [[1, 1], [1, -1]]}, "reaches out"),
        ({"shapes_rel": [[np.nan, 1], [1, 1]]}, "reaches out"),
        ({"shapes_rel": [[1e30, 1], [1, 1]]}, "reaches out"),
        ({"shapes": [1, 1, 1]}, r"shape \(3,\); give a y and an x for each of the 2 regions"),
        ({"images": (IMAGE, (6, 8, 1))}, "channels and frames"),
    ],
)
def test_wrong_regions_are_refused(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        plan(**arguments)
