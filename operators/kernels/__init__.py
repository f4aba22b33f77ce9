"""CUDA sources of the operators, and how they are launched: one launch a batch.

A kernel gets one *descriptor* a sample: a C struct with the addresses and extents that it needs,
made for the whole batch at once as a NumPy structured array. Block (x, i) works on sample i.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...engine.batch import Batch
from ...engine.kernels import Kernel
from ...engine.operator import Array

_FOLDER = Path(__file__).parent
_THREADS = 256
_LANES = {1: 8, 2: 8, 4: 4, 8: 2}  # as `lanes_of` in lanes.cuh
_MOST_BLOCKS = 1024  # a sample; larger ones are covered by loops


def kernel(file: str, function: str, **macros: str) -> Kernel:
    """Return a function of `operators/kernels/<file>.cu`, compiled with these macros."""
    return Kernel(_FOLDER / f"{file}.cu", function, tuple(sorted(macros.items())))


def descriptors(count: int, **fields: Any) -> Array:
    """Return a structured array laid out like the C struct with these members in this order.

    Args:
        count: number of samples.
        fields: arrays of shape (count,) or (count, k), which become members of their type.
    """
    columns = {name: np.asarray(values) for name, values in fields.items()}
    dtype = np.dtype([(n, c.dtype, c.shape[1:]) for n, c in columns.items()], align=True)
    table = np.empty(count, dtype)
    for name, column in columns.items():
        table[name] = column
    return table


def launch_elements(
    batch: Batch, function: Kernel, table: Array, elements: Array, *arguments: Any
) -> None:
    """Launch a kernel whose threads loop over the elements of a sample.

    Args:
        batch: whose device to use.
        function: the kernel; its first argument is the table.
        table: descriptors, one a sample.
        elements: how many loop steps each sample needs: (count,).
        arguments: further arguments.
    """
    most = int(elements.max()) if len(elements) else 0
    blocks = min(-(-most // _THREADS), _MOST_BLOCKS)
    batch.device.launch(
        function, (blocks, len(table)), (_THREADS,), batch.device.upload(table), *arguments
    )


def launch_lanes(
    batch: Batch, function: Kernel, table: Array, elements: Array, largest: int, *arguments: Any
) -> None:
    """Launch a kernel whose threads handle several elements at once: see lanes.cuh.

    Args:
        batch: whose device to use.
        function: the kernel; its first argument is the table.
        table: descriptors, one a sample.
        elements: of each sample: (count,).
        largest: size in bytes of the largest type.
        arguments: further arguments.
    """
    groups = np.where(elements, elements // _LANES[largest] + 2, 0)  # some may be cut at the ends
    launch_elements(batch, function, table, groups, *arguments)
