"""`fn.sequence_rearrange`: frames in another order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INTS, REQUIRED, param
from ...engine.graph.row_arguments import try_rows, values_of
from ...engine.graph.sequences import is_sequence
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import CHUNK, Pointers, kernel, launch_elements, struct_table

_MOST_FRAMES = 65535  # in a launch: extent of CUDA's grids


@register
class SequenceRearrange(SampleOperator):
    """Returns sequences whose frame i is the input's frame `new_order[i]`.

    Frames may repeat or be left out.

    Inputs:
        data: (frames, ...), any type; the layout, if there is one, starts with F.

    Outputs:
        the frames in their new order: of the type and layout of the input.

    Raises:
        ArgumentError: an index is not one of a frame, or there is none.
    """

    name = "sequence_rearrange"
    devices = ("cpu", "gpu")
    inputs = ("data",)
    new_order = param(
        INTS, REQUIRED, "For each frame of the result, the index of a frame.", per_sample=True
    )

    def prepare(self) -> None:
        if self.layouts[0] and not is_sequence(self.layouts[0]):
            raise ArgumentError(
                f"{self.called} needs sequences, whose layout starts with F, but the layout is "
                f"{self.layouts[0]!r}; use fn.per_frame(..., replace=True)"
            )

    def sample(self, workspace: Workspace, data: Array, *, new_order: Sequence[int]) -> Array:
        order = _checked(new_order, data.shape)
        out = workspace.empty((len(order), *data.shape[1:]), data.dtype)
        return np.take(data, order, axis=0, out=out)

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, *, new_order: object
    ) -> TensorListGPU:
        orders = values_of(self, "new_order", new_order, batch.size)
        shapes = data.extents()
        checked = [np.zeros(0, np.int64)] * batch.size

        def check(row: int) -> None:
            checked[row] = _checked(orders[row], tuple(shapes[row].tolist()))

        try_rows(batch, range(batch.size), check)
        lengths = np.array([len(order) for order in checked])
        shapes = np.column_stack([lengths, shapes[:, 1:]])
        out = batch.device.empty(shapes, to_numpy_type(data.dtype), self.output_layouts()[0])
        samples = np.repeat(np.arange(batch.size), lengths)
        numbers = np.arange(len(samples)) - (np.cumsum(lengths) - lengths)[samples]
        size = shapes[samples, 1:].prod(axis=1) * to_numpy_type(data.dtype).itemsize
        source, target = (
            pointers[samples] + (index * size).astype(np.uint64)
            for pointers, index in (
                (data.pointers(), np.concatenate(checked)),
                (out.pointers(), numbers),
            )
        )
        for first in range(0, len(samples), _MOST_FRAMES):
            some = slice(first, first + _MOST_FRAMES)
            _copy_frames(batch, source[some], target[some], size[some])
        return out


def _copy_frames(batch: BatchContext, source: Array, target: Array, size: Array) -> None:
    """Copy as many bytes as `size` says from addresses to addresses: (frames,)."""
    table = struct_table(
        "Sample",
        len(size),
        source=Pointers(source, "const unsigned char*"),
        out=Pointers(target, "unsigned char*"),
        bytes=size,
    )
    steps = -(-size // CHUNK)
    launch_elements(batch.device, kernel("sequences/move_frames", "move_frames"), table, steps)


def _checked(order: Sequence[int], shape: tuple[int, ...]) -> Array:
    """Return the order as an array; refuse indices that are not those of frames."""
    if not shape:
        raise ArgumentError("the sample is a single number, which has no frames")
    if not len(order):
        raise ArgumentError("new_order is empty; name one frame or more")
    for i, index in enumerate(order):
        if not 0 <= index < shape[0]:
            raise ArgumentError(
                f"new_order[{i}] is {index}, but the sequence has the frames 0 to {shape[0] - 1}"
            )
    return np.array(order, np.int64)
