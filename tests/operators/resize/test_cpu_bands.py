import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.tensors.memory import Scratch
from penstock.operators.resize.axes import ResampledAxis, choose_filter, taps
from penstock.operators.resize.cpu_bands import build_band
from penstock.operators.resize.cpu_passes import multiply, padded
from penstock.operators.resize.filters import Filter


def dense_matrix(axis: ResampledAxis) -> np.ndarray:
    first, weights = taps(axis)
    matrix = np.zeros((axis.out_size, axis.in_size))
    for row in range(axis.out_size):
        for k in range(weights.shape[1]):
            matrix[row, min(max(first[row] + k, 0), axis.in_size - 1)] += weights[row, k]
    return matrix


def banded_matrix(axis: ResampledAxis) -> np.ndarray:
    """What the band makes of the identity."""
    band = build_band(axis, np.float64)
    source, filled = padded(Scratch(), "source", band, (axis.in_size,))
    filled[:] = np.eye(axis.in_size)[band.first : band.first + band.used]
    out = np.full((band.out_lines, axis.in_size), np.nan)
    multiply(band, source, out)
    return out[: axis.out_size]


def make_axis(
    in_size: int, out_size: int, start: float, end: float, chosen: Filter
) -> ResampledAxis:
    return ResampledAxis(
        in_size,
        out_size,
        start,
        end,
        *choose_filter(abs(end - start), out_size, chosen, chosen, True),
    )


sizes = st.integers(1, 300)
filters = st.sampled_from([Filter.LINEAR, Filter.CUBIC, Filter.LANCZOS3, Filter.GAUSSIAN])


@given(sizes, sizes, filters, st.booleans())
def test_bands_hold_the_weights_of_whole_axes(in_size, out_size, chosen, mirrored):
    ends = (float(in_size), 0.0) if mirrored else (0.0, float(in_size))
    axis = make_axis(in_size, out_size, *ends, chosen)
    np.testing.assert_allclose(banded_matrix(axis), dense_matrix(axis), atol=1e-6)


@given(sizes, sizes, filters, st.floats(-40, 340), st.floats(-40, 340))
def test_bands_hold_the_weights_of_regions(in_size, out_size, chosen, start, end):
    if abs(end - start) < 0.01:
        end = start + 1
    axis = make_axis(in_size, out_size, start, end, chosen)
    np.testing.assert_allclose(banded_matrix(axis), dense_matrix(axis), atol=1e-6)


@pytest.mark.parametrize(("in_size", "out_size"), [(4000, 3), (4000, 1), (3, 4000), (5000, 4999)])
def test_extreme_scales(in_size, out_size):
    axis = make_axis(in_size, out_size, 0.0, float(in_size), Filter.LINEAR)
    band = build_band(axis, np.float32)
    assert band.out_lines >= out_size
    assert band.weights.nbytes < 8 << 20
    np.testing.assert_allclose(band.weights.sum(), out_size, rtol=1e-5)


def test_windows_stay_short_at_ordinary_scales():
    for in_size in range(100, 500, 7):
        axis = make_axis(in_size, 224, 0.0, float(in_size), Filter.LINEAR)
        window = build_band(axis, np.float32).weights.shape[-1]
        assert window <= 4 * in_size / 224 + 2 * max(1, in_size / 224) + 8
