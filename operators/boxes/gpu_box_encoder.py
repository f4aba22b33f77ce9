"""`fn.box_encoder` for a whole batch on the GPU, in two launches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.graph.row_arguments import try_rows
from ...engine.tensors import TensorListGPU, address_of
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import THREADS, Pointers, blocks_for, kernel, launch_elements, struct_table
from .anchors import Anchors

_STEPS = 8  # anchors that a thread compares before it reports the best
_MOST_BOXES = 65535  # of a grid; blocks loop over further boxes, because CUDA allows no more


def encode_batch(
    batch: BatchContext,
    boxes: TensorListGPU,
    labels: TensorListGPU,
    good: Array,
    table: Anchors,
    check: Callable[[Array], None],
) -> tuple[TensorListGPU, TensorListGPU]:
    """Match the boxes of a batch with anchors.

    The first kernel finds the best anchor of each box, the second one the box of each anchor.

    Args:
        boxes, labels: the inputs.
        good: which samples have boxes and labels of the right shape: (batch,) bool.
        table: the anchors.
        check: raises the error of boxes that cannot be encoded.
    """
    device, size = batch.device, len(boxes)
    counts = np.where(good, boxes.extents()[:, 0], 0)
    dtype = to_numpy_type(labels.dtype)
    out = device.empty(np.broadcast_to([len(table), 4], (size, 2)), np.float32)
    chosen = device.empty(np.full((size, 1), len(table)), dtype)
    marks = device.upload(np.zeros(size, np.uint8))
    samples = struct_table(
        "Sample",
        size,
        boxes=Pointers(boxes.pointers(), "const float*"),
        labels=Pointers(labels.pointers(), "const Label*"),
        out=Pointers(out.pointers(), "float*"),
        chosen=Pointers(chosen.pointers(), "Label*"),
        mark=Pointers(address_of(marks) + np.arange(size, dtype=np.uint64), "unsigned char*"),
        first=np.cumsum(counts) - counts,
        boxes_of_sample=counts.astype(np.int32),
        label_step=labels.extents()[:, 1:].prod(axis=1),
    )
    samples = device.upload_table(samples)
    best = device.upload(np.zeros(max(1, int(counts.sum())), np.uint64))
    anchors = device.upload(table.table), np.int32(len(table)), best
    macros: dict[str, str | int] = {"Label": c_type(dtype), "OFFSET": table.offset}
    counts_of_anchors = np.full(size, len(table))
    match = kernel("boxes/encode_boxes", "best_anchors", **macros)
    boxes_together = min(int(counts.max(initial=0)), _MOST_BOXES)
    grid = blocks_for(-(-counts_of_anchors // _STEPS)), size, boxes_together
    device.launch(match, grid, (THREADS,), samples, *anchors)
    encode = kernel("boxes/encode_boxes", "encode", **macros)
    norm = device.upload(np.concatenate([table.means, table.stds]))
    numbers = norm, table.criteria, table.scale
    launch_elements(device, encode, samples, counts_of_anchors, *anchors, *numbers)
    _report(batch, boxes, marks, check)
    return out, chosen


def _report(
    batch: BatchContext, boxes: TensorListGPU, marks: object, check: Callable[[Array], None]
) -> None:
    """Enter the errors of the samples that the kernel marks."""
    seen = batch.device.to_host(TensorListGPU(marks), batch.empty).dense()
    values = batch.device.to_host(boxes, batch.empty)

    def report() -> None:
        try_rows(batch, np.flatnonzero(seen), lambda row: check(values.row(row)))

    batch.check_later(report)
