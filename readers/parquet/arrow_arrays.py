"""Where the values of Arrow's arrays lie in memory, as NumPy finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType
from .library import pyarrow
from .nested import FileListValues
from .stored_types import FILE, PATH, fields_of, is_list
from .values import ByteValues, ListValues

if TYPE_CHECKING:
    import pyarrow as pa


def byte_values(array: pa.Array, dtype: DType, is_text: bool) -> ByteValues:
    """Return bytes or texts; `is_text` says whether these are decimal numbers."""
    array = array.cast(pyarrow().large_binary())
    _, offsets, content = array.buffers()
    bounds = np.frombuffer(offsets, np.int64)[array.offset :][: len(array) + 1]
    block = np.frombuffer(content or b"", np.uint8)
    starts, ends = bounds[:-1], bounds[1:]
    return ByteValues(block, starts, ends - starts, dtype, is_text, sound_mask(array))


def file_lists(array: pa.Array) -> FileListValues:
    """Return lists of files."""
    lists = _plain_lists(array)
    files, paths = storage_array(lists.values), None
    fields = fields_of(files.type)
    if fields:
        paths = field_array(files, PATH) if PATH in fields else None
        files = field_array(files, FILE)
    content = byte_values(files, np.dtype(np.uint8), is_text=False)
    return FileListValues(content, paths, lists.offsets.to_numpy(), sound_mask(array))


def list_values(array: pa.Array, dtype: DType) -> ListValues:
    """Return lists as arrays. Step by step `bounds` cut the next level's elements into rows."""
    count, there = len(array), sound_mask(array)
    bounds = np.arange(count + 1)
    extents: list[NDArray[np.int64]] = []
    missing, ragged = np.zeros((2, count), np.bool_)
    while is_list(array.type):
        missing |= _rows_with(~_present(array), bounds)
        if pyarrow().types.is_fixed_size_list(array.type):
            size = array.type.list_size
            inner = array.values.slice(array.offset * size, len(array) * size)
            extents.append(np.full(count, size, np.int64))
            bounds = bounds * size
        else:
            lists = _plain_lists(array)
            inner, offsets = lists.values, lists.offsets.to_numpy()
            lengths = np.append(np.diff(offsets), 0)
            filled = bounds[1:] > bounds[:-1]
            # A row without lists takes the length of the others': no boxes have the shape (0, 4).
            usual = lengths[bounds[np.argmax(filled)]] if count else 0
            extents.append(np.where(filled, lengths[bounds[:-1]], usual))
            other = lengths[bounds[0] : bounds[-1]] != np.repeat(extents[-1], np.diff(bounds))
            ragged |= _rows_with(other, bounds - bounds[0])
            bounds = offsets[bounds]
        array = storage_array(inner)
    missing |= _rows_with(~_present(array), bounds)
    shapes = np.stack(extents, axis=1)
    return ListValues(numbers_of(array), bounds, shapes, dtype, ~missing, ragged, there)


def storage_array(array: pa.Array) -> pa.Array:
    """Return the stored values of an extension's array, such as those of Array2D of `datasets`."""
    return array.storage if hasattr(array.type, "storage_type") else array


def field_array(array: pa.Array, name: str) -> pa.Array:
    """Return a field of structs, or the lists of a field of lists of structs."""
    arrow = pyarrow()
    if not is_list(array.type):
        return storage_array(arrow.compute.struct_field(array, [name]))
    lists = _plain_lists(array)
    values = arrow.compute.struct_field(storage_array(lists.values), [name])
    missing = lists.is_null() if lists.null_count else None
    return arrow.LargeListArray.from_arrays(lists.offsets, values, mask=missing)


def _plain_lists(array: pa.Array) -> pa.Array:
    """Return lists as a LargeListArray."""
    arrow = pyarrow()
    return array.cast(arrow.large_list(array.type.value_type))


def sound_mask(array: pa.Array) -> NDArray[np.bool_] | None:
    """Return which values are there; None if all are."""
    if not array.null_count:
        return None
    valid: NDArray[np.bool_] = array.is_valid().to_numpy(zero_copy_only=False)
    return valid


def numbers_of(array: pa.Array) -> Array:
    """Return numbers and truth values; 0 for missing ones."""
    if array.null_count:
        array = array.fill_null(False if pyarrow().types.is_boolean(array.type) else 0)
    numbers: Array = array.to_numpy(zero_copy_only=False)
    return numbers


def _present(array: pa.Array) -> NDArray[np.bool_]:
    sound = sound_mask(array)
    return np.ones(len(array), np.bool_) if sound is None else sound


def _rows_with(marks: NDArray[np.bool_], bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows hold a marked element."""
    if not marks.any():
        return np.zeros(len(bounds) - 1, np.bool_)
    before = np.append(0, np.cumsum(marks))
    falls: NDArray[np.bool_] = before[bounds[1:]] > before[bounds[:-1]]
    return falls
