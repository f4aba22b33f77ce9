"""Policies of AutoAugment."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ...engine.errors import ArgumentError
from .functions import Augmentation

Step = tuple[Augmentation, float, int | None]
"""An augmentation, the probability that it is applied, and the bin of its magnitude or None."""


def check_bins(num_magnitude_bins: Any) -> None:
    """Raise ArgumentError unless the number of bins is a positive integer."""
    if not is_int(num_magnitude_bins) or num_magnitude_bins < 1:
        raise ArgumentError(
            f"The `num_magnitude_bins` must be a positive integer, got {num_magnitude_bins}."
        )


def is_int(value: object) -> bool:
    """Return whether a value is an int, and no bool."""
    return isinstance(value, int) and not isinstance(value, bool)


class Policy:
    """Sequences of augmentations, of which each sample gets a random one (arXiv:1805.09501).

    Each augmentation of the sequence is applied with its own probability.

    Args:
        name: for messages.
        num_magnitude_bins: number of bins into which the ranges of magnitudes are divided.
        sub_policies: the sequences. Each member is a triple: the augmentation, the probability from
            0 to 1, and the bin of the magnitude, None for augmentations without `mag_range`.

    Attributes:
        name, num_magnitude_bins: as given.
        sub_policies: as given, as tuples. If different augmentations have the same name, all
            augmentations get numbers in front of their names.

    Raises:
        ArgumentError: `sub_policies` does not have this form.

    >>> from penstock.auto_aug.augmentations import equalize, rotate
    >>> turn, even = (rotate, 0.8, 7), (equalize, 0.5, None)
    >>> policy = Policy("mine", 11, [[turn, even], [even, even]])
    >>> list(policy.augmentations)
    ['equalize', 'rotate']
    """

    def __init__(
        self, name: str, num_magnitude_bins: int, sub_policies: Sequence[Sequence[Step]]
    ) -> None:
        check_bins(num_magnitude_bins)
        if not isinstance(sub_policies, list | tuple):
            raise ArgumentError(
                f"The `sub_policies` must be a list or tuple of sub policies, got {sub_policies!r}."
            )
        self.name, self.num_magnitude_bins = name, num_magnitude_bins
        for sub_policy in sub_policies:
            if not isinstance(sub_policy, list | tuple):
                raise ArgumentError(f"Each sub policy must be a list or tuple, got {sub_policy!r}.")
            for step in sub_policy:
                self._check(step)
        self.sub_policies = _with_unique_names(sub_policies)

    def _check(self, step: object) -> None:
        if not isinstance(step, list | tuple) or len(step) != 3:
            raise ArgumentError(
                f"A sub policy's members are given as a triple: (augmentation, probability, "
                f"magnitude). Got {step!r}."
            )
        augmentation, probability, number = step
        if not isinstance(augmentation, Augmentation):
            raise ArgumentError(
                f"A triple's first member must be an instance of Augmentation. Got "
                f"`{augmentation}`. The decorator `@augmentation` makes one of a function."
            )
        name = augmentation.name
        if not isinstance(probability, int | float) or not 0 <= probability <= 1:
            raise ArgumentError(
                f"Probability of the augmentation `{name}` must be a number from `[0, 1]` range. "
                f"Got `{probability}`."
            )
        if probability == 0:
            self._warn(f"`{name}` has the probability 0 in one of the sub-policies.")
        if number is None:
            if augmentation.mag_range is not None:
                raise ArgumentError(
                    f"`{name}` has a `mag_range`, so the magnitude bin is required, but it is None "
                    f"in the policy `{self.name}`."
                )
            return
        if augmentation.mag_range is None:
            self._warn(
                f"The augmentation does not accept magnitudes: `{name}` has no `mag_range`. Give "
                f"None instead of {number}."
            )
        if not is_int(number) or not 0 <= number < self.num_magnitude_bins:
            raise ArgumentError(
                f"Magnitude bin of the augmentation `{name}` must be an integer from `[0, "
                f"{self.num_magnitude_bins - 1}]` range. Got `{number}`."
            )

    def _warn(self, problem: str) -> None:
        warnings.warn(f"Policy `{self.name}`: {problem}", stacklevel=4)

    @property
    def augmentations(self) -> dict[str, Augmentation]:
        """The augmentations by their names, in the order of the names."""
        distinct = {
            step[0].name: step[0] for sub_policy in self.sub_policies for step in sub_policy
        }
        return dict(sorted(distinct.items()))

    def __repr__(self) -> str:
        rows = [
            [(a.name, p, number) for a, p, number in sub_policy] for sub_policy in self.sub_policies
        ]
        sequences = _lines([repr(row) for row in rows])
        augmentations = _lines([f"{k!r}: {v!r}" for k, v in self.augmentations.items()])
        return (
            f"Policy(name={self.name!r}, num_magnitude_bins={self.num_magnitude_bins!r}, "
            f"sub_policies=[{sequences}], augmentations={{{augmentations}}})"
        )


def _lines(texts: Sequence[str]) -> str:
    return "".join(f"\n\t{text}," for text in texts).rstrip(",")


def _with_unique_names(sub_policies: Sequence[Sequence[Step]]) -> tuple[tuple[Step, ...], ...]:
    distinct = dict.fromkeys(step[0] for sub_policy in sub_policies for step in sub_policy)
    named = {augmentation: augmentation for augmentation in distinct}
    if len({augmentation.name for augmentation in distinct}) < len(distinct):
        digits = len(str(len(distinct) - 1))
        named = {
            augmentation: augmentation.augmentation(name=f"{number:0{digits}}__{augmentation.name}")
            for number, augmentation in enumerate(distinct)
        }
    return tuple(
        tuple((named[a], p, number) for a, p, number in sub_policy) for sub_policy in sub_policies
    )
