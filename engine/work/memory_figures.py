"""How much memory the results of operators take, for `Pipeline.executor_statistics`."""

from __future__ import annotations

from typing import TypedDict

from ..tensors import TensorList
from ..tensors.dtypes import to_numpy_type
from .batch import Batch
from .plan import Key, Plan


class OperatorMemory(TypedDict):
    """Bytes of the results of one operator, in lists with a number for each output."""

    real_memory_size: list[int]
    max_real_memory_size: list[int]
    reserved_memory_size: list[int]
    max_reserved_memory_size: list[int]


class MemoryFigures:
    """The largest results so far. Threads that deliver batches add without a lock."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._largest: dict[Key, tuple[int, int, int]] = {}

    def count(self, batch: Batch) -> None:
        """Measure the results that a batch holds once it is done."""
        for ordinal, outputs in batch.values.items():
            each: tuple[TensorList | None, ...] = outputs
            for i, output in enumerate(each):
                if output is None:  # nothing needs it outside of its segment
                    continue
                sizes = _sizes(output, batch.count)
                before = self._largest.get((ordinal, i), (0, 0, 0))
                mean, largest, reserved = map(max, before, sizes)
                self._largest[ordinal, i] = mean, largest, reserved

    def table(self) -> dict[str, OperatorMemory]:
        """Return the figures by the name of the operator."""
        largest = dict(self._largest)
        return {
            node.name: _memory([largest.get((node.ordinal, i)) for i in range(len(node.outputs))])
            for node in self._plan.nodes
            if any((node.ordinal, i) in largest for i in range(len(node.outputs)))
        }


def _sizes(output: TensorList, batches: int) -> tuple[int, int, int]:
    """Return the bytes of all samples, of the largest one, and of the memory that holds them."""
    if not len(output):
        return 0, 0, 0
    rows = output.extents().prod(axis=1) * to_numpy_type(output.dtype).itemsize
    total = int(rows.sum())
    block = output.stored.in_block()
    reserved = total if block is None else int(block.memory.nbytes)
    return total // batches, int(rows.max()), reserved // batches


def _memory(sizes: list[tuple[int, int, int] | None]) -> OperatorMemory:
    known = [figures or (0, 0, 0) for figures in sizes]
    real, largest, reserved = ([figures[i] for figures in known] for i in range(3))
    return {
        "real_memory_size": real,
        "max_real_memory_size": largest,
        "reserved_memory_size": reserved,
        "max_reserved_memory_size": largest,
    }
