"""How many samples of each source an epoch of a mixture has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, isfinite
from typing import Any

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError
from ..suggestions import not_among
from .interleaving import LONGEST, interleaving

Number = int | float | Fraction
_MOST_IN_EPOCH = f"an epoch has 2**{LONGEST.bit_length() - 1} samples at most"


@dataclass(frozen=True)
class Shares:
    """The samples of each source in each epoch.

    Attributes:
        per_epoch: samples of each source in an epoch. Of a fraction, all epochs before epoch e
            together have e times as many, rounded.
        per_batch: samples of each source in a batch, if every batch has as many.
    """

    per_epoch: tuple[Fraction, ...]
    per_batch: tuple[int, ...] = ()

    @cached_property
    def is_constant(self) -> bool:
        """Whether all epochs have the same counts."""
        return all(each.denominator == 1 for each in self.per_epoch)

    def before(self, epoch: int) -> list[int]:
        """Return how many samples of each source all epochs before `epoch` have together."""
        return [floor(epoch * each + Fraction(1, 2)) for each in self.per_epoch]

    def counts(self, epoch: int) -> tuple[int, ...]:
        """Return how many samples of each source an epoch has."""
        if self.is_constant:
            return self._constant
        both = zip(self.before(epoch), self.before(epoch + 1), strict=True)
        return tuple(after - before for before, after in both)

    @cached_property
    def _constant(self) -> tuple[int, ...]:
        return tuple(int(each) for each in self.per_epoch)

    def part(self, epoch: int, length: int) -> tuple[int, ...]:
        """Return how many samples of each source so many positions of an epoch have."""
        counts = self.counts(epoch)
        if self.per_batch:
            batches = length // sum(self.per_batch)
            return tuple(batches * count for count in self.per_batch)
        return counts if length == sum(counts) else apportioned(length, counts)

    def turns(self, counts: tuple[int, ...], positions: Int64s) -> tuple[Int64s, Int64s]:
        """Return the source at each position of a stretch, and its number in its source.

        Args:
            counts: samples of each source in the stretch: an epoch, or a `part` of one.
            positions: numbers of samples of the stretch.
        """
        own = self.per_batch
        if not own:
            return interleaving(counts).at(positions)
        batches, rows = np.divmod(positions, sum(own))
        sources, numbers = interleaving(own).at(rows)
        return sources, batches * np.array(own)[sources] + numbers

    def turns_before(self, counts: tuple[int, ...], position: int) -> list[int]:
        """Return how many samples of each source a stretch has before a position."""
        if not self.per_batch:
            return interleaving(counts).before(position)
        batches, row = divmod(position, sum(self.per_batch))
        inside = interleaving(self.per_batch).before(row)
        return [batches * n + more for n, more in zip(self.per_batch, inside, strict=True)]

    def to_json(self) -> dict[str, Any]:
        """Return the shares of JSON types."""
        own = [int(x) if x.denominator == 1 else str(x) for x in self.per_epoch]
        return {"counts": own} | ({"per_batch": list(self.per_batch)} if self.per_batch else {})

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Shares:
        """Return the shares that `to_json` made JSON of; raise ValueError if there are none."""
        counts = tuple(Fraction(each) for each in value["counts"])
        per_batch = tuple(value.get("per_batch", ()))
        whole = all(type(each) is int and each >= 0 for each in per_batch)
        if not all(0 <= each <= LONGEST and each.denominator <= LONGEST for each in counts):
            raise ValueError(f"counts are {value['counts']!r:.80}")
        if not whole or (per_batch and (not sum(per_batch) or len(per_batch) != len(counts))):
            raise ValueError(f"per_batch is {per_batch!r:.80}")
        if not 1 <= sum(map(floor, counts)) <= LONGEST:
            raise ValueError(f"counts are {value['counts']!r:.80}")
        return cls(counts, per_batch)


def apportioned(total: int, weights: Sequence[Number]) -> tuple[int, ...]:
    """Return whole numbers in the ratio of weights that sum to `total`: by largest remainders.

    >>> apportioned(10, [1, 1, 1])
    (4, 3, 3)
    """
    whole = sum((Fraction(weight) for weight in weights), Fraction(0))
    quotas = [total * Fraction(weight) / whole for weight in weights]
    counts = [floor(quota) for quota in quotas]
    order = sorted(range(len(quotas)), key=lambda i: (counts[i] - quotas[i], i))
    for i in order[: total - sum(counts)]:
        counts[i] += 1
    return tuple(counts)


def shares_of_weights(
    sizes: Mapping[str, int], weights: Mapping[str, Number], epoch_size: int | str
) -> Shares:
    """Return shares by weight.

    Args:
        sizes: samples of each source.
        weights: a number for each source.
        epoch_size: samples of an epoch. "longest": so many that each source comes whole at least
            once. "shortest": so many that no source comes twice.
    """
    exact = [*exact_numbers("weights", weights, sizes).values()]
    whole = sum(exact, Fraction(0))
    if not whole:
        raise ArgumentError("weights: all are 0; give one source a positive weight")
    needed = [n * whole / w for n, w in zip(sizes.values(), exact, strict=True) if w]
    if epoch_size in ("longest", "shortest"):
        length = ceil(max(needed)) if epoch_size == "longest" else floor(min(needed))
    elif isinstance(epoch_size, int) and not isinstance(epoch_size, bool) and epoch_size > 0:
        length = epoch_size
    else:
        raise ArgumentError(
            f'epoch_size={epoch_size!r}: expected "longest", "shortest" or a number from 1 on'
        )
    if length > LONGEST:
        raise ArgumentError(
            f"weights: an epoch in which each source comes whole has {length} samples, and "
            f"{_MOST_IN_EPOCH}; give epoch_size a number"
        )
    counts = apportioned(length, exact)
    for name, weight, count in zip(sizes, exact, counts, strict=True):
        if weight and not count:
            raise ArgumentError(
                f"weights: an epoch of {length} samples has none of {name!r}; raise epoch_size or "
                "the weight, or make the weight 0"
            )
    return Shares(tuple(map(Fraction, counts)))


def shares_of_repeats(sizes: Mapping[str, int], repeats: Mapping[str, Number]) -> Shares:
    """Return shares by the number of times that each sample comes in an epoch, by default once."""
    exact = exact_numbers("repeats", repeats, sizes, others=dict.fromkeys(sizes, 1))
    return _some("repeats", tuple(n * exact[name] for name, n in sizes.items()))


def shares_of_choice(sizes: Mapping[str, int], choose: Mapping[str, int]) -> Shares:
    """Return shares by the number of samples in an epoch, by default all of a source."""
    exact = exact_numbers("choose", choose, sizes, others=sizes, whole=True)
    return _some("choose", tuple(exact.values()))


def _some(what: str, per_epoch: tuple[Fraction, ...]) -> Shares:
    if not sum(map(floor, per_epoch)):
        raise ArgumentError(f"{what}: an epoch has no sample; raise one of the numbers")
    return Shares(per_epoch)


def shares_of_batches(
    sizes: Mapping[str, int],
    per_batch: Mapping[str, int],
    batch_size: int,
    epoch_size: int | str,
) -> Shares:
    """Return shares by the number of samples in a batch.

    Args:
        sizes: samples of each source.
        per_batch: samples of each source in every batch, which sum to `batch_size`.
        batch_size: samples of a batch.
        epoch_size: see `shares_of_weights`; a number is rounded up to whole batches.
    """
    own = tuple(map(int, exact_numbers("per_batch", per_batch, sizes, whole=True).values()))
    if sum(own) != batch_size:
        raise ArgumentError(
            f"per_batch: {dict(per_batch)} are {sum(own)} samples, but a batch has {batch_size}"
        )
    turns = [Fraction(n, c) for n, c in zip(sizes.values(), own, strict=True) if c]
    if epoch_size == "shortest":
        batches = max(1, floor(min(turns)))
    elif epoch_size == "longest":
        batches = ceil(max(turns))
    else:
        batches = -(-int(epoch_size) // batch_size)
    if batches < 1 or batches * batch_size > LONGEST:
        raise ArgumentError(f"epoch_size={epoch_size!r}: {_MOST_IN_EPOCH}, and at least 1")
    return Shares(tuple(Fraction(batches * count) for count in own), own)


def exact_numbers(
    what: str,
    given: Mapping[str, Number],
    sources: Iterable[str] | None = None,
    *,
    others: Mapping[str, Number] | None = None,
    whole: bool = False,
) -> dict[str, Fraction]:
    """Return numbers as they are written: 0.1 is a tenth. They are finite, and not negative.

    Args:
        what: the argument, for messages.
        given: the numbers.
        sources: the names that may have a number, in the order of the result; by default any.
        others: the numbers of those of them that are left out; without it none may be left out.
        whole: whether they must be whole numbers.
    """
    names = given if sources is None else dict.fromkeys(sources)
    for name in given:
        if name not in names:
            raise ArgumentError(f"{what}: there is no source {not_among(name, names)}")
    if missing := [name for name in names if name not in given and others is None]:
        raise ArgumentError(f"{what}: there is no number for the source {missing[0]!r}")
    numbers = {**(others or {}), **given}
    return {name: _exact(what, name, numbers[name], whole) for name in names}


def _exact(what: str, name: str, number: Number, whole: bool) -> Fraction:
    where = f"{what}: the number of {name!r} is"
    if whole and (not isinstance(number, int) or isinstance(number, bool) or number < 0):
        raise ArgumentError(f"{where} {number!r}; expected a whole number from 0 on")
    try:
        if not isinstance(number, Fraction):
            if not isfinite(number):
                raise ValueError("not finite")
            number = Fraction(number if whole else repr(float(number)))
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{where} {number!r} ({error}); expected 0 or more") from None
    if number < 0:
        raise ArgumentError(f"{where} negative: {float(number)}")
    return number
