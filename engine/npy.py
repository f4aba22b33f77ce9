"""`.npy` files: the header, and the elements that follow it.

Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1 to 3.
NumPy evaluates the header as Python; files come from anywhere, so here it is only matched.

Tensors hold real numbers. So an array of complex numbers is handed out as one of floats with a
last axis more, of two: real and imaginary part (`torch.view_as_complex` takes it back), and one
of dates or differences of dates as int64, counted in the unit that the file was written with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import DecodeError

MAGIC = b"\x93NUMPY"
PREFIX = 12
"""So many bytes of a file tell how long its header is."""

_LENGTH_BYTES = {1: 2, 2: 4, 3: 4}
_LONGEST_HEADER = 1 << 16
_MOST_DIMENSIONS = 32
_MOST_BYTES = (1 << 63) - 1
_ENTRY = re.compile(
    r"""\s* (['"]) (?P<key>descr|fortran_order|shape) \1 \s* : \s*
    (?: (['"]) (?P<descr>[^'"]*) \3 | (?P<order>True|False) | \( (?P<shape>[\d\sL,]*) \) )
    \s* (?: , | (?=}) )""",
    re.VERBOSE,
)
_NUMBERS = re.compile(
    r"[<>|=]?(b1|\?|[iu][1248]|f[248]|c8|c16"
    r"|[mM]8(\[([1-9][0-9]{0,8})?(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?)"
)
_DIMENSION = re.compile(r"\s*([0-9]{1,19})L?\s*")
_OTHERS = {
    "O": "Python objects, which only unpickling could make, and that may run any program",
    "c": "complex numbers of that size",
    "U": "strings",
    "S": "byte strings",
    "V": "records",
    "M": "dates of an unknown unit",
    "m": "differences of dates of an unknown unit",
    "f": "floating point numbers of that size",
}


@dataclass(frozen=True)
class NpyHeader:
    """What the header of a file says.

    Attributes:
        dtype: of the elements as they are stored, which may be in the other byte order.
        shape: of the array.
        fortran_order: whether the first index runs fastest.
        offset: where the elements begin in the file.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran_order: bool
    offset: int

    @property
    def nbytes(self) -> int:
        """Bytes that the elements take."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def native(self) -> np.dtype[Any]:
        """The elements' type in this machine's byte order."""
        return self.dtype.newbyteorder("=")

    def wrong_size(self, there: int) -> DecodeError:
        """Return the error of a file in which `there` bytes follow the header."""
        return DecodeError(
            f".npy: an array of shape {self.shape} and type {self.dtype.name} takes "
            f"{self.nbytes} bytes, but {there} follow the header"
        )


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
        data: as many bytes as `header_length` says, or more.

    Raises:
        DecodeError: this is no `.npy` file, or of elements other than numbers.
    """
    offset = header_length(data[:PREFIX])
    if len(data) < offset:
        raise DecodeError(f".npy: cut off after {len(data)} bytes, in the header of {offset}")
    text = data[8 + _LENGTH_BYTES[data[6]] : offset].decode("latin-1").strip()
    entries = _entries(text)
    dtype, shape = _dtype(entries["descr"]), _shape(entries["shape"])
    if prod(max(extent, 1) for extent in shape) * dtype.itemsize > _MOST_BYTES:
        raise DecodeError(f".npy: an array of shape {shape} is larger than any memory")
    return NpyHeader(dtype, shape, entries["fortran_order"] == "True", offset)


def read_header(data: NDArray[np.uint8]) -> NpyHeader:
    """Parse the header of a file.

    Args:
        data: the file, uint8, one dimension; may be cut off behind the header.

    Raises:
        DecodeError: see `parse_header`.
    """
    return parse_header(data[: header_length(data[:PREFIX].tobytes())].tobytes())


def stored_elements(data: NDArray[np.uint8], header: NpyHeader) -> NDArray[Any]:
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


def numbers_of(dtype: np.dtype[Any]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return the native type that elements are handed out as, and the shape of one of them.

    >>> numbers_of(np.dtype(">c8")), numbers_of(np.dtype("M8[s]")), numbers_of(np.dtype("i2"))
    ((dtype('float32'), (2,)), (dtype('int64'), ()), (dtype('int16'), ()))
    """
    if dtype.kind == "c":
        return np.dtype(f"f{dtype.itemsize // 2}"), (2,)
    return (np.dtype(np.int64) if dtype.kind in "mM" else dtype.newbyteorder("=")), ()


def as_stored(numbers: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return memory for handing elements out (see `numbers_of`) as such elements, to fill it."""
    elements: NDArray[Any] = numbers.view(dtype.newbyteorder("="))
    return elements[..., 0] if dtype.kind == "c" else elements


def as_numbers(elements: NDArray[Any]) -> NDArray[Any]:
    """Return elements as they are handed out: a view; see `numbers_of`.

    Args:
        elements: in native byte order, C-contiguous.
    """
    dtype, more = numbers_of(elements.dtype)
    return elements[..., np.newaxis].view(dtype) if more else elements.view(dtype)


def array_of_npy(data: NDArray[np.uint8]) -> NDArray[Any]:
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


def _entries(text: str) -> dict[str, str]:
    entries: dict[str, str] = {}
    position = 1
    while match := _ENTRY.match(text, position):
        value = {"descr": match["descr"], "fortran_order": match["order"], "shape": match["shape"]}
        found = value[match["key"]]
        if found is None or match["key"] in entries:
            break
        entries[match["key"]] = found
        position = match.end()
    if text[:1] != "{" or text[position:].strip() != "}" or len(entries) != 3:
        reason = "structured types are not supported" if "[" in text else "it cannot be understood"
        raise DecodeError(f".npy: {reason}: the header reads {text[:200]!r}")
    return entries


def _dtype(descr: str) -> np.dtype[Any]:
    if _NUMBERS.fullmatch(descr):
        return np.dtype(descr)
    held = _OTHERS.get(descr.lstrip("<>|=")[:1], "elements of a type that is not known")
    raise DecodeError(
        f".npy: {descr[:50]!r} stands for {held}; only booleans, integers, floating point numbers "
        "of 2, 4 and 8 bytes, complex numbers of twice 4 and 8, and dates are read"
    )


def _shape(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not parts[-1].strip():
        parts.pop()
    matches = [_DIMENSION.fullmatch(part) for part in parts]
    if len(parts) > _MOST_DIMENSIONS or None in matches:
        raise DecodeError(f".npy: the shape reads ({text[:200]})")
    return tuple(int(match[1]) for match in matches if match)
