"""The samples of one reader in balance: `fn.readers.balance`."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.arrays import Array
from ...engine.graph.operator import register
from ...engine.graph.params import ANY, REQUIRED, ArgumentType, param
from ...engine.suggestions import listed, not_among
from ..sample_values import one_for_each, read_in_parts
from ..source import Source
from .members import MixedReader, OfOneReader
from .parts import MixedPart, PartsReader

if TYPE_CHECKING:
    from ...engine.order.shares import Shares


def _member(value: Any) -> MixedReader:
    if not isinstance(value, MixedReader):
        raise TypeError("not the outputs of a reader")
    return value


MEMBER = ArgumentType("Any", _member)


@register
class Balance(OfOneReader, PartsReader):
    """Reads the samples of one reader so that each label has its share of every batch.

    The parts of the data are the samples of one value of `by`, such as a label. By default all have
    equal shares. With `weights="sqrt"` the shares are as the square roots of the parts' sizes.
    Orders, checkpoints and promises are those of `fn.readers.mix`, whose sources the parts are.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, fn
    >>> names = ["cat1", "cat2", "cat3", "cat4", "dog1"]
    >>> for name in names:
    ...     _ = Path(name).write_text(name)
    >>> with Pipeline(batch_size=4, num_threads=1) as pipe:
    ...     data, label, part = fn.readers.balance(
    ...         fn.readers.file(files=names, labels=[7, 7, 7, 7, 9])
    ...     )
    ...     pipe.set_outputs(data)
    ...     (data,) = pipe.run()
    >>> [bytes(row).decode() for row in data.rows()]
    ['cat1', 'dog1', 'cat2', 'dog1']

    Outputs:
        those of the reader.
        the number of the part, in the order of the values of `by`: int32, shape ().

    Raises:
        ArgumentError: `by` names nothing that is known of the samples, or is of another length;
            a weight is negative, not finite, or of no part; or the reader mixes or balances.
    """

    name = "readers.balance"

    member = param(MEMBER, REQUIRED, "The outputs of the reader.")
    by = param(
        ANY,
        "label",
        "What divides the samples: a column that is known without reading samples, such as "
        '"label" of files or one of their `table`; the number of an output that is a number in '
        "each sample, which is read once, when the pipeline starts; or an array with a value for "
        "each sample.",
    )
    weights = param(
        ANY, None, "Shares by value; None for equal shares, 'sqrt' for those of square roots."
    )

    def prepare(self) -> None:
        super().prepare()
        if self.member.decoded:
            self.refuse("readers that decode, such as fn.readers.video, cannot be balanced yet")
        reader = self.readers["member"]
        if isinstance(reader, PartsReader):
            self.refuse(
                f"the samples of {reader.called} have shares already: balance each source, and mix "
                "what fn.readers.balance returns"
            )
        if isinstance(self.weights, str) and self.weights != "sqrt":
            self.refuse(f"weights={self.weights!r}: expected a dict, None or 'sqrt'")

    def members_by_name(self) -> Mapping[str, MixedReader]:
        return {"member": self.member}

    def shares_by(self) -> str:
        return f"the shares of {self.called}"

    def find_parts(self) -> list[MixedPart]:
        samples = np.asarray(self.readers["member"].fixed_samples())
        values = self._values()[samples]
        unique, which = np.unique(values, return_inverse=True)
        order = np.argsort(which, kind="stable")
        bounds = np.searchsorted(which[order], np.arange(len(unique) + 1))
        names = [str(value) for value in unique.tolist()]
        sizes = dict(zip(names, np.diff(bounds).tolist(), strict=True))
        self._sizes = sizes
        shares = self._shares().per_epoch
        return [
            MixedPart(name, samples[order[start:stop]], share)
            for name, start, stop, share in zip(
                names, bounds[:-1].tolist(), bounds[1:].tolist(), shares, strict=True
            )
        ]

    def _values(self) -> Array:
        """Return the value of each sample of the source."""
        source, by = self.readers["member"].source, self.by
        if isinstance(by, str):
            by = self._known(source, by)
        if isinstance(by, int) and not isinstance(by, bool):
            return self._read_output(by)
        kinds, expected = "biufSU", "one number or text"
        return one_for_each(self.refuse, "by", by, len(source), kinds=kinds, expected=expected)

    def _known(self, source: Source, name: str) -> Array:
        """Return a column that is known without reading samples."""
        known: Array | None = getattr(source, "known_column", lambda name: None)(name)
        if known is None:
            names: list[str] = getattr(source, "known_columns", list)()
            problem = "knows no such column without reading samples"
            if name in names:
                problem = "has samples without a value in this column"
            there = f"; there are {listed(names)}" if names else ""
            self.refuse(
                f"by={name!r}: fn.{self.member.operator} {problem}{there}. Give another column, "
                "the number of an output, or an array with a value for each sample"
            )
        return known

    def _read_output(self, number: int) -> Array:
        columns = []
        if not 0 <= number < self.num_outputs():
            self.refuse(f"by={number}: the reader has outputs 0 to {self.num_outputs() - 1}")
        for read in read_in_parts(self.source):
            rows = [np.asarray(row).reshape(-1) for row in read[number]]
            if any(row.size != 1 for row in rows):
                self.refuse(f"by={number}: the output is no number in each sample")
            columns += rows
        return np.concatenate(columns)

    def _shares(self) -> Shares:
        if self.weights is None:
            weights: Mapping[str, float] = dict.fromkeys(self._sizes, 1)
        elif self.weights == "sqrt":
            weights = {name: sqrt(size) for name, size in self._sizes.items()}
        else:
            weights = {str(value): weight for value, weight in dict(self.weights).items()}
        return self.shares_of(weights)

    def asked_shares(self, batch_size: int) -> Shares:
        return self._shares()

    def shares_of(self, weights: Mapping[str, float]) -> Shares:
        from ...engine.order.shares import exact_numbers, shares_of_weights

        named = {str(value): weight for value, weight in weights.items()}
        for name in named:
            if name not in self._sizes:
                self.refuse(f"weights: no sample has the value {not_among(name, self._sizes)}")
        return shares_of_weights(self._sizes, exact_numbers("weights", named), self.epoch_size)
