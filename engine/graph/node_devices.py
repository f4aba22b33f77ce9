"""On which device an operator runs, and on which device it reads its data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..errors import ArgumentError
from .copies import Transfer
from .operator import Operator


class OnDevice(Protocol):
    """Data of a graph: a `DataNode`."""

    @property
    def device(self) -> str:
        """ "cpu" or "gpu"."""

    @property
    def label(self) -> str:
        """The data in messages."""


def default_device(operator_class: type[Operator], inputs: Sequence[OnDevice]) -> str:
    """Return where an operator runs if the user names no device: where its inputs are."""
    on_gpu = any(
        data.device == "gpu" and operator_class.input_at(i).device != "cpu"
        for i, data in enumerate(inputs)
    )
    if on_gpu and "gpu" in operator_class.devices:
        return "gpu"
    return "cpu" if "cpu" in operator_class.devices else operator_class.devices[0]


def check_devices(
    node: object, operator: Operator, inputs: Sequence[OnDevice], arguments: Iterable[OnDevice]
) -> None:
    """Raise ArgumentError for data on a device from which an operator cannot read.

    Args:
        node: the operator's node, for messages.
        operator: the operator.
        inputs: its inputs.
        arguments: its arguments that are data.
    """
    if any(data.device == "gpu" for data in arguments):
        raise ArgumentError(f"{node}: named arguments must be on the CPU; use .cpu()")
    if isinstance(operator, Transfer) or operator.on_gpu.metadata_only:
        return
    own = "gpu" if operator.device == "gpu" and not operator.on_gpu.copies_results else "cpu"
    for i, data in enumerate(inputs):
        either = data.device if own == "gpu" else "cpu"
        wanted = {"same": own, "cpu": "cpu", "any": either}[operator.input_at(i).device]
        if data.device != wanted:
            others = [other for other in inputs if other.device == wanted and own == "gpu"]
            text = _misplaced(data, others[:1], own, wanted)
            raise ArgumentError(f"{node} runs on the {own.upper()}{text}")


def _misplaced(data: OnDevice, others: Sequence[OnDevice], own: str, wanted: str) -> str:
    text = "".join(f" and its input {other.label} is on the {wanted.upper()}" for other in others)
    text += f", but its input {data.label} is on the {data.device.upper()}"
    if own != wanted:
        return f"{text}; the operator reads this input on the CPU: move it with .cpu()"
    also = "give the operator device='gpu'" if own == "cpu" else "leave the argument device out"
    return f"{text}; move it with .{wanted}(), or {also}"
