"""Operators as functions of plugins, beside those of `fn`."""

from __future__ import annotations

import inspect

from penstock.plugin.numba.fn.experimental import numba_function
from penstock.plugin.pytorch.fn import torch_python_function


def test_functions_are_named_as_the_plugins_name_them() -> None:
    assert numba_function.__name__ == "numba_function"
    assert "run_fn" in inspect.signature(numba_function).parameters
    assert torch_python_function.__name__ == "torch_python_function"
    assert "function" in inspect.signature(torch_python_function).parameters
