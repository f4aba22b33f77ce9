"""`fn.transforms.combine`."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.testing.agreement import source

from ..running import run
from .plane_maps import PLANE, MatrixConformance


class TestCombine(MatrixConformance):
    operator = "transforms.combine"
    inputs = (PLANE, PLANE[::-1], PLANE)


def test_combination_is_that_of_the_matrices():
    a, b, c = (np.vstack([m, [0, 0, 1]]) for m in (PLANE[0], PLANE[1], PLANE[2] * 2))
    inputs = [[m[:2].astype("f4")] for m in (a, b, c)]
    (result,) = run("transforms.combine", inputs[0], inputs=inputs[1:])
    np.testing.assert_allclose(result, (c @ b @ a)[:2])
    (result,) = run("transforms.combine", inputs[0], inputs=inputs[1:], reverse_order=True)
    np.testing.assert_allclose(result, (a @ b @ c)[:2])


def test_a_matrix_of_another_shape():
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        maps = source([PLANE[0], PLANE[0][:, :2]])
        pipe.set_outputs(fn.transforms.combine(maps, maps))
        with pytest.raises(ValueError, match=r"shape \(n, n \+ 1\), but the input has .* \(2, 2\)"):
            pipe.run()
