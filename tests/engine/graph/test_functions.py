"""Operators as functions."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.engine.graph.functions import function_of
from penstock.engine.graph.operator import OPERATORS


def test_it_is_the_operator():
    flip = function_of(OPERATORS["flip"])
    assert flip.__name__ == "flip"
    assert "horizontal" in inspect.signature(flip).parameters
    assert flip.__doc__ == fn.flip.__doc__
    assert flip is function_of(OPERATORS["flip"])
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        data = fn.external_source(lambda: [np.arange(6).reshape(1, 6, 1)], layout="HWC")
        pipe.set_outputs(flip(data, horizontal=1, vertical=None, name="mirror"))
        assert pipe.run()[0].at(0)[0, :, 0].tolist() == [5, 4, 3, 2, 1, 0]
        with pytest.raises(ArgumentError, match="no argument 'horizontl'"):
            flip(data, horizontl=1)
