"""Whole columns of tables: lengths and labels of all rows, read once without the other columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from .arrow_arrays import sound_mask
from .blocks import RowBlocks
from .columns import rule_of
from .library import pyarrow
from .stored_types import is_bytes, is_list, is_real, is_string
from .table_file import TableFile

if TYPE_CHECKING:
    import pyarrow as pa


def lengths_of(array: pa.Array) -> NDArray[np.float64] | None:
    """Return numbers, or the lengths of lists, bytes and texts, in elements and in bytes.

    What is missing (null) has NaN. None if the values have no length.
    """
    arrow = pyarrow()
    if is_list(array.type):
        array = arrow.compute.list_value_length(array)
    elif is_bytes(array.type):
        array = arrow.compute.binary_length(array)
    elif not (arrow.types.is_integer(array.type) or is_real(array.type)):
        return None
    lengths: NDArray[np.float64] = array.cast(arrow.float64()).to_numpy(zero_copy_only=False)
    return lengths


def labels_of(array: pa.Array) -> Array | None:
    """Return numbers or texts; None if these are neither, or one is missing (null)."""
    if sound_mask(array) is not None or not _labels(array.type):
        return None
    if is_string(array.type):
        return np.array(array.to_pylist(), np.str_)
    numbers: Array = array.to_numpy(zero_copy_only=False)
    return numbers


def label_columns(schema: pa.Schema) -> list[str]:
    """Return the names of the columns whose values may be labels: see `labels_of`."""
    is_dictionary = pyarrow().types.is_dictionary
    kinds = {f.name: f.type.value_type if is_dictionary(f.type) else f.type for f in schema}
    return [name for name, kind in kinds.items() if _labels(kind)]


def _labels(kind: pa.DataType) -> bool:
    """Return whether values of a type are numbers or texts."""
    return is_string(kind) or pyarrow().types.is_integer(kind) or is_real(kind)


def whole_column(
    files: Sequence[TableFile], name: str, values_of: Callable[[pa.Array], Array | None]
) -> Array | None:
    """Return what a function makes of a column of all rows: None if there is no such column.

    Raises:
        OSError: a file cannot be read. SourceError if it is damaged.
    """
    try:
        rules = [rule_of(file.schema, name, None, file.storage.name) for file in files]
    except ArgumentError:
        return None

    def decoded(number: int, batches: list[pa.RecordBatch]) -> tuple[list[Array | None], int]:
        return [values_of(_plain(rules[number].array(batch))) for batch in batches], 0

    blocks = RowBlocks(files, list({rule.selection for rule in rules}), decoded, 0)
    counts = np.array([count for file in files for count in file.counts])
    firsts = (np.cumsum(counts) - counts)[counts > 0]
    parts = [part for _, own, _, _ in blocks.groups(firsts) for part in own]
    if any(part is None for part in parts):
        return None
    return np.concatenate([part for part in parts if part is not None])


def _plain(array: pa.Array) -> pa.Array:
    """Return the values without a dictionary."""
    return array.dictionary_decode() if hasattr(array, "dictionary_decode") else array
