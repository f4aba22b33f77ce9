"""`fn.transforms.combine`."""

from __future__ import annotations

from functools import reduce

import numpy as np

from ...engine.graph.context import BatchContext, HeapWorkspace, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.rules import Input, SequenceRules
from ...engine.tensors import TensorList, TensorListCPU
from .matrices import composed
from .matrix_operator import REVERSE_ORDER, as_maps, rows_one_by_one


@register
class TransformCombine(SampleOperator):
    """Makes the matrix of several maps that are applied one after the other, in their order.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> move = np.float32([[1, 0, 10], [0, 1, 20]])
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.transforms.combine(move, fn.transforms.scale(scale=(2, 2))))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[ 2.  0. 20.]
     [ 0.  2. 40.]]

    Inputs:
        matrix: the first map: (n, n + 1).
        matrices: the further maps, of as many dimensions.

    Outputs:
        the matrix of all maps: float32, shape (n, n + 1).
    """

    name = "transforms.combine"
    inputs = ("matrix", Input("matrices", many=True))
    sequences = SequenceRules(frame_by_frame=True)
    reverse_order = REVERSE_ORDER

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(self, workspace: Workspace, matrix: Array, *matrices: Array) -> Array:
        result: Array = self._combined([factor[np.newaxis] for factor in (matrix, *matrices)])[0]
        return result

    def batch(self, batch: BatchContext, *columns: TensorList) -> Array | TensorListCPU:
        """Combine the maps of a whole batch at once."""
        try:
            return self._combined([column.dense() for column in columns])
        except ValueError:  # some samples differ from the others, or are wrong

            def one(row: int) -> Array:
                return self.sample(HeapWorkspace(), *(column.row(row) for column in columns))

            return rows_one_by_one(batch, one)

    def _combined(self, columns: list[Array]) -> Array:
        stacks = [as_maps(column) for column in columns]
        if len({stack.shape for stack in stacks}) > 1:
            shapes = ", ".join(str(stack.shape[1:]) for stack in stacks)
            self.refuse(f"maps of one shape can be combined, not {shapes}")
        with np.errstate(all="ignore"):  # NaN and infinity go through
            result = reduce(composed, reversed(stacks) if self.reverse_order else stacks)
        return result.astype(np.float32)
