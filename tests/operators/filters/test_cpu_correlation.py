"""Correlation on the CPU, against its definition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from penstock.operators.filters.cpu_correlation import Surroundings, correlate, padded_image

from ..running import pixels

MODES = {
    "reflect_101": "reflect",
    "reflect": "symmetric",
    "wrap": "wrap",
    "replicate": "edge",
    "constant": "constant",
}


def window(*shape, seed=0):
    """Return random weights."""
    return np.random.default_rng(seed).normal(0, 0.3, shape).astype(np.float32)


def correlated(sample, weights, anchor, border, fill=0):
    """Return the correlation, element by element; the last axis is that of channels."""
    sides = [(at, size - 1 - at) for at, size in zip(anchor, weights.shape, strict=True)]
    more = {"constant_values": fill} if border == "constant" else {}
    padded = np.pad(sample.astype(float), [*sides, (0, 0)], MODES[border], **more)
    total = np.zeros(sample.shape)
    for index in product(*map(range, weights.shape)):
        here = [slice(i, i + extent) for i, extent in zip(index, sample.shape[:-1], strict=True)]
        total += weights[index] * padded[tuple(here)]
    return total


@pytest.mark.parametrize("border", MODES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 2), (1, 9), (13, 15), (5,), (3, 2, 4)])
@pytest.mark.parametrize("dtype", ["u1", "i4", "f4"])
def test_every_border(border, shape, dtype):
    weights, anchor = window(*shape), [(extent - 1) // 2 for extent in shape]
    sample = pixels(*(5, 4, 6)[: len(shape)], 3).astype(dtype)
    out = np.empty(sample.shape, np.float32)
    correlate(sample, weights, anchor, Surroundings(border, 40.0), out)
    np.testing.assert_allclose(out, correlated(sample, weights, anchor, border, 40), atol=2e-3)


def test_many_channels_and_a_smaller_result():
    sample, weights = pixels(6, 7, 300), np.float32([[0.25, 0.5], [0.25, 0.125]])
    out = np.empty((5, 6, 300), np.uint8)
    correlate(sample, weights, (0, 0), Surroundings("reflect"), out)
    wanted = correlated(sample, weights, (0, 0), "reflect")[:5, :6]
    assert np.abs(out - wanted.clip(0, 255)).max() <= 0.5


def test_a_constant_beyond_the_type_is_the_nearest_number_of_the_type():
    padded = padded_image(
        np.zeros((1, 1, 1), np.uint8), [(1, 0), (0, 2)], Surroundings("constant", 300)
    )
    assert padded[..., 0].tolist() == [[255, 255, 255], [0, 255, 255]]
