"""Blocks of parsed JSON objects, collected in columns: images, annotations and categories."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Int64s
from ..json_arrays import JsonBlock
from .columns import ElementError, Ids, checked_strings, float_rows, floats, integers, strings
from .segmentations import Segmentations, SegmentationsBuilder

_MOST_KEYPOINTS = 256  # of an annotation


class Collector(Protocol):
    """Collects the elements of one array.

    Attributes:
        what: an element, for messages.
    """

    what: str

    def add(self, block: JsonBlock) -> None:
        """Add the elements; raise ElementError if one is not as it should be."""


@dataclass(frozen=True)
class CocoAnnotations:
    """Annotations, each a row of these arrays.

    Attributes:
        ids: int64; -1 for annotations without one.
        image_ids: int64.
        category_ids: int64.
        boxes: float64, (annotations, 4): left, top, width and height in pixels. Annotations
            without a box have zeros.
        areas: float64, square pixels.
        are_crowds: bool.
        segmentations: None unless they were asked for.
        keypoints: float64, (annotations, keypoints, 3): x, y and visibility; None unless they were
            asked for.
        segmentation_texts: object, (annotations,): the JSON text of each segmentation as bytes, b""
            without one; None unless they were asked for.
        lack_box: bool: whether an annotation has neither a box nor a segmentation to give it one.
    """

    ids: Int64s
    image_ids: Int64s
    category_ids: Int64s
    boxes: NDArray[np.float64]
    areas: NDArray[np.float64]
    are_crowds: NDArray[np.bool_]
    lack_box: NDArray[np.bool_]
    segmentations: Segmentations | None = None
    keypoints: NDArray[np.float64] | None = None
    segmentation_texts: NDArray[np.object_] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Array) -> CocoAnnotations:
        """Return the annotations `rows`, numbers or a mask."""
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        return CocoAnnotations(
            self.ids[rows],
            self.image_ids[rows],
            self.category_ids[rows],
            self.boxes[rows],
            self.areas[rows],
            self.are_crowds[rows],
            self.lack_box[rows],
            None if self.segmentations is None else self.segmentations.take(rows),
            None if self.keypoints is None else self.keypoints[rows],
            None if self.segmentation_texts is None else self.segmentation_texts[rows],
        )


class ImageCollector:
    """Ids, sizes and file names of images."""

    what = "image"

    def __init__(self, ids: Ids) -> None:
        """Take the ids of the file."""
        self._ids = ids
        self.ids, self.heights, self.widths = array("q"), array("q"), array("q")
        self.file_names: list[str] = []

    def add(self, block: JsonBlock) -> None:
        """Add the elements of a block."""
        self.ids.frombytes(self._ids.column(block.elements, "id").tobytes())
        self.heights.frombytes(integers(block.elements, "height", 0).tobytes())
        self.widths.frombytes(integers(block.elements, "width", 0).tobytes())
        self.file_names += checked_strings(list(map(_file_name, block.elements)), "file_name")


def _file_name(image: dict[str, object]) -> Any:
    """Return the file name of an image; LVIS has URLs of COCO's images instead.

    As in detectron2, the last folder and the name of the URL are those of the file.
    """
    name, url = image.get("file_name"), image.get("coco_url")
    if name is None and isinstance(url, str):
        return "/".join(url.split("/")[-2:])
    return name


class CategoryCollector:
    """Ids and names of categories."""

    what = "category"

    def __init__(self, ids: Ids) -> None:
        """Take the ids of the file."""
        self._ids = ids
        self.ids = array("q")
        self.names: list[str] = []

    def add(self, block: JsonBlock) -> None:
        """Add the elements of a block."""
        self.ids.frombytes(self._ids.column(block.elements, "id").tobytes())
        self.names += [str(element.get("name", "")) for element in block.elements]


class AnnotationCollector:
    """Annotations, with what was asked for of their segmentations and keypoints."""

    what = "annotation"

    def __init__(
        self,
        ids: Ids,
        *,
        segmentations: bool = False,
        keypoints: bool = False,
        segmentation_texts: bool = False,
    ) -> None:
        """Take the ids of the file; say what is collected besides boxes and numbers."""
        self._known = ids
        self.without_box: dict[int, bytes] = {}
        """The segmentation of annotations without a box, by their numbers in the file."""
        self._ids, self._image_ids, self._category_ids = array("q"), array("q"), array("q")
        self._boxes, self._areas, self._crowds = array("d"), array("d"), array("b")
        self._segmentations = SegmentationsBuilder() if segmentations else None
        self._keypoints: list[NDArray[np.float64]] | None = [] if keypoints else None
        self._texts: list[bytes] | None = [] if segmentation_texts else None

    def add(self, block: JsonBlock) -> None:
        """Add the elements of a block."""
        first = len(self._ids)
        self._add(block.elements)
        for number in self._lacking(block.elements, first):
            self.without_box[first + number] = block.lifted[number]
        if self._segmentations is not None:
            self._segmentations.add(block.lifted)
        if self._texts is not None:
            self._texts += block.lifted

    def _lacking(self, elements: list[dict[str, object]], first: int) -> list[int]:
        """Return the numbers of the elements without a box, whose boxes are zeros."""
        boxes = np.frombuffer(self._boxes, np.float64).reshape(-1, 4)[first:]
        empty = np.flatnonzero(~boxes.any(axis=1)).tolist()
        del boxes  # which would keep the array from growing
        return [number for number in empty if not elements[number].get("bbox")]

    def _add(self, elements: list[dict[str, object]]) -> None:
        self._ids.frombytes(self._known.column(elements, "id", -1).tobytes())
        self._image_ids.frombytes(self._known.column(elements, "image_id").tobytes())
        self._category_ids.frombytes(self._known.column(elements, "category_id").tobytes())
        self._boxes.frombytes(float_rows(elements, "bbox", 4).tobytes())
        self._areas.frombytes(floats(elements, "area", 0.0).tobytes())
        self._crowds.frombytes((integers(elements, "iscrowd", 0) != 0).tobytes())
        if self._keypoints is not None:
            self._keypoints.append(_keypoints(elements))

    def finish(self) -> CocoAnnotations:
        """Return the annotations, which take over the memory."""
        return CocoAnnotations(
            np.frombuffer(self._ids, np.int64),
            np.frombuffer(self._image_ids, np.int64),
            np.frombuffer(self._category_ids, np.int64),
            np.frombuffer(self._boxes, np.float64).reshape(-1, 4),
            np.frombuffer(self._areas, np.float64),
            np.frombuffer(self._crowds, np.bool_),
            np.isin(np.arange(len(self._ids)), list(self.without_box)),
            None if self._segmentations is None else self._segmentations.finish(),
            None if self._keypoints is None else _same_width(self._keypoints),
            None if self._texts is None else np.array(self._texts, np.object_),
        )


class SegmentCollector(AnnotationCollector):
    """The segments of panoptic annotations, as annotations; and the files with their pixels.

    Attributes:
        images: int64, the image of each file.
        file_names: names of the files.
    """

    def __init__(self, ids: Ids) -> None:
        super().__init__(ids)
        self.images = array("q")
        self.file_names: list[str] = []

    def add(self, block: JsonBlock) -> None:
        """Add the elements of a block."""
        images = self._known.column(block.elements, "image_id")
        self.file_names += strings(block.elements, "file_name")
        self.images.frombytes(images.tobytes())
        segments, owners = [], []
        for number, element in enumerate(block.elements):
            of_image = element.get("segments_info")
            if not isinstance(of_image, list) or not all(type(s) is dict for s in of_image):
                raise ElementError(number, "'segments_info' must be a list of JSON objects")
            segments += [segment | {"image_id": element["image_id"]} for segment in of_image]
            owners += [number] * len(of_image)
        try:
            self._add(segments)
        except ElementError as error:
            raise ElementError(owners[error.number], f"in 'segments_info': {error}") from None


def _keypoints(elements: list[dict[str, Any]]) -> NDArray[np.float64]:
    """Return (annotations, keypoints, 3); annotations with fewer keypoints have zeros behind."""
    lengths = [len(k) for e in elements if isinstance(k := e.get("keypoints"), list)]
    width = max(lengths, default=0)
    if width > 3 * _MOST_KEYPOINTS:
        wrong = next(i for i, e in enumerate(elements) if len(e.get("keypoints") or ()) == width)
        raise ElementError(wrong, f"{width // 3} keypoints, at most {_MOST_KEYPOINTS} are read")
    for number, element in enumerate(elements):
        value = element.get("keypoints")
        if isinstance(value, list) and len(value) % 3:
            raise ElementError(number, f"{len(value)} numbers are no 'keypoints': each takes 3")
        if isinstance(value, list) and len(value) < width:
            value += [0] * (width - len(value))
    return float_rows(elements, "keypoints", width).reshape(len(elements), width // 3, 3)


def _same_width(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    most = max((part.shape[1] for part in parts), default=0)
    wide = [np.pad(part, ((0, 0), (0, most - part.shape[1]), (0, 0))) for part in parts]
    return np.concatenate([np.zeros((0, most, 3)), *wide])
