"""`fn.nonsilent_region`: where the region starts and ends, and strange signals."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.operators.audio.nonsilent_region import NonsilentRegion
from penstock.testing.agreement import agree, source
from penstock.testing.operators import OperatorConformance

from ..running import apply
from .made import noise, tone_between_silence


class TestConformance(OperatorConformance):
    operator = "nonsilent_region"
    layout = "t"
    inputs = (
        [
            tone_between_silence(300, 500, 400),
            tone_between_silence(0, 50, 90),
            noise(77),
            np.zeros(130, np.float32),
            noise(0),
        ],
    )
    arguments = {"window_length": 64}
    bad = [
        ({"reference_power": 0.0}, "reference_power is 0.0; give a positive number"),
        ({"reset_interval": 100}, "reset_interval is 100; give -1, or a multiple"),
        ({"reset_interval": 0}, "reset_interval is 0"),
        ({"window_length": 0}, "at least 1"),
    ]


class TestConformanceOfAGivenReference(TestConformance):
    operator = "nonsilent_region"
    inputs = ([(100 * rows).astype(np.int8).reshape(1, -1) for rows in TestConformance.inputs[0]],)
    arguments = {"window_length": 3, "reference_power": 5000.0, "cutoff_db": -1.0}
    layout = ""
    bad = []
    bad_inputs = (([[np.ones((1, 50), np.int8), np.ones((2, 50), np.int8)]], "takes one channel"),)


def region(signal, **arguments):
    start, length = apply(NonsilentRegion, signal, **arguments)
    assert (start.dtype, start.shape, length.dtype, length.shape) == (np.int32, (), np.int32, ())
    return int(start), int(length)


@pytest.mark.parametrize("window", [1, 7, 64, 5000])
@pytest.mark.parametrize("cutoff", [-60.0, -20.0])
def test_windows_that_are_not_silent(cutoff, window):
    signal = tone_between_silence(90, 200, 110) * np.linspace(0.01, 1, 400)
    length = min(window, 400)
    squares = np.concatenate([np.zeros(length - 1), signal**2])
    powers = np.convolve(squares, np.ones(length), "valid")
    loud = np.flatnonzero(powers >= powers.max() * 10 ** (cutoff / 10))
    start = max(loud[0] - length + 1, 0)
    wanted = start, loud[-1] + 1 - start
    assert region(signal, window_length=window, cutoff_db=cutoff) == wanted
    assert region(signal[:, np.newaxis], window_length=window, cutoff_db=cutoff) == wanted


def test_strange_signals():
    assert region(noise(0)) == (0, 0)
    assert region(noise(1)) == (0, 1)
    assert region(np.zeros(50)) == (0, 50)
    assert region(np.zeros(50), reference_power=1.0) == (0, 0)
    assert region(np.full(50, np.nan)) == (0, 0)
    broken = tone_between_silence(100, 100, 100)
    broken[150] = np.nan
    assert region(broken, window_length=10) == (91, 118)
    broken[150] = np.inf
    assert region(broken, window_length=10) == (141, 19)


def test_sums_of_long_signals_stay_exact():
    signal = np.concatenate([np.full(100_000, 1e4), np.full(3000, 1e-3), np.zeros(3000)])
    assert region(signal, cutoff_db=-139.9, window_length=64) == (0, 100_063)
    assert region(signal, cutoff_db=-140.01, window_length=64) == (0, 103_000)


def test_channels_are_refused():
    with pytest.raises(ArgumentError, match="takes one channel"):
        region(np.zeros((9, 2)))


def test_slice_returns_the_region():
    signals = [tone_between_silence(n, 100 + n, 50) for n in (40, 10, 0)]
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        signal = source(signals, "t")
        start, length = fn.nonsilent_region(signal, window_length=1)
        pipe.set_outputs(fn.slice(signal, start, length, axes=0))
        (result,) = pipe.run()
    for row, rows, before in zip(result.rows(), signals, (40, 10, 0), strict=True):
        np.testing.assert_array_equal(row, rows[before : before + 100 + before])


# `nonsilent_region` on the GPU: both outputs, for windows of each size.
SIGNALS = [
    tone_between_silence(100, 300, 400),
    noise(300),
    np.zeros(130, np.float32),
    np.full(9, np.nan, np.float32),
    noise(0),
    noise(1),
]


@pytest.mark.parametrize("window", [1, 33, 300, 5000])
@pytest.mark.parametrize("arguments", [{"cutoff_db": -3.0}, {"reference_power": 0.3}])
def test_windows(device_stage, arguments, window):
    agree("nonsilent_region", SIGNALS, window_length=window, **arguments)


@pytest.mark.parametrize("dtype", ["i2", "f2"])
def test_dtypes(device_stage, dtype):
    signals = [(99 * signal).astype(dtype) for signal in SIGNALS[:2]]
    agree("nonsilent_region", signals, window_length=40)
