"""PyTorch's functions in pipelines."""

from __future__ import annotations

from ...engine.graph.operator import OPERATORS
from ..node_functions import node_function

__all__ = ["torch_python_function"]

torch_python_function = node_function(OPERATORS["_torch_python_function"])
