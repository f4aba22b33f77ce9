"""`fn.segmentation.random_object_bbox`: the box of a random object of a segmentation mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOAT, FLOATS, INT, INTS, STR, param
from ..common.number_arguments import check_numbers
from .blobs import blob_boxes
from .object_classes import ObjectClasses, draw_class, labels_of

MAX_CACHED_MASKS = 4096
"""Number of masks to remember; the oldest one is dropped then."""


@register
class RandomObjectBbox(SampleOperator):
    """Draws an object of a segmentation mask, and returns the box around the object.

    An object is a connected region of elements with one label; neighbors on an axis are connected.
    With probability `foreground_prob` a class is drawn, by `class_weights`, and then one of its
    objects. A class without an object of at least `threshold` is not drawn. If no object is drawn,
    the box is that of the whole mask.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> mask = np.zeros((6, 6), np.uint8)
    >>> mask[2:4, 1:5] = 1
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.segmentation.random_object_bbox(mask, foreground_prob=1.0))
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    [2, 1]
    [2, 4]

    Inputs:
        mask: integers or bool, of any shape.

    Outputs:
        two arrays, int32, of shape (dimensions,): anchor and shape, or start and end; or one of
            shape (2 * dimensions,), as `format` says.
        label: int32, of the object's class, or `background`; with `output_class`.

    Raises:
        ArgumentError: the mask has no integers, or the arguments contradict one another.
    """

    name = "segmentation.random_object_bbox"
    inputs = ("mask",)
    random_count = 3

    foreground_prob = param(
        FLOAT, 1.0, "Probability to draw an object.", per_sample=True, minimum=0, maximum=1
    )
    background = param(
        INT,
        None,
        "Label of the background: by default 0, or a number below `classes` if they have 0.",
        per_sample=True,
    )
    classes = param(
        INTS, None, "Labels of classes; by default all but the background.", per_sample=True
    )
    class_weights = param(
        FLOATS,
        None,
        "Relative probabilities of the classes; without `classes` those of the labels 1, 2, ...",
        per_sample=True,
    )
    ignore_class = param(
        BOOL, False, "Whether all objects are equally probable, of whatever class."
    )
    output_class = param(BOOL, False, "Whether to return the label, too.")
    threshold = param(INTS, None, "Least extent on each axis, or on all axes.", per_sample=True)
    k_largest = param(INT, None, "Number of the largest boxes to draw from.", minimum=1)
    format = param(
        STR,
        "anchor_shape",
        'Form of the box: "anchor_shape", "start_end" or "box".',
        choices=("anchor_shape", "start_end", "box"),
    )
    cache_objects = param(
        BOOL, False, "Whether to remember the boxes of masks, which are recognized by their bytes."
    )

    def prepare(self) -> None:
        of_classes = {"classes", "class_weights"} & self.given
        if self.ignore_class and (of_classes or self.output_class):
            unfit = sorted({*of_classes, *(["output_class"] if self.output_class else [])})
            self.refuse(f"ignore_class=True does not go with {' and '.join(unfit)}")
        self._cache: dict[tuple[Any, ...], Array] = {}

    def num_outputs(self) -> int:
        return 1 + bool(self.format != "box") + bool(self.output_class)

    def output_layouts(self) -> tuple[str, ...]:
        return ("",) * self.num_outputs()

    def sample(
        self,
        workspace: Workspace,
        mask: Array,
        *,
        foreground_prob: float,
        background: int | None,
        classes: Sequence[int] | None,
        class_weights: Sequence[float] | None,
        threshold: Sequence[int] | None,
    ) -> tuple[Array, ...]:
        if mask.dtype.kind not in "iub" or mask.ndim == 0:
            self.refuse(
                f"a mask has integers and one or more dimensions, but is {mask.dtype} of the shape "
                f"{mask.shape}"
            )
        check_numbers(self, {"foreground_prob": foreground_prob})
        listed, weighted = _listed(classes), _listed(class_weights)
        known = ObjectClasses(self.called, background, listed, weighted)
        least = self._least(threshold, mask.ndim)
        wanted, of_class, of_box = workspace.random.tolist()
        label, box = known.background, None
        if wanted < foreground_prob and mask.size:
            label, box = self._draw(mask, known, least, of_class, of_box)
        start, end = (np.zeros(mask.ndim), np.array(mask.shape)) if box is None else box
        return self._formatted(start.astype(np.int32), end.astype(np.int32), label)

    def _draw(
        self, mask: Array, known: ObjectClasses, least: Array, of_class: float, of_box: float
    ) -> tuple[int, Array | None]:
        key = self._key(mask)
        weights = known.present(self._cached((*key, "labels"), lambda: labels_of(mask)))
        if self.ignore_class:
            boxes = [self._boxes(key, mask, label) for label in weights]
            box = self._pick(np.concatenate(boxes), least, of_box) if boxes else None
            return known.background, box
        while weights:
            label, of_class = draw_class(weights, of_class)
            box = self._pick(self._boxes(key, mask, label), least, of_box)
            if box is not None:
                return label, box
            del weights[label]
        return known.background, None

    def _pick(self, boxes: Array, least: Array, number: float) -> Array | None:
        extents = boxes[:, 1] - boxes[:, 0]
        large = (extents >= least).all(axis=1)
        boxes, extents = boxes[large], extents[large]
        if self.k_largest is not None:
            largest_first = np.argsort(-extents.prod(axis=1), kind="stable")
            boxes = boxes[largest_first[: self.k_largest]]
        if not len(boxes):
            return None
        box: Array = boxes[int(number * len(boxes))]
        return box

    def _boxes(self, key: tuple[object, ...], mask: Array, label: int) -> Array:
        return self._cached((*key, label), lambda: blob_boxes(mask == label))

    def _key(self, mask: Array) -> tuple[object, ...]:
        if not self.cache_objects:
            return ()
        from hashlib import blake2b  # takes 3 ms

        digest = blake2b(np.ascontiguousarray(mask).data, digest_size=32).digest()
        return digest, mask.shape, mask.dtype.str

    def _cached(self, key: tuple[object, ...], compute: Any) -> Array:
        """Return remembered values, or computed ones. Several threads may compute the same."""
        if not self.cache_objects:
            result: Array = compute()
            return result
        values = self._cache.get(key)
        if values is None:
            values = compute()
            while len(self._cache) >= MAX_CACHED_MASKS:
                self._cache.pop(next(iter(self._cache)), None)
            self._cache[key] = values
        return values

    def _least(self, threshold: Sequence[int] | None, ndim: int) -> Array:
        least = np.atleast_1d(0 if threshold is None else np.asarray(threshold))
        if least.shape not in ((1,), (ndim,)):
            self.refuse(
                f"threshold is {tuple(least.tolist())} for a mask with {ndim} dimensions; give one "
                "number, or one for each dimension"
            )
        return least

    def _formatted(self, start: Array, end: Array, label: int) -> tuple[Array, ...]:
        if self.format == "box":
            results: tuple[Array, ...] = (np.concatenate([start, end]),)
        else:
            results = start, end - start if self.format == "anchor_shape" else end
        if not self.output_class:
            return results
        try:
            return *results, np.array(label, np.int32)
        except OverflowError:
            raise ArgumentError(
                f"{self.called}: the label {label} does not fit into int32, the type of the "
                "output; leave output_class out, or use smaller labels"
            ) from None


def _listed(values: object) -> list[Any] | None:
    """Return an argument's numbers as a list of Python's, or None."""
    return None if values is None else np.atleast_1d(np.asarray(values)).tolist()
