"""CUDA sources as values: a file, a function in it, and what is put for its type names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .errors import ArgumentError

OPTIONS = ("-std=c++17",)

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


@cache
def source_of(file: Path) -> str:
    """Return the text of a CUDA source, with the files of its folder that it includes.

    They are put in because CuPy's cache of compiled code knows a source by its text.
    """

    def included(match: re.Match[str]) -> str:
        return source_of(file.parent / match[1])

    return re.sub(r'^#include "(.+)"$', included, file.read_text(), flags=re.MULTILINE)
