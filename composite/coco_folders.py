"""Data sets of YOLO, Pascal VOC and Open Images in the columns of COCO's annotations."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..decoders.image.table import read_header
from ..engine.errors import DecodeError
from ..engine.pending import wait_all
from ..formats.ragged import bounds_of
from ..readers.boxes.box_set import BoxSet, ImageBoxes, Size
from ..readers.storage.opening import open_storages
from ..readers.storage.urls import shown

if TYPE_CHECKING:
    from ..formats.coco.instances import CocoInstances

CORRECTED = "label files with rows that were clipped or came twice"

_HEAD = 64 << 10
"""Bytes in which nearly all headers end; a few photographs with large metadata are read whole."""

_AT_ONCE = 256  # images whose headers are read together


def instances_of(
    boxes: BoxSet, options: Mapping[str, object]
) -> tuple[CocoInstances, dict[str, int]]:
    """Return all images with their boxes, and how many label files were corrected.

    The header of each image is read, because boxes are shares of its size. The categories are the
    classes with a name, and those that boxes have. Image ids count from 1.

    Raises:
        DecodeError: an image has no header, or an annotation is damaged.
        OSError: a file cannot be read.
    """
    from ..formats.coco.collectors import CocoAnnotations  # these take 5 ms
    from ..formats.coco.columns import Ids
    from ..formats.coco.instances import CocoInstances
    from ..formats.coco.segmentations import SegmentationsBuilder

    paths = [f"{boxes.root}/{image}" for image in boxes.images]
    sizes = list(image_sizes(paths, options))
    read: list[ImageBoxes] = []
    for first in range(0, len(boxes), _AT_ONCE):
        numbers = range(first, min(first + _AT_ONCE, len(boxes)))
        read += boxes.read(numbers, sizes[first : first + _AT_ONCE])
    counts = np.array([len(of_image.labels) for of_image in read], np.int64)
    ids = np.arange(1, len(read) + 1)
    labels = np.concatenate([of_image.labels for of_image in read])
    pixels = np.concatenate([of_image.boxes for of_image in read])
    segmentations = SegmentationsBuilder()
    segmentations.add([text for of_image in read for text in of_image.polygons])
    annotations = CocoAnnotations(
        np.arange(1, len(labels) + 1),
        np.repeat(ids, counts),
        labels,
        pixels,
        pixels[:, 2] * pixels[:, 3],
        np.concatenate([of_image.crowds for of_image in read]),
        np.zeros(len(labels), np.bool_),
        segmentations.finish(),
    )
    named = {number for number, name in enumerate(boxes.classes) if name}
    categories = sorted(named | {*labels.tolist()})
    names = [boxes.classes[n] if n in named else str(n) for n in categories]
    coco = CocoInstances(
        ids,
        [*boxes.images],
        np.array([height for height, _ in sizes], np.int64),
        np.array([width for _, width in sizes], np.int64),
        bounds_of(counts),
        annotations,
        np.array(categories, np.int64),
        names,
        0,
        Ids(),
    )
    return coco, _corrected(read)


def _corrected(read: Sequence[ImageBoxes]) -> dict[str, int]:
    """Warn of the label files that were corrected; return their number."""
    remarks = [of_image.remarks for of_image in read if of_image.remarks]
    if remarks:
        warnings.warn(
            f"fn.readers.coco: {CORRECTED} ({len(remarks):,}); the first: {remarks[0]}",
            RuntimeWarning,
            stacklevel=2,
        )
    return {CORRECTED: len(remarks)} if remarks else {}


def image_sizes(paths: Sequence[str], options: Mapping[str, object]) -> Iterator[Size]:
    """Yield height and width of images, upright by EXIF.

    Raises:
        DecodeError: a file is no image. OSError: a file cannot be read.
    """
    for first in range(0, len(paths), _AT_ONCE):
        some = paths[first : first + _AT_ONCE]
        storages = open_storages(some, options)
        heads = [np.empty(min(storage.size, _HEAD), np.uint8) for storage in storages]
        pairs = zip(storages, heads, strict=True)
        wait_all(storage.start_read([0], [head]) for storage, head in pairs)
        for path, storage, head in zip(some, storages, heads, strict=True):
            try:
                yield read_header(head).size()
            except DecodeError as error:
                if storage.size <= _HEAD:
                    raise DecodeError(f"{shown(path)}: {error}") from None
                whole = np.empty(storage.size, np.uint8)
                storage.fill([0], [whole])
                yield read_header(whole).size()
            storage.close()
