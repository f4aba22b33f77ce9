"""`.npy` files: the header, and the elements that follow it.

Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1 to 3.
NumPy parses the header, as a Python literal of bounded length; what the header says is checked
here, because files come from anywhere.

Tensors hold real numbers. So complex numbers are handed out as floats with one more axis of two
at the end: real and imaginary part (`torch.view_as_complex` takes them back). Dates and
differences of dates are handed out as int64, counted in the unit that the file was written with.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from math import prod
from operator import mul

import numpy as np
from numpy.lib import format as numpy_format
from numpy.typing import NDArray

from ..engine.arrays import Array, DType
from ..engine.errors import DecodeError

MAGIC = b"\x93NUMPY"
PREFIX = 12
"""Bytes at the beginning of a file that hold the length of its header."""

_Parsed = tuple[tuple[int, ...], bool, DType]
_Parser = Callable[[io.BytesIO], _Parsed]

_LENGTH_BYTES = {1: 2, 2: 4, 3: 4}
# Version 3 differs from version 2 in the coding of field names alone, and records are refused.
_PARSERS: dict[int, _Parser] = {
    1: numpy_format.read_array_header_1_0,
    2: numpy_format.read_array_header_2_0,
    3: numpy_format.read_array_header_2_0,
}
_LONGEST_HEADER = 10_000  # NumPy's own limit; longer literals might exhaust Python's parser
_MOST_DIMENSIONS = 32
_MOST_BYTES = (1 << 63) - 1
_ITEM_SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}
_ITEM_SIZES |= {"m": (8,), "M": (8,)}
_OTHERS = {
    "O": "Python objects, which only unpickling could make, and that may run any program",
    "c": "complex numbers of that size",
    "U": "strings",
    "S": "byte strings",
    "V": "records",
    "f": "floating point numbers of that size",
}


@dataclass(frozen=True)
class NpyHeader:
    """The content of a file's header.

    Attributes:
        dtype: dtype of the elements as they are stored, which may be in the other byte order.
        shape: shape of the array.
        fortran_order: whether the first index runs fastest.
        offset: position of the first element in the file, in bytes.
        beginning: the bytes of the file before the elements, if a file was read.
    """

    dtype: DType
    shape: tuple[int, ...]
    fortran_order: bool
    offset: int
    beginning: bytes = field(default=b"", compare=False, repr=False)

    @property
    def nbytes(self) -> int:
        """Bytes that the elements take."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def native(self) -> DType:
        """The elements' type in this machine's byte order."""
        return self.dtype.newbyteorder("=")

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next in the file, along each axis."""
        shape = self.shape if self.fortran_order else self.shape[::-1]
        strides = tuple(accumulate(shape[:-1], mul, initial=self.dtype.itemsize))[: len(shape)]
        return strides if self.fortran_order else strides[::-1]

    def wrong_size(self, there: int) -> DecodeError:
        """Return the error of a file in which `there` bytes follow the header."""
        return DecodeError(
            f".npy: an array of shape {self.shape} and type {self.dtype.name} takes "
            f"{self.nbytes} bytes, but {there} follow the header"
        )


class NoNumbersError(DecodeError):
    """The elements of an array are texts or objects."""


def header_length(prefix: bytes) -> int:
    """Return where the elements begin, from the first `PREFIX` bytes of a file.

    Raises:
        DecodeError: this is no `.npy` file, or one of an unknown version.
    """
    if prefix[:6] != MAGIC:
        raise DecodeError(
            f"no .npy file: it begins with {prefix[:6]!r} instead of {MAGIC!r}"
            if prefix
            else "no .npy file: it is empty"
        )
    width = _LENGTH_BYTES.get(prefix[6] if len(prefix) > 6 else 0)
    if width is None:
        raise DecodeError(
            f".npy: version {'.'.join(map(str, prefix[6:8])) or 'missing'}; 1, 2 and 3 are known"
        )
    if len(prefix) < 8 + width:
        raise DecodeError(f".npy: cut off after {len(prefix)} bytes, in the header")
    length = int.from_bytes(prefix[8 : 8 + width], "little")
    if length > _LONGEST_HEADER:
        raise DecodeError(f".npy: a header of {length} bytes; at most {_LONGEST_HEADER} are read")
    return 8 + width + length


@lru_cache(maxsize=256)  # the files of a data set commonly begin with the same bytes
def parse_header(data: bytes) -> NpyHeader:
    """Parse the header at the beginning of a file.

    Args:
        data: bytes of the header: `header_length` of them, or more.

    Raises:
        DecodeError: this is no `.npy` file, or of elements other than numbers.
    """
    offset = header_length(data[:PREFIX])
    if len(data) < offset:
        raise DecodeError(f".npy: cut off after {len(data)} bytes, in the header of {offset}")
    try:
        shape, fortran_order, dtype = _PARSERS[data[6]](io.BytesIO(data[8:offset]))
    except Exception as error:  # Python's parser has many ways to refuse a literal
        reason = f"{type(error).__name__}: {str(error)[:300]}"
        raise DecodeError(f".npy: the header cannot be understood: {reason}") from None
    _check_dtype(dtype)
    if len(shape) > _MOST_DIMENSIONS or any(type(n) is not int or n < 0 for n in shape):
        raise DecodeError(
            f".npy: the shape is {str(shape)[:200]}; it must be of at most {_MOST_DIMENSIONS} "
            "integers from 0 on"
        )
    if prod(max(extent, 1) for extent in shape) * dtype.itemsize > _MOST_BYTES:
        raise DecodeError(f".npy: an array of shape {shape} is larger than any memory")
    return NpyHeader(dtype, shape, fortran_order, offset, data[:offset])


def _check_dtype(dtype: DType) -> None:
    if dtype.itemsize not in _ITEM_SIZES.get(dtype.kind, ()):
        held = _OTHERS.get(dtype.kind, "elements of a type that is not known")
        raise NoNumbersError(
            f".npy: {str(dtype)[:50]!r} stands for {held}; only booleans, integers, floating point "
            "numbers of 2, 4 and 8 bytes, complex numbers of twice 4 and 8, and dates are read"
        )


def read_header(data: NDArray[np.uint8]) -> NpyHeader:
    """Parse the header of a file.

    Args:
        data: the file, uint8, one dimension; may be cut off behind the header.

    Raises:
        DecodeError: see `parse_header`.
    """
    return parse_header(data[: header_length(data[:PREFIX].tobytes())].tobytes())


def stored_elements(data: NDArray[np.uint8], header: NpyHeader) -> Array:
    """Return the array of a file as a view: in the stored byte order, aligned or not.

    Bytes that follow it are passed over.

    Args:
        data: the whole file, uint8, one dimension, C-contiguous.
        header: its header.

    Raises:
        DecodeError: the file is cut off.
    """
    there = data.size - header.offset
    if there < header.nbytes:
        raise header.wrong_size(there)
    elements = data[header.offset : header.offset + header.nbytes].view(header.dtype)
    return elements.reshape(header.shape, order="F" if header.fortran_order else "C")


def parse_file(data: NDArray[np.uint8]) -> tuple[NpyHeader, Array]:
    """Return the header of a file that holds an array alone, and its elements as a view.

    Args:
        data: the whole file, uint8, one dimension, C-contiguous.

    Raises:
        DecodeError: this is no such file, or its size is not what its header says.
    """
    header = read_header(data)
    there = data.size - header.offset
    if there != header.nbytes:
        raise header.wrong_size(there)
    return header, stored_elements(data, header)


def numbers_of(dtype: DType) -> tuple[DType, tuple[int, ...]]:
    """Return the native type that elements are handed out as, and the shape of one of them.

    >>> numbers_of(np.dtype(">c8")), numbers_of(np.dtype("M8[s]")), numbers_of(np.dtype("i2"))
    ((dtype('float32'), (2,)), (dtype('int64'), ()), (dtype('int16'), ()))
    """
    if dtype.kind == "c":
        return np.dtype(f"f{dtype.itemsize // 2}"), (2,)
    return (np.dtype(np.int64) if dtype.kind in "mM" else dtype.newbyteorder("=")), ()


def as_stored(numbers: Array, dtype: DType) -> Array:
    """Return memory for handing elements out (see `numbers_of`) as such elements, to fill it."""
    elements: Array = numbers.view(dtype.newbyteorder("="))
    return elements[..., 0] if dtype.kind == "c" else elements


def as_numbers(elements: Array) -> Array:
    """Return elements as they are handed out: a view; see `numbers_of`.

    Args:
        elements: elements in native byte order, C-contiguous.
    """
    dtype, more = numbers_of(elements.dtype)
    return elements[..., np.newaxis].view(dtype) if more else elements.view(dtype)


def array_of_npy(data: NDArray[np.uint8]) -> Array:
    """Return the numbers of a file, in C order, aligned, and in native byte order.

    The result shares the memory of `data` if that is possible. Bytes that follow the array are
    passed over.

    Args:
        data: the whole file, uint8, one dimension, C-contiguous.

    Raises:
        DecodeError: this is no `.npy` file, of elements other than numbers, or cut off.
    """
    header = read_header(data)
    elements = stored_elements(data, header)
    if header.dtype == np.bool_:  # any other byte than 0 and 1 would be no bool
        elements = elements.view(np.uint8) != 0
    return as_numbers(np.require(elements, header.native, ["C", "A"]))
