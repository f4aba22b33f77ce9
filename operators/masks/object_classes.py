"""The classes of objects in a mask, from which one is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array

_INT32 = np.iinfo(np.int32)


class ObjectClasses:
    """Labels of foreground classes with their weights.

    Attributes:
        background: the label of the background.
        labels: of the classes, or None for all that are not background.
        weights: of the classes.
    """

    def __init__(
        self,
        owner: str,
        background: int | None,
        labels: Sequence[int] | None,
        weights: Sequence[float] | None,
    ) -> None:
        """Check the arguments of `fn.segmentation.random_object_bbox`; None means not given."""
        self.background = 0 if background is None else background
        if labels is not None and self.background in labels:
            if background is not None:
                raise ArgumentError(
                    f"{owner}: class {background} is the background, too; give another background, "
                    "or leave it out of classes"
                )
            below = min(labels) - 1
            self.background = below if below >= _INT32.min else _unused_label(labels)
        if weights is not None and not all(0 <= weight < np.inf for weight in weights):
            raise ArgumentError(
                f"{owner}: class_weights is {tuple(weights)}; weights are finite and not negative"
            )
        if labels is None and weights is not None:
            numbers = (n for n in range(len(weights) + 1) if n != self.background)
            labels = [next(numbers) for _ in weights]
        if labels is not None and weights is not None and len(labels) != len(weights):
            raise ArgumentError(
                f"{owner}: there are {len(weights)} class_weights for {len(labels)} classes"
            )
        self.labels = labels
        self.weights = weights

    def present(self, labels: Array) -> dict[int, float]:
        """Return the weight of each class that can be drawn, given the labels of a mask."""
        seen = {int(label) for label in labels} - {self.background}
        if self.labels is None:
            return dict.fromkeys(sorted(seen), 1.0)
        weights = self.weights if self.weights is not None else [1.0] * len(self.labels)
        return {
            label: weight
            for label, weight in zip(self.labels, weights, strict=True)
            if label in seen and weight > 0
        }


def _unused_label(labels: Sequence[int]) -> int:
    """Return the largest number of 32 bits that is none of the labels."""
    used = set(labels)
    return next(n for n in range(_INT32.max, _INT32.min, -1) if n not in used)


def labels_of(mask: Array) -> Array:
    """Return the different values of a mask, sorted.

    >>> labels_of(np.array([[3, 3, 1], [1, 0, 0]]))
    array([0, 1, 3])
    """
    values = mask.reshape(-1)
    changes = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return np.unique(values[changes])


def draw_class(weights: dict[int, float], number: float) -> tuple[int, float]:
    """Return a class, and a number in [0, 1) that did not decide which.

    >>> draw_class({4: 1.0, 7: 3.0}, 0.5)
    (7, 0.3333333333333333)
    """
    ends = np.cumsum(list(weights.values()))
    wanted = number * ends[-1]
    chosen = min(int(np.searchsorted(ends, wanted, side="right")), len(ends) - 1)
    label = list(weights)[chosen]
    rest = float((wanted - (ends[chosen] - weights[label])) / weights[label])
    return label, min(max(rest, 0.0), np.nextafter(1.0, 0.0))
