import numpy as np
import pytest

from penstock.operators.resampling.filters import (
    Axis,
    Filter,
    choose_filter,
    nearest_indices,
    taps,
)

WEIGHING = [Filter.LINEAR, Filter.CUBIC, Filter.LANCZOS3, Filter.GAUSSIAN]


def whole(in_size: int, out_size: int, chosen: Filter, stretched: bool = False) -> Axis:
    return Axis(in_size, out_size, 0.0, float(in_size), chosen, stretched)


@pytest.mark.parametrize(
    ("extent", "out_size", "antialias", "expected"),
    [
        (10, 5, True, (Filter.CUBIC, True)),
        (10, 5, False, (Filter.CUBIC, False)),
        (10, 10, True, (Filter.LANCZOS3, False)),
        (10, 20, True, (Filter.LANCZOS3, False)),
        (9.5, 10, True, (Filter.LANCZOS3, False)),
        (10.5, 10, True, (Filter.CUBIC, True)),
    ],
)
def test_shrinking_axes_take_the_min_filter(extent, out_size, antialias, expected):
    assert choose_filter(extent, out_size, Filter.CUBIC, Filter.LANCZOS3, antialias) == expected


def test_triangular_is_linear_and_nearest_is_never_stretched():
    triangular, nearest = Filter.TRIANGULAR, Filter.NEAREST
    assert choose_filter(10, 5, triangular, triangular, True) == (Filter.LINEAR, True)
    assert choose_filter(10, 5, triangular, triangular, False) == (Filter.LINEAR, False)
    assert choose_filter(10, 5, nearest, nearest, True) == (Filter.NEAREST, False)


@pytest.mark.parametrize("chosen", WEIGHING)
@pytest.mark.parametrize(("in_size", "out_size"), [(7, 7), (7, 3), (3, 7), (100, 1), (1, 5)])
def test_weights_of_every_sample_add_up_to_one(chosen, in_size, out_size):
    first, weights = taps(whole(in_size, out_size, chosen, stretched=out_size < in_size))
    assert first.shape == (out_size,)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)


def test_linear_weights_are_the_distances_to_both_neighbours():
    first, weights = taps(whole(4, 8, Filter.LINEAR))
    np.testing.assert_array_equal(first, [-1, 0, 0, 1, 1, 2, 2, 3])
    np.testing.assert_allclose(weights, [[0.25, 0.75], [0.75, 0.25]] * 4)


def test_cubic_weights_are_catmull_roms():
    _, weights = taps(whole(4, 8, Filter.CUBIC))
    # Keys' kernel, a = -1/2, a quarter of a pixel off: (-9, 111, 29, -3) / 128.
    np.testing.assert_allclose(weights[1], np.array([-9, 111, 29, -3]) / 128, atol=1e-6)


def test_stretching_widens_the_support_by_the_reduction():
    assert taps(whole(100, 25, Filter.LANCZOS3, stretched=True))[1].shape == (25, 24)
    assert taps(whole(100, 25, Filter.LANCZOS3))[1].shape == (25, 6)


def test_nearest_takes_the_pixel_under_the_centre_of_the_sample():
    axis = whole(10, 4, Filter.NEAREST)
    for stepwise in (False, True):
        np.testing.assert_array_equal(nearest_indices(axis, stepwise=stepwise), [1, 3, 6, 8])


def test_nearest_mirrored_and_clamped():
    axis = Axis(10, 4, 12.0, 4.0, Filter.NEAREST, False)
    np.testing.assert_array_equal(nearest_indices(axis, stepwise=False), [9, 9, 7, 5])


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        (Axis(10, 10, 0.0, 10.0, Filter.LINEAR, False), True),
        (Axis(10, 10, 10.0, 0.0, Filter.CUBIC, False), True),
        (Axis(10, 5, 2.0, 7.0, Filter.LANCZOS3, False), True),
        (Axis(10, 3, 0.5, 9.0, Filter.NEAREST, False), True),
        (Axis(10, 10, 0.0, 10.0, Filter.GAUSSIAN, False), False),
        (Axis(10, 5, 2.5, 7.5, Filter.LINEAR, False), False),
        (Axis(10, 5, -1.0, 4.0, Filter.LINEAR, False), False),
        (Axis(10, 5, 0.0, 10.0, Filter.LINEAR, False), False),
    ],
)
def test_axes_that_only_copy_are_recognised(axis, expected):
    assert axis.copies() is expected


def test_a_region_too_large_to_weigh_is_refused():
    axis = Axis(100, 50, 0.0, 1e9, Filter.LINEAR, True)
    with pytest.raises(ValueError, match="choose a region nearer"):
        taps(axis)
