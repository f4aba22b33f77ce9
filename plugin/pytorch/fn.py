"""PyTorch's functions in pipelines."""

from ...engine.graph.functions import function_of
from ...engine.graph.operator import OPERATORS

__all__ = ["torch_python_function"]

torch_python_function = function_of(OPERATORS["_torch_python_function"])
