"""`fn.preemphasis_filter`: borders, dtypes, and librosa's numbers."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.operators.audio.preemphasis import PreemphasisFilter
from penstock.testing.operators import OperatorConformance

from ..running import apply
from .librosa_figures import SIGNAL, librosa_s
from .made import noise


class TestConformance(OperatorConformance):
    operator = "preemphasis_filter"
    layout = "t"
    inputs = ([noise(700), noise(50, seed=1), noise(1, seed=2), noise(0)],)
    per_sample = {"preemph_coeff": [0.97, 0.5, 0.0, 1.0]}
    bad = [({"border": "wrap"}, "'border' must be 'zero', 'clamp' or")]
    largest = 1e-6


class TestConformanceOfIntegers(TestConformance):
    layout = ""
    inputs = ([(300 * noise(n, seed=n)).astype(np.int16).reshape(-1, 2) for n in (10, 400, 2)],)
    per_sample = {}
    arguments = {"dtype": types.UINT8, "border": "reflect"}
    largest = 1


class TestConformanceOfDoubles(TestConformance):
    arguments = {"dtype": types.FLOAT64, "border": "zero"}


@pytest.mark.parametrize(("border", "before"), [("zero", 0), ("clamp", 5), ("reflect", 7)])
def test_borders(border, before):
    signal = np.int16([5, 7, 9])
    result = apply(PreemphasisFilter, signal, border=border, preemph_coeff=0.5)
    np.testing.assert_array_equal(result, [5 - before / 2, 4.5, 5.5])
    assert result.dtype == np.float32


def test_librosa():
    result = apply(PreemphasisFilter, SIGNAL[:500], preemph_coeff=0.9)
    np.testing.assert_allclose(result, librosa_s("preemphasis"), atol=1e-6)


def test_one_sample_and_none():
    assert apply(PreemphasisFilter, np.float32([2]), border="reflect").tolist() == [2]
    assert apply(PreemphasisFilter, np.zeros((0, 3), np.float32)).shape == (0, 3)
    assert apply(PreemphasisFilter, np.float32(2), preemph_coeff=0.5) == 1


def test_results_are_rounded_and_clamped():
    signal = np.float32([0, 1.5, -400, 400])
    result = apply(PreemphasisFilter, signal, preemph_coeff=0.0, dtype=types.INT8)
    assert result.tolist() == [0, 2, -128, 127]
