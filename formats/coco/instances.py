"""COCO's annotation files: images, annotations and categories as columns.

Format: https://cocodataset.org/#format-data. No object for each box is made: a file of 450 MB with
860,000 annotations takes 80 MB of memory, and 400 MB more for its polygons.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import DecodeError
from ..json_arrays import JsonArrays, JsonBlock
from ..ragged import bounds_of, take_ranges
from .collectors import (
    AnnotationCollector,
    CategoryCollector,
    CocoAnnotations,
    Collector,
    ImageCollector,
    SegmentCollector,
)
from .columns import ElementError, Ids, short

_NO_MASK = (b"", b"null", b"[]", b"{}")
_LISTED = 8  # members that a message names
_SHOWN = 3  # annotations without an image, in a message


@dataclass(frozen=True)
class CocoInstances:
    """The content of an annotation file.

    As parsed, images are in the order of their ids. The annotations of image i are `bounds[i]` to
    `bounds[i + 1]`, in the order of the file.

    Attributes:
        image_ids: int64.
        file_names: file names of the images.
        heights: int64, pixels.
        widths: int64, pixels.
        bounds: int64, (images + 1,).
        annotations: those whose image exists.
        category_ids: int64, in the order of the file.
        category_names: "" for categories without a name.
        without_image: number of annotations that were dropped, because no image has their
            `image_id`.
        ids: ids that are no numbers of 64 bits, by the numbers that stand for them here.
        panoptic_names: of the file with each image's panoptic segmentation, "" if there is none;
            None unless the file was parsed as panoptic.
    """

    image_ids: Int64s
    file_names: list[str]
    heights: Int64s
    widths: Int64s
    bounds: Int64s
    annotations: CocoAnnotations
    category_ids: Int64s
    category_names: list[str]
    without_image: int
    ids: Ids
    panoptic_names: list[str] | None = None

    def __len__(self) -> int:
        return len(self.image_ids)

    def keep(self, mask: NDArray[np.bool_]) -> CocoInstances:
        """Return the same images with the annotations of `mask`: bool, (annotations,)."""
        mapped = bounds_of(mask)
        return replace(self, annotations=self.annotations.take(mask), bounds=mapped[self.bounds])

    def take(self, images: Int64s) -> CocoInstances:
        """Return the images with these numbers, in that order, with their annotations."""
        annotations, bounds = take_ranges(self.bounds, images)
        panoptic_names = self.panoptic_names
        return replace(
            self,
            image_ids=self.image_ids[images],
            file_names=_picked(self.file_names, images),
            heights=self.heights[images],
            widths=self.widths[images],
            bounds=bounds,
            annotations=self.annotations.take(annotations),
            panoptic_names=panoptic_names and _picked(panoptic_names, images),
        )


def parse_instances(
    file: IO[bytes],
    name: str,
    *,
    segmentations: bool = False,
    keypoints: bool = False,
    segmentation_texts: bool = False,
) -> CocoInstances:
    """Parse an annotation file.

    Numbers that are not finite, boxes outside of their images, empty boxes and annotation ids that
    come twice are left for the caller to judge. An annotation with a segmentation and without a box
    (no "bbox", null or an empty list) gets the box of its mask. Ids may be texts. Images of LVIS,
    which have a `coco_url` and no file name, get the last two parts of the URL. Annotations whose
    image is missing are dropped with a warning.

    Args:
        file: open for reading bytes, at its start.
        name: name of the file, for messages.
        segmentations: whether segmentations are parsed.
        keypoints: whether keypoints are parsed.
        segmentation_texts: whether the JSON texts of segmentations are kept.

    Raises:
        DecodeError: the file is cut off or no JSON, a member is missing or has the wrong type,
            two images have one id, or no annotation has an image. The message names the annotation
            or image, and its offset.

    >>> import io
    >>> coco = parse_instances(io.BytesIO(b'''{
    ...   "images": [{"id": 7, "file_name": "cat.jpg", "height": 4, "width": 5}],
    ...   "annotations": [{"id": 1, "image_id": 7, "category_id": 2, "bbox": [1, 1, 2, 3]}],
    ...   "categories": [{"id": 2, "name": "cat"}]}'''), "cats.json")
    >>> coco.file_names, coco.bounds, coco.annotations.boxes
    (['cat.jpg'], array([0, 1]), array([[1., 1., 2., 3.]]))
    """
    ids = Ids()
    annotations = AnnotationCollector(
        ids, segmentations=segmentations, keypoints=keypoints, segmentation_texts=segmentation_texts
    )
    return _parsed(file, name, ids, annotations)


def parse_panoptic(file: IO[bytes], name: str) -> CocoInstances:
    """Parse an annotation file of panoptic segmentations: see `parse_instances`.

    The annotations are the segments. The id of a segment is the number that its pixels have in the
    file `panoptic_names[i]` of image i: red + 256 * green + 65536 * blue.
    """
    ids = Ids()
    segments = SegmentCollector(ids)
    coco = _parsed(file, name, ids, segments)
    names = dict(zip(segments.images, segments.file_names, strict=True))
    return replace(coco, panoptic_names=[names.get(i, "") for i in coco.image_ids.tolist()])


def _parsed(
    file: IO[bytes], name: str, ids: Ids, annotations: AnnotationCollector
) -> CocoInstances:
    arrays = JsonArrays(file, name)
    images, categories = ImageCollector(ids), CategoryCollector(ids)
    wanted: dict[str, Collector]
    wanted = {"images": images, "annotations": annotations, "categories": categories}
    missing, members = set(wanted), []
    for member in arrays.names():
        members.append(member)
        collector = wanted.get(member)
        if collector is not None:
            if member not in missing:
                raise DecodeError(
                    f"{name}: the member {member!r} comes twice, the second time before byte "
                    f"{arrays.here}; join the arrays, because one of them would be lost"
                )
            missing.remove(member)
            lift = "segmentation" if member == "annotations" else ""
            for block in arrays.blocks(lift):
                _add(collector, block, name)
    if "images" in missing:
        held = ", ".join(f"{member!r:.40}" for member in members[:_LISTED]) or "none"
        raise DecodeError(
            f"{name}: the file has no array 'images', so it is no annotation file of COCO; its "
            f"members are {held}{', ...' * (len(members) > _LISTED)}"
        )
    return _joined(images, _with_boxes(images, annotations, ids, name), categories, ids, name)


def _add(collector: Collector, block: JsonBlock, name: str) -> None:
    try:
        if {*map(type, block.elements)} - {dict}:
            element = next(i for i, e in enumerate(block.elements) if type(e) is not dict)
            raise ElementError(element, f"{short(block.elements[element])} is no JSON object")
        collector.add(block)
    except ElementError as error:
        element, offset = block.elements[error.number], block.offset_of(error.number)
        known = element.get("id") if isinstance(element, dict) else None
        what = f"{collector.what} {block.first + error.number} (from 0)"
        if known is not None:
            what = f"the {collector.what} with id {short(known)}"
        raise DecodeError(f"{name}, byte {offset}: {what}: {error}") from None


def _with_boxes(
    images: ImageCollector, collected: AnnotationCollector, ids: Ids, name: str
) -> CocoAnnotations:
    """Return the annotations; those without a box get that of their mask, if they have one."""
    annotations = collected.finish()
    masks = {row: text for row, text in collected.without_box.items() if text not in _NO_MASK}
    if not masks:
        return annotations
    from .boxes import boxes_of_masks  # needs OpenCV

    image_ids = np.frombuffer(images.ids, np.int64)
    rows = np.array(list(masks))
    rows = rows[np.isin(annotations.image_ids[rows], image_ids)]  # the others have no image
    order = np.argsort(image_ids)
    at = order[np.searchsorted(image_ids[order], annotations.image_ids[rows])]
    heights, widths = (
        np.frombuffer(sides, np.int64)[at] for sides in (images.heights, images.widths)
    )
    try:
        boxes = boxes_of_masks([masks[row] for row in rows.tolist()], heights, widths)
    except ElementError as error:
        annotation = ids.shown(int(annotations.ids[rows[error.number]]))
        raise DecodeError(f"{name}: the annotation with id {annotation}: {error}") from None
    annotations.boxes[rows] = boxes
    annotations.lack_box[rows] = False
    return annotations


def _joined(
    images: ImageCollector,
    annotations: CocoAnnotations,
    categories: CategoryCollector,
    ids: Ids,
    name: str,
) -> CocoInstances:
    """Sort the images by their ids, and the annotations by their images."""
    image_ids = np.frombuffer(images.ids, np.int64)
    order = ids.sorted_rows(image_ids)
    ascending = np.argsort(image_ids, kind="stable")
    _check_unique(image_ids[ascending], "images", ids, name)
    category_ids = np.frombuffer(categories.ids, np.int64)
    _check_unique(np.sort(category_ids), "categories", ids, name)
    places = np.empty(len(order), np.int64)  # of each image of the file in the order
    places[order] = np.arange(len(order))
    rows = np.searchsorted(image_ids[ascending], annotations.image_ids)
    rows = ascending[np.minimum(rows, len(order) - 1)] if len(order) else rows
    exists = np.isin(annotations.image_ids, image_ids)
    if len(image_ids) and not exists.all():
        _tell_of_orphans(annotations, exists, ids.shown(int(image_ids[order[0]])), ids, name)
    place = np.full(len(exists), len(order))
    place[exists] = places[rows[exists]]
    by_image = np.argsort(place, kind="stable")[: np.count_nonzero(exists)]
    return CocoInstances(
        image_ids[order],
        _picked(images.file_names, order),
        np.frombuffer(images.heights, np.int64)[order],
        np.frombuffer(images.widths, np.int64)[order],
        np.searchsorted(place[by_image], np.arange(len(order) + 1)),
        annotations.take(by_image),
        category_ids,
        categories.names,
        int(np.count_nonzero(~exists)),
        ids,
    )


def _tell_of_orphans(
    annotations: CocoAnnotations, exists: NDArray[np.bool_], image: str, ids: Ids, name: str
) -> None:
    """Warn of annotations without an image; raise DecodeError if no annotation has one."""
    orphans = np.flatnonzero(~exists)
    owners = annotations.image_ids[orphans]
    if not exists.any():
        raise DecodeError(
            f"{name}: none of the {len(orphans)} annotations belongs to an image: the first one "
            f"has image_id {ids.shown(int(owners[0]))}, and the first image has id {image}. Both "
            "must be the same number, or the same text"
        )
    shown = [
        f"id {ids.shown(annotation)} (image_id {ids.shown(owner)})"
        for annotation, owner in zip(
            annotations.ids[orphans[:_SHOWN]].tolist(), owners[:_SHOWN].tolist(), strict=True
        )
    ]
    more = f" and {len(orphans) - _SHOWN} more" * (len(orphans) > _SHOWN)
    warnings.warn(
        f"{name}: {len(orphans)} of {len(exists)} annotations are dropped, because no image has "
        f"their image_id: {', '.join(shown)}{more}. The first image has id {image}; a number and a "
        "text differ",
        stacklevel=2,
    )


def _picked(names: list[str], order: Iterable[Any]) -> list[str]:
    return [names[i] for i in order]


def _check_unique(ordered: Int64s, kind: str, ids: Ids, name: str) -> None:
    twice = ordered[1:][np.diff(ordered) == 0]
    if twice.size:
        raise DecodeError(f"{name}: two {kind} have the id {ids.shown(int(twice[0]))}")
