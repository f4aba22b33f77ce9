"""The filters' curves: their values, and how they widen."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.resize.filters import CURVES, Filter


@pytest.mark.parametrize("chosen", CURVES)
def test_curves_are_symmetric_with_their_maximum_in_the_middle(chosen):
    values = CURVES[chosen].table[:-1]
    np.testing.assert_array_equal(values, values[::-1])
    assert values.argmax() == len(values) // 2
    assert values.max() == 1


@pytest.mark.parametrize(
    ("chosen", "width"),
    [(Filter.LINEAR, 2), (Filter.CUBIC, 4), (Filter.LANCZOS3, 6), (Filter.GAUSSIAN, 2)],
)
def test_a_curve_is_as_wide_as_its_filter_and_widens_by_the_stretch(chosen, width):
    curve = CURVES[chosen]
    for stretch in (1, 2.5):
        step, middle = curve.fit(np.float32(stretch))
        assert curve.last / step == pytest.approx(width * stretch)
        assert middle == pytest.approx(width * stretch / 2)


def test_many_stretches_at_once():
    stretches = np.array([1, 1.5, 7], np.float32)
    for curve in CURVES.values():
        steps, middles = curve.fit(stretches)
        assert [curve.fit(stretch) for stretch in stretches] == list(
            zip(steps, middles, strict=True)
        )


@pytest.mark.parametrize(
    ("chosen", "at_half"),
    [
        (Filter.LINEAR, 0.5),
        (Filter.CUBIC, 0.5625),  # Keys' kernel, a = -1/2
        (Filter.LANCZOS3, np.sinc(0.5) * np.sinc(0.5 / 3)),
        (Filter.GAUSSIAN, np.exp(-1)),
    ],
)
def test_values_half_a_pixel_from_the_middle(chosen, at_half):
    curve = CURVES[chosen]
    step, middle = curve.fit(np.float32(1))
    offsets = np.array([middle - 0.5, middle + 0.5], np.float32)
    np.testing.assert_allclose(curve.sample(offsets, step), at_half, atol=1e-5)
