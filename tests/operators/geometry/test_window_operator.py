"""The arguments that operators with a window share."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError

from ..running import make


def test_the_type_of_the_result():
    assert make("crop", "HWC").target is None
    assert make("crop", "HWC", dtype=types.FLOAT).target == np.float32


def test_each_operator_has_its_policies():
    assert make("slice", "HWC", start=0, out_of_bounds_policy="wrap").out_of_bounds_policy == "wrap"
    with pytest.raises(ArgumentError, match="'pad' or 'trim_to_shape', but is 'wrap'"):
        make("crop", "HWC", out_of_bounds_policy="wrap")
