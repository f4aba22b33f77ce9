"""`penstock.plugin.numba`: its function, with Numba and without."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import MissingDependencyError
from penstock.plugin.numba.fn.experimental import numba_function


def test_the_function_has_the_operators_arguments():
    names = list(inspect.signature(numba_function).parameters)
    assert {"run_fn", "out_types", "in_types", "outs_ndim", "ins_ndim", "setup_fn"} <= {*names}
    assert "Numba compiles" in numba_function.__doc__


def test_without_numba_the_message_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    kinds = {"in_types": types.UINT8, "out_types": types.UINT8}
    with Pipeline(batch_size=1, num_threads=1):
        data = fn.external_source(lambda: [np.zeros(1, np.uint8)])
        with pytest.raises(MissingDependencyError, match=r"pip install '.*\[numba\]'"):
            numba_function(data, run_fn=print, outs_ndim=1, ins_ndim=1, **kinds)
