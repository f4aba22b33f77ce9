"""YOLO, Pascal VOC and Open Images: images with boxes.

The components are those of COCO: "image", "boxes" (float32, (n, 4): x, y, width and height in
pixels) and "labels" (int32, (n,)). `classes` has the name of each label. If the data set has such
data, there are also

    "iscrowd"          int32, (n,): a group of objects (Open Images)
    "segmentations"    JSON: see `segmentations` (YOLO's polygons)
    "difficult", "truncated", "occluded", "depiction", "inside"    int32, (n,): flags of boxes
    "mask", "instances"    PNG files of VOC: palette images of classes, and of objects
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....engine.errors import DecodeError
from ....readers.boxes.box_set import BoxSet, ImageBoxes, Size
from ....readers.boxes.yolo import YoloSet
from ....readers.files.source import FileSource
from ....readers.listing.listing import list_files
from ...sample import Encoded, Sample, Value
from ...segmentations import SEGMENTATIONS, encoded_segmentations
from ..base import Location, ReaderCall, SourceSamples
from ..coco.reader import BOXES, CROWDS, LABELS
from ..folder import absolute_path


class BoxSamples(SourceSamples[FileSource]):
    """The images of one split."""

    def __init__(self, opens: Callable[..., BoxSet], location: Location) -> None:
        """Open the place of a data set, or what names one split of it."""
        super().__init__(location)
        manifest = location.manifest
        more: dict[str, Any] = {}
        if manifest is not None and opens is not YoloSet:
            more["classes"] = manifest.classes
        self._set = opens(location.root, location.options, **more)
        root = self._set.root
        listing = list_files(files=[*self._set.images], file_root=root)
        self._source = FileSource(listing, location.options)
        masks = sorted({p for masks in self._set.masks.values() for p in masks.values()})
        self._mask_rows = {path: row for row, path in enumerate(masks)}
        self._masks = FileSource(list_files(files=masks), location.options) if masks else None
        self._held = set(self._set.flags)
        self._held |= {CROWDS} if self._set.have_crowds else set()
        self._held |= {SEGMENTATIONS} if self._set.have_polygons else set()
        if manifest is not None:
            self._held = set(manifest.schema)
        self._told = False
        self.unread_fields = tuple(self._set.unread)
        self.learn(manifest)
        self.classes = self.classes or self._set.classes

    @property
    def skipped_files(self) -> dict[str, Sequence[str]]:
        return {**self.location.skipped, **self._set.left_out}

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        numbers = indices.tolist()
        contents, _ = self._source.read(indices, np.empty)
        pairs = zip(numbers, contents, strict=True)
        boxes = self._set.read(numbers, [self._size(*pair) for pair in pairs])
        self._tell(boxes)
        samples = []
        for number, content, of_image in zip(numbers, contents, boxes, strict=True):
            key, extension = os.path.splitext(self._set.images[number])
            components: dict[str, Value] = {"image": Encoded(content.data, extension[1:])}
            components |= dict(self._components(of_image))
            components |= self._masks_of(number)
            samples.append(Sample(key, components))
        return samples

    def _size(self, number: int, content: NDArray[np.uint8]) -> Size:
        from ....decoders.image.table import read_header  # other formats need no decoders

        try:
            return read_header(content).size()
        except DecodeError as error:
            raise DecodeError(f"{self.where(number)}: {error}") from None

    def _tell(self, boxes: Sequence[ImageBoxes]) -> None:
        """Warn once of what was corrected."""
        remark = next((of_image.remarks for of_image in boxes if of_image.remarks), "")
        if remark and not self._told:
            self._told = True
            warnings.warn(f"{remark}, as in Ultralytics", RuntimeWarning, stacklevel=2)

    def _components(self, boxes: ImageBoxes) -> Iterator[tuple[str, Value]]:
        yield BOXES, boxes.boxes.astype(np.float32)
        yield LABELS, boxes.labels.astype(np.int32)
        if CROWDS in self._held:
            yield CROWDS, boxes.crowds.astype(np.int32)
        if SEGMENTATIONS in self._held:
            yield SEGMENTATIONS, encoded_segmentations(boxes.polygons)
        for name, flags in boxes.flags.items():
            if name in self._held:
                yield name, flags

    def _masks_of(self, number: int) -> dict[str, Value]:
        paths = self._set.masks.get(number, {})
        if self._masks is None or not paths:
            return {}
        rows = np.array([self._mask_rows[path] for path in paths.values()], np.int64)
        contents, _ = self._masks.read(rows, np.empty)
        return {
            name: Encoded(content.data, os.path.splitext(path)[1][1:])
            for (name, path), content in zip(paths.items(), contents, strict=True)
        }

    def files(self) -> list[str]:
        return [*self._set.files]

    def folders(self) -> set[str]:
        return self._source.folders()

    def loose_files(self, indices: NDArray[np.int64]) -> Iterable[str]:
        for number in indices.tolist():
            yield f"{self._set.root}/{self._set.images[number]}"
            yield from self._set.label_files(number)
            yield from self._set.masks.get(number, {}).values()

    def reader_calls(self) -> Sequence[ReaderCall]:
        path = absolute_path(self.location.root)
        return [ReaderCall("coco", {"path": path}, is_own=True, medium="image")]
