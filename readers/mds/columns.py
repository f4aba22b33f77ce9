"""The encodings of MDS, and the outputs that their values become."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, DType, Int64s, Shape
from ...engine.errors import ArgumentError, SourceError
from ...engine.suggestions import not_among
from ..parquet.values import BadValueError, ByteValues, NumberValues, fitted
from ..source import Allocate, Column
from ..storage.records import windows
from ..storage.storage import cut
from .index_file import StoredColumn

_CODES = (8, 9, 16, 17, 18, 32, 33, 34, 64, 65, 66)
_NAMES = (
    *("uint8", "int8", "uint16", "int16", "float16", "uint32", "int32", "float32"),
    *("uint64", "int64", "float64"),
)
_DTYPES = dict(zip(_CODES, _NAMES, strict=True))
"""Types of arrays by their code."""

NUMBERS = {"int": "int64"} | {name: name for name in _NAMES}
TEXTS = {"str": "uint8", "str_int": "int64", "str_float": "float64", "str_decimal": "uint8"}
"""Encodings of numbers and of texts, and what they become by default."""

ARRAY, PIL = "ndarray", "pil"
ENCODINGS = (*TEXTS, "bytes", "json", "jpeg", "png", PIL, ARRAY, *NUMBERS)
"""Those that are read."""

LISTS = {
    **dict.fromkeys(("list[pil]", "list[jpeg]", "list[png]"), 2),
    **dict.fromkeys(("jpeg_array", "jpegarray"), 1),
}
"""Encodings of lists of images, and the uint32 up to the number of images, with which they begin.
The sizes of the images follow, and then the images."""

_ITEM = re.compile(r"(.*)\[(\d{1,9})\]")
"""Name of an image of a list."""

_MOST_AXES = 32
"""NumPy before its second release has no more."""

_MODES = {
    "L": (1, "GRAYSCALE"),
    "LA": (2, "GRAYSCALE_ALPHA"),
    "RGB": (3, "RGB"),
    "RGBA": (4, "RGB_ALPHA"),
}
"""Channels of the images of Pillow's modes, and what PAM calls them."""


