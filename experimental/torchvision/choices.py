"""Transforms that choose among transforms, sample by sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate, permutations
from typing import Any

import numpy as np

from ... import fn
from ...engine import types
from ...engine.errors import ArgumentError
from ...engine.graph.branch_operators import Merge, Truth
from ...engine.graph.branches import Branch
from ...engine.graph.nodes import DataNode, add_node, current_branch, in_branch
from .images import Images
from .transform import Transform, chance, probability

_MOST_IN_RANDOM_ORDER = 5  # transforms, of which each may stand at each place

Applied = Callable[[Images], Images]


def applied(transforms: Sequence[Transform], images: Images) -> Images:
    """Return what transforms make of images, one after the other."""
    for transform in transforms:
        images = transform.add_to(images)
    return images


def chosen(
    condition: DataNode, name: str, if_true: Applied, if_false: Applied, images: Images
) -> Images:
    """Return what one of two functions makes of each sample's image.

    Args:
        condition: 1 for samples that take the first function, else 0.
        name: of the transform, for messages.
        if_true, if_false: the functions.
        images: what they get.

    Raises:
        ArgumentError: the functions give images of two types.
    """
    (truth,) = add_node(Truth, (condition.cpu(),), {"word": "if", "line": name})
    made = []
    for wanted, function in ((True, if_true), (False, if_false)):
        with in_branch(Branch(truth, wanted, current_branch(), f"the choice of {name}")):
            made.append(function(images).shown())
    first, second = made
    if (first.dtype, first.rule) != (second.dtype, second.rule):
        raise ArgumentError(
            f"{name}: some images would be {_kind(first)}, and others {_kind(second)}; put the "
            "conversion before or behind it"
        )
    if "gpu" in (first.stored.device, second.stored.device):
        for i, wanted in enumerate((True, False)):
            with in_branch(Branch(truth, wanted, current_branch(), f"the choice of {name}")):
                made[i] = made[i].on("gpu")
        first, second = made

    def merged(a: DataNode | None, b: DataNode | None) -> Any:
        if a is b or a is None or b is None:
            return a
        return add_node(Merge, (truth, a, b), {"what": name})[0]

    return replace(
        first,
        stored=merged(first.stored, second.stored),
        boxes=merged(first.boxes, second.boxes),
        masks=merged(first.masks, second.masks),
    )


def _kind(images: Images) -> str:
    return f"{images.dtype} with the pixels of {images.rule}"


class Sequential(Transform):
    """Applies transforms one after the other.

    Args:
        transforms: the transforms.
        device: "cpu" or "gpu".
    """

    def __init__(self, transforms: Sequence[Transform], device: str | None = "cpu") -> None:
        super().__init__(device)
        self.transforms = [*transforms]

    def _apply(self, images: Images) -> Images:
        return applied(self.transforms, images)


class RandomApply(Transform):
    """Applies transforms with the probability `p`: all of them, or none.

    Args:
        op_list: the transforms.
        p: the probability.
        device: "cpu" or "gpu".
    """

    def __init__(
        self, op_list: Sequence[Transform], p: float = 0.5, device: str | None = "cpu"
    ) -> None:
        super().__init__(device)
        self.op_list, self.p = [*op_list], probability(p)

    def _apply(self, images: Images) -> Images:
        name, shown = "RandomApply", images.shown()
        return chosen(
            chance(self.p), name, lambda each: applied(self.op_list, each), lambda each: each, shown
        )


class RandomChoice(Transform):
    """Applies one of several transforms.

    Args:
        transforms: the transforms.
        p: the weight of each; by default all are equally likely.
        device: "cpu" or "gpu".
    """

    def __init__(
        self,
        transforms: Sequence[Transform],
        p: Sequence[float] | None = None,
        device: str | None = "cpu",
    ) -> None:
        super().__init__(device)
        self.transforms = [*transforms]
        weights = [1.0] * len(self.transforms) if p is None else [float(weight) for weight in p]
        if not weights or len(weights) != len(self.transforms) or min(weights) < 0:
            raise ArgumentError(f"p must have a weight for each of the transforms, but is {p}")
        self.p = [weight / sum(weights) for weight in weights]

    def _apply(self, images: Images) -> Images:
        number = fn.random.uniform(range=(0.0, 1.0), dtype=types.FLOAT)
        return _one_of(number, [*accumulate(self.p)], self.transforms, images.shown())


def _one_of(
    number: DataNode, ends: Sequence[float], transforms: Sequence[Transform], images: Images
) -> Images:
    """Return images after the first transform whose end is above the number."""
    if len(transforms) == 1:
        return transforms[0].add_to(images)
    return chosen(
        number < np.float32(ends[0]),
        "RandomChoice",
        transforms[0].add_to,
        lambda images_left: _one_of(number, ends[1:], transforms[1:], images_left),
        images,
    )


class RandomOrder(Transform):
    """Applies all transforms in a random order.

    Args:
        transforms: at most five transforms, because each may stand at each place.
        device: "cpu" or "gpu".
    """

    def __init__(self, transforms: Sequence[Transform], device: str | None = "cpu") -> None:
        super().__init__(device)
        self.transforms = [*transforms]
        if not 1 <= len(self.transforms) <= _MOST_IN_RANDOM_ORDER:
            raise ArgumentError(
                f"a random order is there for 1 to {_MOST_IN_RANDOM_ORDER} transforms, not for "
                f"{len(self.transforms)}"
            )

    def _apply(self, images: Images) -> Images:
        count = len(self.transforms)
        orders = np.array([*permutations(range(count))])
        number = fn.random.uniform(values=list(range(len(orders))), dtype=types.INT32)
        for place in range(count):
            values = [float(index) for index in orders[:, place]]
            keys = list(range(len(orders)))
            which = fn.lookup_table(number, keys=keys, values=values, dtype=types.FLOAT)
            ends = [index + 0.5 for index in range(count)]
            images = _one_of(which, ends, self.transforms, images.shown())
        return images
