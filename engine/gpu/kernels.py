"""Kernels: CUDA sources with their macros and structs. A kernel is launched once a batch.

A kernel reads one C struct a sample, with the sample's addresses and extents: see `tables`.
Block (x, i) works on sample i.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from ..errors import ArgumentError

OPTIONS = ("-std=c++17",)
THREADS = 256
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
def c_type(dtype: DTypeLike) -> str:
    """Return the name of a NumPy dtype in CUDA C++."""
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
        macros: (name, text) pairs, defined in front of the source.
        declarations: C text in front of the source, such as the structs of its tables.
    """

    file: Path
    function: str
    macros: tuple[tuple[str, str], ...] = ()
    declarations: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The text for the compiler: macros, declarations, and the file with those it includes.

        Macros are no options of the compiler: for options that are new to the process, CuPy
        compiles an empty program first, which takes as long as the smallest kernels.
        """
        macros = [f"#define {name} {text}" for name, text in self.macros]
        own = [*macros, *self.declarations]
        if "half" in "\n".join(own).split():
            own.insert(0, "#include <cuda_fp16.h>")
        return "\n".join([*own, source_of(self.file)])

    def declaring(self, *texts: str) -> Kernel:
        """Return the kernel with more declarations; a text that is there already is not added."""
        return _declaring(self, texts) if texts else self


@cache
def _declaring(kernel: Kernel, texts: tuple[str, ...]) -> Kernel:
    merged = tuple(dict.fromkeys((*kernel.declarations, *texts)))
    return kernel if merged == kernel.declarations else replace(kernel, declarations=merged)


def check_grid(grid: Sequence[int]) -> None:
    """Raise ArgumentError for a batch that one launch cannot serve: samples are the second axis."""
    if max(grid[1:], default=0) > _MOST_SAMPLES:
        raise ArgumentError(
            f"a batch of {max(grid[1:])} samples is too large for a GPU operator, which takes "
            f"{_MOST_SAMPLES} at most; make batches smaller"
        )


@cache
def source_of(file: Path) -> str:
    """Return the text of a CUDA source, with the text of the files of its folder that it includes.

    The text is complete because CuPy's cache of compiled code identifies a source by its text.
    """

    def included(match: re.Match[str]) -> str:
        return source_of(file.parent / match[1])

    return re.sub(r'^#include "(.+)"$', included, file.read_text(), flags=re.MULTILINE)
