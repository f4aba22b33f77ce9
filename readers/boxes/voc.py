"""Pascal VOC: `Annotations/x.xml` beside `JPEGImages/x.jpg`, and splits in `ImageSets/Main`.

The classes are all names in `Annotations`, in the order of the alphabet, from 1 on: 0 is the
background of masks. So all splits of a data set number them alike. If all are among the 20 of the
challenge, these 20 are the classes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from ...engine.errors import DecodeError, SourceError
from ..files.source import FileSource
from ..listing.folder import Folder
from ..listing.listing import list_files
from ..storage.opening import read_whole
from ..storage.urls import Place, place_of, text_of
from .box_set import BoxSet, ImageBoxes, Size, files_below, images_below
from .splits import chosen_split
from .voc_file import FLAGS, VocObject, parse_voc_file

ANNOTATIONS, IMAGES, LISTS = "Annotations", "JPEGImages", "ImageSets"
MASKS = {"mask": "SegmentationClass", "instances": "SegmentationObject"}
"""Folders of masks by component: palette images of classes, and of objects; 255 is void."""

CLASSES = (
    *("aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow"),
    *("diningtable", "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa"),
    *("train", "tvmonitor"),
)
_ALL = "all annotations"
_AT_ONCE = 1024  # annotations that are read together
_UNREAD = ("part", "pose")


class VocSet(BoxSet):
    """The images of a split."""

    flags = FLAGS

    def __init__(
        self,
        place: Place,
        options: Mapping[str, object],
        split: str = "",
        classes: Sequence[str] | None = None,
    ) -> None:
        """Open a folder, or the list of a split, such as "ImageSets/Main/train.txt".

        Args:
            place: the folder or list.
            options: `Reader.storage_options`.
            split: name of a split; "" for the only one.
            classes: names of the classes, if they are known.
        """
        super().__init__(str(place), options)
        is_list = place.name.endswith(".txt")
        root = place.parent.parent.parent if is_list else place
        folder = Folder(root, options)
        lists = {"": (place,)} if is_list else _lists(folder)
        text = text_of(root)
        found = chosen_split(self.name, lists, split, lambda n: f"{text}/{LISTS}/Main/{n}.txt")
        self.root = f"{text_of(root).rstrip('/')}/{IMAGES}"
        stems = {os.path.splitext(name)[0]: name for name in images_below(folder.inner(IMAGES))}
        annotated = {
            name.removesuffix(".xml"): name
            for name in files_below(folder.inner(ANNOTATIONS))
            if name.endswith(".xml")
        }
        ids = [line for path in found for line in _ids(path, options)] if found else [*annotated]
        if missing := [name for name in ids if name not in stems]:
            raise SourceError(
                f"{place} names {missing[0]!r} ({len(missing)} such names), of which {IMAGES} has "
                "no image"
            )
        if not ids:
            raise SourceError(f"{place} names no image")
        self.images = [stems[name] for name in ids]
        self._ids = ids
        self._paths = {
            name: f"{text_of(root).rstrip('/')}/{ANNOTATIONS}/{file}"
            for name, file in annotated.items()
        }
        self._objects = self._parsed()
        self.classes = self._classes() if classes is None else tuple(classes)
        self._numbers = {name: number for number, name in enumerate(self.classes) if name}
        if not found:
            unused = sorted(stems.keys() - annotated.keys())
            self.left_out = {"images without an annotation": unused} if unused else {}
        self.masks = _masks(folder, ids)

    def read(self, numbers: Sequence[int], sizes: Sequence[Size]) -> list[ImageBoxes]:
        """See `BoxSet.read`."""
        return [self._boxes(self._ids[number]) for number in numbers]

    def _boxes(self, name: str) -> ImageBoxes:
        objects = self._objects.get(name, [])
        if isinstance(objects, DecodeError):
            raise objects
        flags = np.array([o.flags for o in objects], np.int32).reshape(-1, len(FLAGS))
        return ImageBoxes(
            np.array([o.box for o in objects], np.float64).reshape(-1, 4),
            np.array([self._number(o.name, name) for o in objects], np.int64),
            np.zeros(len(objects), np.bool_),
            [b""] * len(objects),
            {flag: np.ascontiguousarray(flags[:, i]) for i, flag in enumerate(FLAGS)},
        )

    def _number(self, label: str, name: str) -> int:
        if label in self._numbers:
            return self._numbers[label]
        if label.isdigit():  # as a conversion writes a label without a name
            return int(label)
        raise DecodeError(f"{self._paths[name]}: there is no class {label!r:.80}")

    def label_files(self, number: int) -> Sequence[str]:
        """See `BoxSet.label_files`."""
        path = self._paths.get(self._ids[number])
        return [path] if path else []

    def _parsed(self) -> dict[str, list[VocObject] | DecodeError]:
        """Return the objects of all images, of other splits, too; or what is wrong with a file."""
        names, paths = list(self._paths), list(self._paths.values())
        if not paths:
            return {}
        source = FileSource(list_files(files=paths), self.options)
        parsed: dict[str, list[VocObject] | DecodeError] = {}
        held: set[str] = set()
        for first in range(0, len(paths), _AT_ONCE):
            rows = np.arange(first, min(first + _AT_ONCE, len(paths)))
            contents, _ = source.read(rows, np.empty)
            for row, content in zip(rows.tolist(), contents, strict=True):
                held |= {name for name in _UNREAD if f"<{name}>".encode() in content.tobytes()}
                try:
                    parsed[names[row]] = parse_voc_file(content.tobytes(), source.where(row))
                except DecodeError as error:
                    parsed[names[row]] = error
        self.unread = sorted(held)
        return parsed

    def _classes(self) -> tuple[str, ...]:
        named = {
            o.name
            for objects in self._objects.values()
            if not isinstance(objects, DecodeError)
            for o in objects
        }
        return ("", *(CLASSES if named <= set(CLASSES) else sorted(named)))


def _lists(folder: Folder) -> dict[str, tuple[Place, ...]]:
    """Return the list of each split; () if there are no lists.

    Lists of a class, such as "cat_train.txt", have a second column. "trainval" joins two lists.
    """
    if LISTS not in folder.folders or "Main" not in folder.inner(LISTS).folders:
        return {_ALL: ()}
    main = folder.inner(LISTS).inner("Main")
    names = [name.removesuffix(".txt") for name in main.files if name.endswith(".txt")]
    splits = [n for n in names if n.rpartition("_")[2] not in names or "_" not in n]
    return {name: (main.place / f"{name}.txt",) for name in splits} or {_ALL: ()}


def _ids(path: Place, options: Mapping[str, object]) -> list[str]:
    lines = read_whole(path, options).decode("utf-8", "replace").splitlines()
    ids = [line.strip() for line in lines if line.strip()]
    for name in ids:
        if name.startswith("/") or ".." in name.split("/"):
            raise SourceError(f"{path} names {name!r:.200}, which leaves the data set")
    return ids


def _masks(folder: Folder, ids: Sequence[str]) -> dict[int, dict[str, str]]:
    """Return the masks of images: not all have some."""
    masks: dict[int, dict[str, str]] = {}
    for component, name in MASKS.items():
        if name in folder.folders:
            inner = folder.inner(name)
            files = {os.path.splitext(path)[0]: path for path in images_below(inner)}
            for number, image in enumerate(ids):
                if image in files:
                    path = text_of(place_of(text_of(inner.place)) / files[image])
                    masks.setdefault(number, {})[component] = path
    return masks
