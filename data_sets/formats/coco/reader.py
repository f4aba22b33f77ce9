"""COCO: images with boxes and classes, in an annotation file and a folder of images.

The components are "image", "boxes" (float32, shape (n, 4): x, y, width and height in pixels, as in
the file) and "labels" (int32, shape (n,): ids of categories). If any annotation of the file has
such data, there are also

    "iscrowd"          int32, shape (n,)
    "segmentations"    JSON: see `segmentations`
    "keypoints"        float64, shape (n, keypoints, 3): x, y and visibility; zeros without them
    "areas"            float64, shape (n,), in square pixels, where they are not those of the boxes

`classes` has the category of id i at index i.

An annotation without a box has that of its segmentation. Files of LVIS are read, too.

The images lie beside the file, or in `images`, or where COCO's own archives put them:
`annotations/instances_val2017.json` goes with `val2017` and with `images/val2017`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ....engine.errors import DecodeError, SourceError
from ....formats.coco.collectors import CocoAnnotations
from ....formats.coco.instances import CocoInstances, parse_instances
from ....readers.files.source import FileSource
from ....readers.listing.listing import list_files
from ....readers.storage.opening import exists, opened
from ....readers.storage.urls import Place, place_of, text_of
from ...manifest import Manifest
from ...sample import Encoded, Sample, Value
from ...segmentations import SEGMENTATIONS, encoded_segmentations
from ..base import Location, ReaderCall, SourceSamples

ANNOTATIONS, IMAGES = "annotations.json", "images"
BOXES, LABELS, CROWDS = "boxes", "labels", "iscrowd"
KEYPOINTS, AREAS = "keypoints", "areas"
_LOST = (
    *("skeleton", "supercategory", "frequency", "synset"),  # of categories
    *("neg_category_ids", "not_exhaustive_category_ids"),  # of LVIS's images
)
_HIGHEST_ID = 100_000
_SAME_AREA = 1e-6  # relative difference of areas that tools round


class CocoDatasetSamples(SourceSamples[FileSource]):
    """The images of an annotation file."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self._path = _annotation_file(location)
        with opened(self._path, location.options) as file:
            self._coco = parse_instances(
                file, str(self._path), keypoints=True, segmentation_texts=True
            )
        if not len(self._coco):
            raise SourceError(f"{self._path} lists no image")
        self._check_labels()
        self._optional = _optional(self._coco.annotations, location.manifest)
        with opened(self._path, location.options) as file:
            self.unread_fields = _mentioned(file)
        root = _image_folder(self._path, self._coco.file_names[0], location.options)
        listing = list_files(files=self._coco.file_names, file_root=text_of(root))
        self._source = FileSource(listing, location.options)
        self.learn(location.manifest)
        self.classes = _class_names(self._coco)

    def _check_labels(self) -> None:
        labels = self._coco.annotations.category_ids
        wrong = labels[labels != labels.astype(np.int32)]
        if wrong.size:
            raise SourceError(
                f"{self._path}: the category_id {self._coco.ids.shown(int(wrong[0]))} is no number "
                "of 32 bits, as labels are; number the categories anew"
            )

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        contents, _ = self._source.read(indices, np.empty)
        samples = []
        for index, content in zip(indices.tolist(), contents, strict=True):
            key, extension = os.path.splitext(self._coco.file_names[index])
            own = slice(*self._coco.bounds[index : index + 2].tolist())
            components: dict[str, Value] = {"image": Encoded(content.data, extension[1:].lower())}
            try:
                components |= _components(self._coco.annotations, own, self._optional)
            except DecodeError as error:
                raise DecodeError(f"{self._path}: {self.where(index)}: {error}") from None
            samples.append(Sample(key, components))
        return samples

    def files(self) -> list[str]:
        return [text_of(self._path)]

    def folders(self) -> set[str]:
        return self._source.folders()

    def loose_files(self, indices: NDArray[np.int64]) -> Iterable[str]:
        return map(self._source.where, indices.tolist())

    def reader_calls(self) -> Sequence[ReaderCall]:
        folder, _, _ = self.where(0).rpartition(self.read(np.zeros(1, np.int64))[0].key)
        return [ReaderCall("coco", {"file_root": folder, "annotations_file": text_of(self._path)})]


