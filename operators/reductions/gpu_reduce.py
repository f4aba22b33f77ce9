"""Reductions of a batch along axes on the GPU."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from ...engine.arrays import Int64s
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import THREADS, Pointers, addresses_in, kernel, launch_elements, struct_table
from .axis_groups import axis_groups

_ACC_BYTES = 8  # the largest type in which a kernel sums

MAX_BLOCKS = 256
"""Maximum number of blocks of a sample; the blocks loop over further work."""

MIN_TERMS = 16
"""Minimum number of elements that a thread reduces, if blocks share a sum."""


class GpuReduction(NamedTuple):
    """What a kernel computes, in CUDA C++.

    Attributes:
        acc: type of the sum, or of the least or largest element.
        term: what an element x adds, given the mean if there is one.
        join: of a and b.
        start: what nothing gives.
        result: of the joined number a, and of the count of elements.
    """

    acc: str
    term: str
    join: str
    start: str
    result: str


def reduce_batch(
    batch: BatchContext,
    data: TensorListGPU,
    axes: Collection[int],
    reduction: GpuReduction,
    out: TensorListGPU,
    divisors: Int64s,
    mean: TensorListGPU | None = None,
) -> None:
    """Reduce all samples along the axes, in two launches.

    Args:
        data: the samples.
        axes: to reduce; not negative.
        reduction: what to compute.
        out: the results, with one element for each statistic.
        divisors: the count in the expression of the result: (batch,).
        mean: one number a sample, or one for each statistic.
    """
    work = _Division(data.extents(), axes)
    work.statistics[list(batch.errors)] = 0  # nothing of these samples is read
    sizes = work.statistics * work.splits
    memory = batch.device.buffer(int(sizes.sum()) * _ACC_BYTES)
    types = {"In": to_numpy_type(data.dtype), "Out": to_numpy_type(out.dtype)}
    means: dict[str, Any] = {}
    if mean is not None:
        types["MEAN"] = to_numpy_type(mean.dtype)
        several = mean.extents().prod(axis=1) != 1
        means = {"mean": Pointers(mean.pointers(), "const MEAN*"), "mean_step": several.astype(int)}
    table = struct_table(
        "Reduced",
        batch.size,
        source=Pointers(data.pointers(), "const In*"),
        out=Pointers(out.pointers(), "Out*"),
        partial=addresses_in(memory, sizes, _ACC_BYTES),
        divisor=divisors.astype(np.float64),
        **work.members(),
        **means,
    )
    table = batch.device.upload_table(table)
    macros: dict[str, Any] = {name: c_type(dtype) for name, dtype in types.items()}
    macros["LAST_REDUCED"] = work.last_reduced
    batch.device.launch(
        _kernel("parts", reduction, macros),
        (work.blocks, batch.size),
        (THREADS,),
        table,
        np.int32(work.lanes),
        shared_bytes=THREADS * _ACC_BYTES,
    )
    launch_elements(batch.device, _kernel("whole", reduction, macros), table, work.statistics)


class _Division:
    """The axes of a reduction, and its division among threads and blocks.

    Attributes:
        statistics: number of results of each sample: (batch,).
        terms: number of elements of a result: (batch,).
        splits: number of blocks that share each result: (batch,).
        lanes: number of threads that reduce a result together: a power of 2.
        last_reduced: whether the innermost axis is reduced.
    """

    def __init__(self, shapes: Int64s, axes: Collection[int]) -> None:
        one = np.ones((len(shapes), 1), np.int64)
        groups = axis_groups(shapes.shape[1], axes)
        extents = np.column_stack([one, *(shapes[:, g.axes].prod(axis=1) for g in groups)])
        reduced = np.array([False, *(group.reduced for group in groups)])
        inner = np.column_stack([extents[:, 1:], one])[:, ::-1]
        steps = np.cumprod(inner, axis=1)[:, ::-1]
        self._kept = extents[:, ~reduced], steps[:, ~reduced]
        self._reduced = (extents[:, reduced], steps[:, reduced]) if reduced.any() else (one, one)
        self.statistics: Int64s = self._kept[0].prod(axis=1)
        self.terms: Int64s = self._reduced[0].prod(axis=1)
        self.last_reduced = bool(reduced[-1])
        widest = self.terms if self.last_reduced else self.statistics
        threads = min(THREADS, 1 << max(0, int(widest.max(initial=1)) - 1).bit_length())
        self.lanes = threads if self.last_reduced else THREADS // threads
        chunks = -(-self.statistics // (THREADS // self.lanes))
        room = MAX_BLOCKS // chunks.clip(1)
        least = self.lanes * MIN_TERMS
        self.splits: Int64s = np.minimum(room, self.terms // least).clip(1)
        self._items = chunks * self.splits

    @property
    def blocks(self) -> int:
        """Number of blocks of a sample."""
        return int(self._items.max(initial=1).clip(1, MAX_BLOCKS))

    def members(self) -> dict[str, Int64s]:
        """Return members of the kernel's struct."""
        (kept, kept_steps), (reduced, reduced_steps) = self._kept, self._reduced
        return {
            "kept": kept,
            "kept_steps": kept_steps,
            "reduced": reduced,
            "reduced_steps": reduced_steps,
            "statistics": self.statistics,
            "terms": self.terms,
            "splits": self.splits,
            "part": -(-self.terms // self.splits),
        }


def _kernel(function: str, reduction: GpuReduction, macros: dict[str, object]) -> Any:
    texts = (
        f"typedef {reduction.acc} Acc;",
        f"#define TERM ((Acc)({reduction.term}))",
        f"#define JOIN ({reduction.join})",
        f"#define START ((Acc)({reduction.start}))",
        f"#define RESULT ({reduction.result})",
    )
    return kernel("reductions/reduce_axes", function, **macros).declaring(*texts)
