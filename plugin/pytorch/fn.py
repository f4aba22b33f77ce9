"""PyTorch's functions in pipelines."""

from __future__ import annotations

from ...engine.graph.operator import OPERATORS
from ...fn import function_of

__all__ = ["torch_python_function"]

torch_python_function = function_of(OPERATORS["_torch_python_function"])