def _optional(annotations: CocoAnnotations, manifest: Manifest | None) -> set[str]:
    """Return the components that samples have besides the image, boxes and labels."""
    names = (CROWDS, SEGMENTATIONS, KEYPOINTS, AREAS)
    if manifest is not None:
        return {name for name in names if name in manifest.schema}
    texts, keypoints = annotations.segmentation_texts, annotations.keypoints
    assert texts is not None
    assert keypoints is not None
    areas, of_boxes = annotations.areas, annotations.boxes[:, 2] * annotations.boxes[:, 3]
    present = (
        annotations.are_crowds.any(),
        any(text not in (b"", b"null") for text in texts),
        keypoints.shape[1],
        areas.any() and not np.allclose(areas, of_boxes, rtol=_SAME_AREA, atol=0),
    )
    return {name for name, is_present in zip(names, present, strict=True) if is_present}


def _components(
    annotations: CocoAnnotations, own: slice, optional: set[str]
) -> Iterator[tuple[str, Value]]:
    """Yield name and value of the components of an image, which has the annotations `own`."""
    yield BOXES, annotations.boxes[own].astype(np.float32).reshape(-1, 4)
    yield LABELS, annotations.category_ids[own].astype(np.int32)
    if CROWDS in optional:
        yield CROWDS, annotations.are_crowds[own].astype(np.int32)
    if SEGMENTATIONS in optional and annotations.segmentation_texts is not None:
        yield SEGMENTATIONS, encoded_segmentations(annotations.segmentation_texts[own])
    if KEYPOINTS in optional and annotations.keypoints is not None:
        yield KEYPOINTS, annotations.keypoints[own]
    if AREAS in optional:
        yield AREAS, annotations.areas[own]


def _mentioned(file: IO[bytes]) -> tuple[str, ...]:
    """Return which of `_LOST` are members in a file; the file is read in blocks."""
    words = {name: f'"{name}"'.encode() for name in _LOST}
    longest = max(map(len, words.values()))
    mentioned, end = set[str](), b""
    while block := file.read(1 << 20):
        mentioned |= {name for name, word in words.items() if word in end + block}
        end = block[-longest:]
    return tuple(name for name in _LOST if name in mentioned)


def _annotation_file(location: Location) -> Place:
    if location.manifest is not None:
        return location.root / ANNOTATIONS
    paths = [path for path in location.files if place_of(path).name.endswith(".json")]
    if len(paths) != 1:
        raise SourceError(
            f"{location.root} holds {len(paths)} annotation files; name one: "
            f"{', '.join(place_of(path).name for path in paths[:5]) or 'a .json file'}"
        )
    return place_of(paths[0])


def _image_folder(annotations: Place, name: str, options: Mapping[str, object]) -> Place:
    tried = list(_image_folders(annotations))
    for folder in tried:
        if exists(folder / name, options):
            return folder
    raise SourceError(
        f"the image {name!r} of {annotations} lies in none of {', '.join(map(str, tried))}"
    )


def _image_folders(annotations: Place) -> Iterator[Place]:
    stem = os.path.splitext(annotations.name)[0]
    split = stem.rpartition("_")[2]
    for folder in (annotations.parent, annotations.parent.parent):
        yield from (folder, folder / IMAGES, folder / split, folder / IMAGES / split)


def _class_names(coco: CocoInstances) -> tuple[str, ...]:
    ids = coco.category_ids.tolist()
    if not ids or not 0 <= min(ids) <= max(ids) < _HIGHEST_ID:
        return ()
    names = dict(zip(ids, coco.category_names, strict=True))
    return tuple(names.get(number, "") for number in range(max(ids) + 1))
