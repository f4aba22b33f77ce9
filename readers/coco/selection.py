"""The selection of the images and annotations of a COCO data set that are read."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError

if TYPE_CHECKING:
    from ...formats.coco.instances import CocoInstances


NOT_FINITE = "annotations whose box is not finite"
NEGATIVE = (
    "annotations whose box has a negative width or height, as of corners in place of left, top, "
    "width and height"
)
LACK_BOX = "annotations without a box and a mask"


class Selected(NamedTuple):
    """The choice of images and annotations, and their form: arguments of `fn.readers.coco`."""

    images: tuple[str, ...] | None = None
    skip_empty: bool = False
    size_threshold: float = 0.1
    include_iscrowd: bool = True
    avoid_class_remapping: bool = False
    ltrb: bool = False
    ratio: bool = False


def select(
    coco: CocoInstances, selected: Selected, name: str
) -> tuple[CocoInstances, dict[str, int]]:
    """Return the images and annotations that are read, and how many are not, by reason.

    Raises:
        ArgumentError: none of the wanted images is in the annotation file.
    """
    unknown = 0
    if selected.images is not None:
        numbers = _numbers(coco, selected.images, name)
        unknown = len(selected.images) - len(numbers)
        coco = coco.take(numbers)
    with np.errstate(over="ignore"):  # such boxes are not finite, too
        boxes = coco.annotations.boxes.astype(np.float32)
    finite = np.isfinite(boxes).all(axis=1)
    large = (boxes[:, 2:] >= np.float32(selected.size_threshold)).all(axis=1)
    wanted = ~coco.annotations.are_crowds | selected.include_iscrowd
    lack_box = coco.annotations.lack_box
    negative = finite & (boxes[:, 2:] < 0).any(axis=1) & ~lack_box
    small = finite & ~large & ~lack_box & ~negative
    dropped = {
        "names in images that the annotations lack": unknown,
        "annotations without an image": coco.without_image,
        NOT_FINITE: int(np.count_nonzero(~finite)),
        LACK_BOX: int(np.count_nonzero(finite & ~large & lack_box)),
        NEGATIVE: int(np.count_nonzero(negative)),
        "annotations below size_threshold": int(np.count_nonzero(small)),
        "annotations with iscrowd=1": int(np.count_nonzero(finite & large & ~wanted)),
    }
    coco = coco.keep(finite & large & wanted)
    if selected.skip_empty:
        coco = coco.take(np.flatnonzero(np.diff(coco.bounds)))
    return coco, {reason: count for reason, count in dropped.items() if count}


def _numbers(coco: CocoInstances, images: tuple[str, ...], name: str) -> Int64s:
    """Return the numbers of the images with these file names, as far as there are any."""
    numbers = {file_name: number for number, file_name in enumerate(coco.file_names)}
    known = [numbers[image] for image in images if image in numbers]
    if images and not known:
        raise ArgumentError(
            f"fn.readers.coco: images names {images[0]!r}, which is not among the {len(coco)} file "
            f"names in {name}, as all names in images"
        )
    return np.array(known, np.int64)


def warn_of_dropped(coco: CocoInstances, dropped: Mapping[str, int], name: str) -> None:
    """Warn if no image has a box, or if annotations are dropped that no argument leaves out.

    Args:
        coco: what is read.
        dropped: see `select`.
        name: of the annotation file.
    """
    is_bare = len(coco) > 0 and not len(coco.annotations.boxes)
    told = {
        why: n for why, n in dropped.items() if is_bare or why in (NOT_FINITE, NEGATIVE, LACK_BOX)
    }
    counted = ", ".join(f"{reason} ({count:,})" for reason, count in told.items()) or "none"
    if is_bare:
        text = f"none of the {len(coco):,} images has a box; dropped are {counted}"
    elif told:
        text = f"dropped are {counted}"
    else:
        return
    warnings.warn(f"fn.readers.coco: {name}: {text}", RuntimeWarning, stacklevel=2)
