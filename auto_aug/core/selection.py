"""`select`: one of several operations for each sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...engine.errors import ArgumentError
from ...engine.graph.nodes import DataNode


def select(
    ops: Sequence[Callable[..., Any]], selected_op_idx: DataNode, *args: Any, **kwargs: Any
) -> Any:
    """Apply one operation to each sample, by its number."""
    raise ArgumentError("`select` needs conditional execution, which is not there yet.")
