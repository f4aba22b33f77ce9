"""Clips for the GPU: threads of the CPU decode those of a batch, which then go to the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.tensors import TensorListCPU, TensorListGPU
from ...engine.threads import Team

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

Array = NDArray[Any]


class ThreadedDecoding:
    """Decodes the clips of a batch in threads of its own."""

    def __init__(self) -> None:
        self._team: Team | None = None

    def run(
        self,
        batch: BatchContext,
        decode: Callable[[int], tuple[Array, ...]],
        nothing: tuple[Array, ...],
        layouts: tuple[str, ...],
    ) -> tuple[TensorListGPU, ...]:
        """Call `decode` with each row, for one array an output.

        Rows that fail become `nothing`, and their errors entries of `batch.errors`.
        """
        if self._team is None:
            self._team = Team("penstock-decoder", batch.device.num_threads)
        calls = [self._team.submit(decode, row) for row in range(batch.size)]
        rows = []
        for row, call in enumerate(calls):
            try:
                rows.append(call.result())
            except Exception as error:
                batch.errors[row] = error
                rows.append(nothing)
        return tuple(
            batch.device.to_device(TensorListCPU([np.asarray(row[i]) for row in rows], layout))
            for i, layout in enumerate(layouts)
        )

    def close(self) -> None:
        """End the threads."""
        if self._team is not None:
            self._team.close()
