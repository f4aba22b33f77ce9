"""CUDA sources as values, and how they are launched: once a batch.

A kernel gets one *descriptor* a sample: a C struct with the addresses and extents that it needs,
made for the whole batch at once as a NumPy structured array. Block (x, i) works on sample i.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ArgumentError

if TYPE_CHECKING:
    from .batch import Batch
    from .operator import Array

OPTIONS = ("-std=c++17",)
THREADS = 256
_MOST_BLOCKS = 1024  # a sample; larger ones are covered by loops
_MOST_SAMPLES = 65535  # CUDA's limit for the second axis of a grid

_C_TYPES = {
    "bool": "bool",
    "uint8": "unsigned char",
    "int8": "signed char",
    "uint16": "unsigned short",
    "int16": "short",
    "uint32": "unsigned int",
    "int32": "int",
    "uint64": "unsigned long long",
    "int64": "long long",
    "float16": "half",
    "float32": "float",
    "float64": "double",
}


@cache
def c_type(dtype: Any) -> str:
    """Return the name that CUDA C++ has for a NumPy type."""
    name = np.dtype(dtype).name
    if name not in _C_TYPES:
        raise ArgumentError(f"GPU operators have no data type {name}; cast it on the CPU")
    return _C_TYPES[name]


@dataclass(frozen=True)
class Kernel:
    """One `__global__` function of a CUDA source file, with its macros.

    Attributes:
        file: the source; it may include files of its own folder.
        function: name of the function, which is `extern "C"`.
        macros: (name, text) pairs, passed to the compiler as -Dname=text.
    """

    file: Path
    function: str
    macros: tuple[tuple[str, str], ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """What the compiler is told."""
        return (*OPTIONS, *(f"-D{name}={text}" for name, text in self.macros))


def check_grid(grid: Sequence[int]) -> None:
    """Raise ArgumentError for a batch that one launch cannot serve: samples are the second axis."""
    if max(grid[1:], default=0) > _MOST_SAMPLES:
        raise ArgumentError(
            f"a batch of {max(grid[1:])} samples is too large for a GPU operator, which takes "
            f"{_MOST_SAMPLES} at most; make batches smaller"
        )


@cache
def source_of(file: Path) -> str:
    """Return the text of a CUDA source, with the files of its folder that it includes.

    They are put in because CuPy's cache of compiled code knows a source by its text.
    """

    def included(match: re.Match[str]) -> str:
        return source_of(file.parent / match[1])

    return re.sub(r'^#include "(.+)"$', included, file.read_text(), flags=re.MULTILINE)


def descriptors(count: int, **fields: Any) -> Array:
    """Return a structured array laid out like the C struct with these members in this order.

    Args:
        count: number of samples.
        fields: arrays of shape (count,) or (count, k), which become members of their type.
    """
    columns = {name: np.asarray(values) for name, values in fields.items()}
    table = np.empty(count, _struct(tuple((n, c.dtype, c.shape[1:]) for n, c in columns.items())))
    for name, column in columns.items():
        table[name] = column
    return table


@cache
def _struct(members: tuple[tuple[str, np.dtype[Any], tuple[int, ...]], ...]) -> np.dtype[Any]:
    return np.dtype(list(members), align=True)


def blocks_for(elements: Array) -> int:
    """Return how many blocks a sample are launched if the largest has that many elements."""
    most = int(elements.max()) if len(elements) else 0
    return min(-(-most // THREADS), _MOST_BLOCKS)


def launch_elements(
    batch: Batch,
    function: Kernel,
    table: Array,
    elements: Array,
    *arguments: Any,
    shared_bytes: int = 0,
) -> None:
    """Launch a kernel whose threads loop over the elements of a sample.

    Args:
        batch: whose device to use.
        function: the kernel; its first argument is the table.
        table: descriptors, one a sample.
        elements: how many loop steps each sample needs: (count,).
        arguments: further arguments.
        shared_bytes: dynamic shared memory of a block.
    """
    batch.device.launch(
        function,
        (blocks_for(elements), len(table)),
        (THREADS,),
        batch.device.upload(table),
        *arguments,
        shared_bytes=shared_bytes,
    )
