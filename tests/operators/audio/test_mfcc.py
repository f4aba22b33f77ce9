"""`fn.mfcc`: axes, and librosa's and SciPy's numbers."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.audio.mfcc import Mfcc
from penstock.testing.operators import OperatorConformance

from ..running import apply
from .librosa_figures import MELS, librosa_s
from .made import noise

RAGGED = [noise(40 * n, seed=n).reshape(40, n) for n in (5, 1, 12)]


class TestConformance(OperatorConformance):
    operator = "mfcc"
    layout = "ft"
    inputs = (RAGGED,)
    arguments = {"lifter": 22.0}
    bad = [
        ({"dct_type": 5}, "from 1 to 4"),
        ({"n_mfcc": 0}, "at least 1"),
        ({"axis": 2}, "axis 2 is outside"),
        ({"dct_type": 1, "normalize": True}, "no orthonormal form"),
        ({"dct_type": 1, "axis": 1}, "the axis has 1 number"),
    ]
    largest = 2e-4  # the largest number is 300


class TestConformanceAlongTime(TestConformance):
    arguments = {"axis": 1, "n_mfcc": 3, "normalize": True}
    bad = []


@pytest.mark.parametrize("lifter", [0, 22])
@pytest.mark.parametrize("normalize", [False, True])
def test_librosa(normalize, lifter):
    wanted = librosa_s("mfcc", normalize, lifter)
    result = apply(Mfcc, MELS, n_mfcc=13, normalize=normalize, lifter=float(lifter))
    scale = 1 if normalize else 2
    np.testing.assert_allclose(result * scale, wanted, 1e-4, 1e-5 * np.abs(wanted).max())


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize(
    ("dct_type", "norm"), [(1, None), *((t, n) for t in (2, 3, 4) for n in (None, "ortho"))]
)
def test_scipy(dct_type, norm, axis):
    if dct_type == 1 and norm:
        return
    fft = pytest.importorskip("scipy.fft")
    data = noise(12 * 7 * 5).reshape(12, 7, 5)
    wanted = fft.dct(data.astype(np.float64), dct_type, norm=norm, axis=axis)
    wanted = np.take(wanted, range(4), axis) / (1 if norm else 2)
    result = apply(Mfcc, data, axis=axis, n_mfcc=4, dct_type=dct_type, normalize=norm is not None)
    np.testing.assert_allclose(result, wanted, 1e-4, 1e-5)


def test_there_are_no_more_coefficients_than_numbers():
    assert apply(Mfcc, RAGGED[0], n_mfcc=99).shape == (40, 5)
    assert apply(Mfcc, RAGGED[0][:0], n_mfcc=99).shape == (0, 5)
    assert apply(Mfcc, RAGGED[0][:, :0]).shape == (20, 0)


def test_refused_samples():
    with pytest.raises(ArgumentError, match="at least 2"):
        apply(Mfcc, RAGGED[0][:1], dct_type=1)
    with pytest.raises(ArgumentError, match="outside"):
        apply(Mfcc, np.float32(3))
