"""Matrices for the tests of `transforms.*`."""

from __future__ import annotations

import numpy as np

from penstock import Pipeline, fn
from penstock.testing.operators import OperatorConformance

PLANE = [np.float32([[1, 2, 3], [4, 5, 6]]) + i for i in range(4)]


class MatrixConformance(OperatorConformance):
    """The input is a map of the plane."""

    layout = ""
    inputs = (PLANE,)


def without_input(name, **arguments):
    """Return the matrices of a batch of one, without an input."""
    function = getattr(fn.transforms, name.partition(".")[2])
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(function(**arguments))
        return pipe.run()[0].as_array()
