"""Arguments of one sample, for operators and decoders that work on a whole batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..tensors import TensorList
from .operator import Operator
from .params import from_row


def arguments_of_row(operator: Operator, arguments: Mapping[str, Any], row: int) -> dict[str, Any]:
    """Return the arguments of one sample.

    Args:
        operator: declares the arguments.
        arguments: by name: a `TensorList`, or one value for all samples.
        row: of the sample.
    """
    return {
        name: from_row(operator.params[name], value.row(row))
        if isinstance(value, TensorList)
        else value
        for name, value in arguments.items()
    }
