"""Launches in which several blocks divide the elements of a sample."""

from __future__ import annotations

from ..arrays import Array
from .device import Device
from .kernels import THREADS, Kernel
from .tables import StructTable

MAX_BLOCKS = 1024
"""Blocks of a sample; their threads loop over the elements beyond."""


def blocks_for(elements: Array) -> int:
    """Return the number of blocks for each sample, enough for the largest sample."""
    most = int(elements.max()) if len(elements) else 0
    return min(-(-most // THREADS), MAX_BLOCKS)


def launch_elements(
    device: Device,
    function: Kernel,
    table: StructTable,
    elements: Array,
    *arguments: object,
    shared_bytes: int = 0,
) -> None:
    """Launch a kernel whose threads loop over the elements of a sample.

    Args:
        device: the device to launch on.
        function: the kernel; its first argument is the table.
        table: one struct a sample.
        elements: the number of loop steps that each sample needs: (count,).
        arguments: further arguments.
        shared_bytes: dynamic shared memory of a block.
    """
    device.launch(
        function,
        (blocks_for(elements), len(table)),
        (THREADS,),
        table,
        *arguments,
        shared_bytes=shared_bytes,
    )
