"""Numba's functions in pipelines."""

from ....engine.graph.functions import function_of
from ....engine.graph.operator import OPERATORS

__all__ = ["numba_function"]

numba_function = function_of(OPERATORS["_numba_function"])
