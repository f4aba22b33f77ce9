"""`fn.mel_filter_bank`: the axis of the bins, and librosa's numbers."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.audio.mel_filter_bank import MelFilterBank
from penstock.testing.operators import OperatorConformance

from ..running import apply
from .librosa_figures import SPECTRUM, librosa_s
from .made import noise

RAGGED = [np.abs(noise(65 * n, seed=n)).reshape(65, n) for n in (5, 1, 12)]


class TestConformance(OperatorConformance):
    operator = "mel_filter_bank"
    layout = "ft"
    inputs = (RAGGED,)
    arguments = {"nfilter": 23, "sample_rate": 16000.0}
    bad = [
        ({"mel_formula": "htq"}, "'mel_formula' must be .* 'htq' .did you mean 'htk'"),
        ({"freq_high": 17000.0}, "at most sample_rate"),
        ({"freq_low": 4000.0, "freq_high": 3000.0}, "freq_high must be above freq_low"),
        ({"freq_low": -1.0}, "at least 0"),
        ({"nfilter": 0}, "at least 1"),
        ({"sample_rate": 0.0}, "above 0"),
    ]
    largest = 1e-6


class TestConformanceOfTimeFirst(TestConformance):
    layout = "tf"
    inputs = ([np.ascontiguousarray(rows.T) for rows in RAGGED],)
    bad = []


class TestConformanceOfDifferentBins(TestConformance):
    layout = ""
    inputs = ([rows[: 30 + 7 * i] for i, rows in enumerate(RAGGED)],)
    bad = []


@pytest.mark.parametrize("htk", [False, True])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize(("low", "high"), [(0.0, 0.0), (60.0, 7000.0)])
def test_librosa(low, high, normalize, htk):
    result = apply(
        MelFilterBank,
        SPECTRUM,
        layouts=("ft",),
        nfilter=80,
        sample_rate=16000.0,
        freq_low=low,
        freq_high=high,
        mel_formula="htk" if htk else "slaney",
        normalize=normalize,
    )
    wanted = librosa_s("mel", low, high, normalize, htk)
    np.testing.assert_allclose(result, wanted, 1e-4, 1e-8)


@pytest.mark.parametrize(("layout", "axis"), [("", 1), ("xft", 1), ("fxt", 0), ("xtf", 2)])
def test_the_axis_of_the_bins(layout, axis):
    data = np.abs(noise(33 * 4 * 3)).reshape(np.roll([33, 4, 3], axis))
    data = np.moveaxis(data, int(np.argmax(data.shape)), axis)
    result = apply(MelFilterBank, data, layouts=(layout,), nfilter=10)
    assert result.shape[axis] == 10
    for columns, wanted in zip(
        np.moveaxis(data, axis, 0).reshape(33, -1).T,
        np.moveaxis(result, axis, 0).reshape(10, -1).T,
        strict=True,
    ):
        alone = apply(MelFilterBank, columns, nfilter=10)
        np.testing.assert_allclose(alone, wanted, 1e-5, 1e-9)


def test_filters_above_half_of_the_sample_rate_are_0():
    data = np.ones((65, 2), np.float32)
    result = apply(MelFilterBank, data, nfilter=8, sample_rate=8000.0, freq_high=8000.0)
    assert (result[:3] > 0).all()
    assert not result[-1].any()


def test_a_value_that_is_not_a_number_reaches_its_filters_only():
    data = np.ones((129, 1), np.float32)
    data[3] = np.nan
    result = apply(MelFilterBank, data, nfilter=20)
    assert np.isnan(result[0])
    assert np.isfinite(result[-1])


def test_refused_samples():
    with pytest.raises(ArgumentError, match="no axis 'f'"):
        apply(MelFilterBank, np.ones((3, 2)), layouts=("xy",))
    with pytest.raises(ArgumentError, match="single number"):
        apply(MelFilterBank, np.float32(1))


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (9, 0)])
def test_empty_spectra(shape):
    result = apply(MelFilterBank, np.ones(shape, np.float32), nfilter=4)
    assert result.shape == (4, shape[1])
    assert not result.any()