class EncodingRule(NamedTuple):
    """The rule by which a column becomes an output.

    Attributes:
        name: of the column.
        encoding: without its options.
        dtype: of the output; None if the first sample tells it.
        ndim: number of dimensions of a sample; -1 if the first sample tells it.
        stored: type of numbers; None for bytes, and for arrays that tell it themselves.
        shape: of arrays; None if each tells it itself.
        item: the number of the image of a list that is taken; None where values are no lists.
    """

    name: str
    encoding: str
    dtype: DType | None
    ndim: int
    stored: DType | None = None
    shape: Shape | None = None
    item: int | None = None

    def take(self, block: Bytes, starts: Int64s, sizes: Int64s, allocate: Allocate) -> Column:
        """Return samples, whose values are `sizes` bytes at `starts` of the block.

        Raises:
            BadValueError: one is damaged, or is no number of the type.
        """
        if self.encoding == ARRAY:
            return self._arrays(cut(block, starts, sizes), allocate)
        assert self.dtype is not None  # only arrays tell it themselves
        rows = np.arange(len(starts))
        if self.stored is not None:
            numbers = windows(block, self.stored)[starts]
            return NumberValues(numbers, self.dtype, None).take(rows, allocate)
        if self.dtype == np.uint8:
            values = cut(block, starts, sizes)
            if self.item is not None:
                values = [self._image(row, value) for row, value in enumerate(values)]
            if self.encoding == PIL:
                return [_as_pam(row, value, allocate) for row, value in enumerate(values)]
            if self.encoding == f"list[{PIL}]":
                return [_as_pam(r, v, allocate) if v.size else v for r, v in enumerate(values)]
            return values
        is_text = self.encoding in TEXTS and self.dtype.itemsize > 1
        return ByteValues(block, starts, sizes, self.dtype, is_text, None).take(rows, allocate)

    def _image(self, row: int, value: Bytes) -> Bytes:
        """Return the image of a list that is wanted; no bytes if the list has fewer."""
        assert self.item is not None
        head = LISTS[self.encoding]
        numbers = value[: value.size // 4 * 4].view("<u4")
        count = int(numbers[head - 1]) if numbers.size >= head else 0
        sizes = numbers[head : head + count].astype(np.int64)
        begin = 4 * (head + count)
        if numbers.size < head + count or begin + sizes.sum() != value.size:
            raise BadValueError(row, f"is a list of {count} images that are not {value.size} bytes")
        start = begin + int(sizes[: self.item].sum())
        return value[start : start + int(sizes[self.item : self.item + 1].sum())]

    def _arrays(self, values: Sequence[Bytes], allocate: Allocate) -> Column:
        arrays: list[NDArray[Any]] = []
        for row, value in enumerate(values):
            skipped, stored, shape = self.form(row, value, value.size)
            if len(shape) != self.ndim >= 0:
                raise BadValueError(row, f"has {len(shape)} dimensions, and others {self.ndim}")
            arrays.append(np.ndarray(shape, stored, value.data, skipped))
        samples: Column = []
        dtype = self.dtype or np.uint8
        if len({array.shape for array in arrays}) == 1:
            samples = allocate((len(arrays), *arrays[0].shape), dtype)
        else:
            samples = [allocate(array.shape, dtype) for array in arrays]
        for row, (array, sample) in enumerate(zip(arrays, samples, strict=True)):
            sample[...], changed = fitted(array, sample.dtype)
            if changed.any():
                raise BadValueError(row, f"holds a number that {sample.dtype} has not")
        return samples

    def form(self, row: int, head: Bytes, size: int) -> tuple[int, DType, Shape]:
        """Return the size of an array's header, its type and its shape.

        Args:
            row: of the value, for errors.
            head: the header of the value, at least.
            size: of the value.
        """
        place, stored, shape = 0, self.stored, self.shape
        if stored is None:
            code = int(head[0]) if size else -1
            if code not in _DTYPES:
                raise BadValueError(row, f"is an array of an unknown type, {code}")
            place, stored = 1, np.dtype(_DTYPES[code])
        if shape is None:
            coded = int(head[place]) if place < size else 0
            axes, extent = coded >> 2, 1 << (coded & 3)
            place += 1 + axes * extent
            if not 0 < axes <= _MOST_AXES or place > size:
                raise BadValueError(row, f"is an array of {axes} dimensions in {size} bytes")
            shape = tuple(head[place - axes * extent : place].view(f"<u{extent}").tolist())
        if prod(shape) * stored.itemsize != size - place:
            told = f"{stored.name} of shape {shape!s:.200}"
            raise BadValueError(row, f"is an array, {told}, in {size - place} bytes")
        return place, stored, shape


def is_read(column: StoredColumn) -> bool:
    """Return whether the encoding of a column is one that is read."""
    return column.encoding.partition(":")[0] in ENCODINGS


def rule_of(
    columns: Sequence[StoredColumn], name: str, dtype: DType | None, where: str
) -> EncodingRule:
    """Return how a column becomes an output.

    Args:
        columns: of the shards.
        name: of the column.
        dtype: that the user wants; None for the usual one.
        where: the data set, for messages.

    Raises:
        ArgumentError: there is no such column, or it cannot be read, or not as `dtype`.
        SourceError: the index is damaged.
    """
    by_name = {column.name: column for column in columns}
    item = None
    if (found := _ITEM.fullmatch(name)) and name not in by_name:
        listed = by_name.get(found[1])
        if listed is not None and listed.encoding in LISTS:
            name, item = found[1], int(found[2])
    if name not in by_name:
        raise ArgumentError(f"{where} has no column {not_among(name, by_name)}")
    column = by_name[name]
    told = f"{where}: the column {name!r} has the encoding {column.encoding!r:.100}"
    encoding, _, options = column.encoding.partition(":")
    if encoding == "pkl":
        raise ArgumentError(
            f"{told}: a pickle can run any program when it is read; write the samples anew with "
            "another encoding"
        )
    if encoding in LISTS and item is None:
        raise ArgumentError(
            f"{told}: name one of its images for each output, such as '{name}[0]', the first"
        )
    if encoding not in ENCODINGS and encoding not in LISTS:
        raise ArgumentError(f"{told}; those that are read are {', '.join(ENCODINGS)}")
    stored, shape = _form_of(encoding, options, told)
    fixed = stored is not None and shape is not None
    size = prod(shape or ()) * stored.itemsize if stored is not None and fixed else 0
    if column.size != size:
        raise SourceError(
            f"{told} and {column.size} bytes a value, not {size}; the index is damaged"
        )
    if encoding in NUMBERS or encoding == ARRAY:
        ndim = -1 if shape is None else len(shape)
        return EncodingRule(name, encoding, dtype or stored, ndim, stored, shape)
    wanted = dtype or np.dtype(TEXTS.get(encoding, "uint8"))
    if wanted == np.bool_ or (wanted != np.uint8 and encoding not in (*TEXTS, "bytes")):
        raise ArgumentError(f"{told}, which becomes uint8, and not {wanted}")
    is_number = encoding in TEXTS and wanted.itemsize > 1
    return EncodingRule(name, encoding, wanted, 0 if is_number else 1, item=item)


def _form_of(encoding: str, options: str, told: str) -> tuple[DType | None, Shape | None]:
    """Return the type and the shape of numbers and arrays, as far as the encoding tells them."""
    if encoding in NUMBERS:
        return np.dtype(NUMBERS[encoding]), ()
    if encoding != ARRAY or not options:
        return None, None
    kind, _, extents = options.partition(":")
    try:
        shape = tuple(map(int, extents.split(","))) if extents else None
        if shape is not None and not (len(shape) <= _MOST_AXES and min(shape) > 0):
            raise ValueError
        return np.dtype({name: name for name in _NAMES}[kind]), shape
    except (KeyError, ValueError):
        raise SourceError(f"{told}, which is none; the index is damaged") from None


def _as_pam(row: int, value: Bytes, allocate: Allocate) -> Bytes:
    """Return pixels behind their width, height, and mode with its size, as an image in PAM."""
    numbers = value[:12].tobytes().ljust(12, b"\0")
    width, height, letters = np.frombuffer(numbers, "<u4").tolist()
    mode = value[12 : 12 + min(letters, 8)].tobytes().decode("ascii", "replace")
    if mode not in _MODES:
        raise BadValueError(row, f"is an image of mode {mode!r}; {', '.join(_MODES)} are read")
    channels, kind = _MODES[mode]
    pixels = value[12 + letters :]
    if width * height * channels != pixels.size:
        raise BadValueError(row, f"is {mode} of {width} x {height} in {pixels.size} bytes")
    lines = (
        *("P7", f"WIDTH {width}", f"HEIGHT {height}", f"DEPTH {channels}", "MAXVAL 255"),
        *(f"TUPLTYPE {kind}", "ENDHDR", ""),
    )
    head = np.frombuffer("\n".join(lines).encode(), np.uint8)
    image: Bytes = allocate((head.size + pixels.size,), np.uint8)
    image[: head.size], image[head.size :] = head, pixels
    return image
