"""Numba's functions in pipelines."""

from __future__ import annotations

from ....engine.graph.operator import OPERATORS
from ...node_functions import node_function

__all__ = ["numba_function"]

numba_function = node_function(OPERATORS["_numba_function"])
