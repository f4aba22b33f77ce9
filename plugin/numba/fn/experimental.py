"""Numba's functions in pipelines."""

from __future__ import annotations

from ....engine.graph.operator import OPERATORS
from ....fn import function_of

__all__ = ["numba_function"]

numba_function = function_of(OPERATORS["_numba_function"])
