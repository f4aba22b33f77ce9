"""`mel_filter_bank` and `mfcc` on the GPU: axes, dtypes and empty samples."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.testing.agreement import agree

from ....operators.audio.made import noise


@pytest.mark.parametrize("layout", ["ftc", "cft", "ctf", "tf"])
def test_axes_of_the_bins(device_stage, layout):
    shapes = [[33 if letter == "f" else 2 + n for letter in layout] for n in range(3)]
    data = [np.abs(noise(int(np.prod(shape)))).reshape(shape) for shape in shapes]
    agree("mel_filter_bank", data, layout=layout, nfilter=9, largest=1e-7)


@pytest.mark.parametrize("dtype", ["i2", "f2"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_dtypes_and_axes_of_coefficients(device_stage, axis, dtype):
    data = [(20 + 9 * noise(60)).astype(dtype).reshape(n, -1, 2) for n in (3, 5, 30)]
    agree("mfcc", data, axis=axis, n_mfcc=4, largest=1e-3)


@pytest.mark.parametrize("shapes", [[(0, 3), (5, 0)], [(1, 2), (2, 2)]])
def test_empty_samples(device_stage, shapes):
    data = [np.ones(shape, np.float32) for shape in shapes]
    agree("mfcc", data, largest=1e-6)
    agree("mel_filter_bank", data, nfilter=4, largest=1e-6)
