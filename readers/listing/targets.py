"""Targets: what networks learn to say of a sample. Texts become class numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from ...engine.graph.params import ArgumentType
from ..source import Allocate, Column
from ..storage.strings import StringTable

Target: TypeAlias = Array | StringTable
"""Numbers of shape (samples, *shape), or texts in UTF-8."""

_INT32 = np.iinfo(np.int32)


class Targets(NamedTuple):
    """Columns beside the files of a `FileList`, one for each output.

    Attributes:
        names: of the columns; of an output of several columns a tuple of their names.
        columns: values of all samples.
        class_names: texts that class numbers stand for, by the name of the output.
    """

    names: tuple[str | tuple[str, ...], ...]
    columns: tuple[Target, ...]
    class_names: dict[str, tuple[str, ...]]

    def of_samples(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return the values of some samples, one column an output."""
        return tuple(_taken(column, indices, allocate) for column in self.columns)

    def subset(self, indices: NDArray[np.int64]) -> Targets:
        """Return the targets of some samples; classes keep their numbers."""
        columns = tuple(
            StringTable.of(column.take(indices))
            if isinstance(column, StringTable)
            else column[indices]
            for column in self.columns
        )
        return self._replace(columns=columns)

    def column(self, name: str) -> Array | None:
        """Return a column with one value for each sample, as its table has it; None for others."""
        if name not in self.names:
            return None
        values = self.columns[self.names.index(name)]
        if isinstance(values, StringTable):
            return np.array([text.decode() for text in values], np.str_)
        if values.shape[1:] != (1,):
            return None
        classes = self.class_names.get(name)
        numbers = values[:, 0]
        return numbers if classes is None else np.array(classes)[numbers.astype(np.int64)]

    def placeholder(self) -> tuple[Array, ...]:
        """Return an array of each output's dtype and number of dimensions."""
        return tuple(
            np.empty(0, np.uint8)
            if isinstance(column, StringTable)
            else np.zeros(column.shape[1:], column.dtype)
            for column in self.columns
        )


def _taken(column: Target, indices: NDArray[np.int64], allocate: Allocate) -> Column:
    if not isinstance(column, StringTable):
        return column[indices]
    rows: list[Array] = []
    for text in column.take(indices):
        row = allocate((len(text),), np.uint8)
        row[...] = np.frombuffer(text, np.uint8)
        rows.append(row)
    return rows


def _labels(value: object) -> Array:
    try:
        array = np.atleast_1d(np.asarray(value))
    except ValueError:  # NumPy speaks of inhomogeneous shapes
        raise ValueError("its rows differ in length") from None
    if array.dtype == object and all(isinstance(each, int) for each in array.flat):
        raise ValueError("numbers have 64 bits")
    if array.dtype.kind not in "biufU":
        raise TypeError(f"values of type {array.dtype} are neither numbers nor texts")
    if array.ndim > 2 or (array.dtype.kind == "U" and array.ndim > 1):
        raise ValueError(f"it has the shape {array.shape}")
    # PyTorch's own type of Python's numbers.
    is_array = hasattr(value, "dtype")
    return array if is_array or array.dtype != np.float64 else array.astype(np.float32)


LABELS = ArgumentType("ArrayLike", _labels)
"""Numbers of shape (files,) or (files, k), or texts of shape (files,)."""


def checked_labels(
    labels: object, count: int, names: Sequence[str] | None = None
) -> tuple[Array, tuple[str, ...]]:
    """Return the argument `labels` of `count` files, and the names of its classes.

    One whole number a file becomes int32, as in DALI. Texts become int32, too.

    Raises:
        ArgumentError: there is another number of labels, or one does not fit into int32.
    """
    if labels is None:
        return np.arange(count, dtype=np.int32), ()
    try:
        given = _labels(labels)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"`labels` must hold numbers or texts, but {error}") from None
    if len(given) != count:
        raise ArgumentError(
            f"`labels` must hold one row for each of the {count:,} `files`, but has {len(given):,}"
        )
    if given.dtype.kind == "U":
        numbers, classes = numbered(given.tolist(), names)
        if len(wrong := np.flatnonzero(numbers < 0)):
            raise ArgumentError(
                f"`labels[{wrong[0]}]` is {str(given[wrong[0]])!r}, which is none of the "
                f"{len(classes)} `class_names`"
            )
        return numbers, classes
    if names is not None:
        raise ArgumentError("`class_names` number texts, but `labels` are numbers already")
    if given.ndim == 1 and given.dtype.kind in "iu":
        wrong = np.flatnonzero((given < _INT32.min) | (given > _INT32.max))
        if wrong.size:
            raise ArgumentError(
                f"`labels[{wrong[0]}]` is {given[wrong[0]]}; one label a file is an integer of 32 "
                "bits; larger ones need the shape (files, 1)"
            )
        return given.astype(np.int32), ()
    return given, ()


def numbered(
    texts: Sequence[str], names: Sequence[str] | None
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return class numbers of texts, and the names; -1 for a text that is not among `names`.

    Without names, the classes are numbered in the order of their texts' bytes, as folders are.

    >>> numbered(["dog", "cat", "dog"], None)
    (array([1, 0, 1], dtype=int32), ('cat', 'dog'))
    """
    # The order of code points is that of UTF-8's bytes.
    classes = tuple(sorted(set(texts)) if names is None else names)
    numbers: Mapping[str, int] = {name: number for number, name in enumerate(classes)}
    if len(numbers) < len(classes):
        raise ArgumentError("`class_names` holds a name twice")
    return np.array([numbers.get(text, -1) for text in texts], np.int32), classes
