"""The `source_info` of batches: for each sample the name of its origin, computed on demand.

Each result has the names of the operator's inputs, if these agree: see `inherited`. An operator
whose results have other origins makes its own names, and returns `TensorList`s that have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Names = Sequence[str]
"""The names of a batch's samples, by row; "" where there is none."""


class NamesOnDemand(Sequence[str]):
    """A name for each sample of a batch, looked up when it is indexed.

    Args:
        name: returns the name for a number.
        numbers: one for each sample. Changes of the array show in the names.
    """

    def __init__(self, name: Callable[[int], str], numbers: NDArray[np.int64]) -> None:
        self._name = name
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return NamesOnDemand(self._name, self._numbers[row])
        return self._name(int(self._numbers[row]))


class NameAt(NamedTuple):
    """The name of one sample of a batch, looked up by `str`.

    Who takes a batch apart seldom asks for names, and a name of an archive takes 6 us or more.
    """

    names: Names
    row: int

    def __str__(self) -> str:
        return self.names[self.row]

    def __reduce__(self) -> Any:
        return str, (str(self),)


class CommonNames(Sequence[str]):
    """The names that several inputs agree on; no names if two of them differ for any sample.

    >>> CommonNames([["a", ""], ["a", "b"]])[:]
    ['a', 'b']
    >>> CommonNames([["a", "b"], ["a", "c"]])[0]
    ''
    """

    def __init__(self, inputs: Sequence[Names]) -> None:
        self._inputs = inputs
        self._common: list[str] | None = None

    def __len__(self) -> int:
        return len(self._inputs[0])

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice) and row != slice(None):  # other samples may agree
            return CommonNames([names[row] for names in self._inputs])
        if self._common is None:
            rows = [set(filter(None, names)) for names in zip(*self._inputs, strict=True)]
            agree = all(len(names) < 2 for names in rows)
            self._common = ["".join(names) if agree else "" for names in rows]
        return self._common[row]


class NamesAt(Sequence[str]):
    """Some of a batch's names.

    Args:
        names: names of the batch.
        rows: the number of the sample of each name; -1 for a sample without a name.

    >>> list(NamesAt(["a", "b"], np.array([1, -1])))
    ['b', '']
    """

    def __init__(self, names: Names, rows: NDArray[np.int64]) -> None:
        self._names = names
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return NamesAt(self._names, self._rows[row])
        number = int(self._rows[row])
        return "" if number < 0 else self._names[number]


class NamesOfBranches(Sequence[str]):
    """The names of samples that took one of two branches.

    Args:
        condition: condition of each sample.
        if_true, if_false: the names in the branches; None where there are none.
    """

    def __init__(
        self, condition: Sequence[Any] | NDArray[Any], if_true: Names | None, if_false: Names | None
    ) -> None:
        self._condition = condition
        self._if_true = if_true
        self._if_false = if_false

    def __len__(self) -> int:
        return len(self._condition)

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return NamesAt(self, np.arange(*row.indices(len(self))))
        names = self._if_true if self._condition[row] else self._if_false
        return "" if names is None else names[row]


def inherited(inputs: Iterable[Names | None]) -> Names | None:
    """Return the names of an operator's results, given those of its inputs."""
    distinct = {id(names): names for names in inputs if names is not None}
    if len(distinct) > 1:
        return CommonNames([*distinct.values()])
    return next(iter(distinct.values()), None)


def joined(parts: Callable[[int], Iterable[str]], count: int) -> Names:
    """Return the names of samples that are made of several others.

    Args:
        parts: returns the names of the others, given the row of the sample.
        count: number of samples.

    >>> joined({0: ["a.jpg", "", "b.jpg"]}.get, 1)[0]
    'a.jpg;b.jpg'
    """
    return NamesOnDemand(lambda row: ";".join(filter(None, parts(row))), np.arange(count))
