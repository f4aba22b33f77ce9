"""YOLO: `images/SPLIT/x.jpg` beside `labels/SPLIT/x.txt`, and `data.yaml`.

Layout: docs.ultralytics.com/datasets/detect. The label file of an image has its path with "labels"
in place of the last folder named "images"; without such a folder, it lies beside the image. An
image without a label file has no objects.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np

from ...engine.errors import DecodeError, SourceError
from ..files.source import FileSource
from ..listing.folder import Folder
from ..listing.listing import list_files
from ..storage.opening import exists, read_whole
from ..storage.urls import Place, Url, is_local, is_url, place_of, shown, text_of
from .box_set import BoxSet, ImageBoxes, Size, images_below
from .splits import chosen_split
from .yolo_file import SPLITS, YoloFile, parse_yolo_file
from .yolo_rows import parse_rows

_ENDINGS = (".yaml", ".yml")
_AT_ONCE = 64  # label files that are read together
_IMAGES, _LABELS = "images", "labels"


class _Images(NamedTuple):
    """Images of a split: names relative to a folder."""

    root: str
    names: tuple[str, ...]


class YoloSet(BoxSet):
    """The images of a split."""

    def __init__(self, place: Place, options: Mapping[str, object], split: str = "") -> None:
        """Open a folder, a `data.yaml`, or a folder of images, such as "images/train"."""
        super().__init__(f"{place}", options)
        path, file = _described(place, options)
        self.files = [text_of(path)] if path is not None else []
        self.classes = file.classes
        self._points = file.points
        self.unread = ["keypoints"] * bool(file.points)
        splits = _splits(place, path, file, options)
        paths_of = partial(os.path.join, text_of(place), _IMAGES)
        found = chosen_split(self.name, splits, split, paths_of)
        images = [_listed(part, options) for part in found]
        self.root = _common([part.root for part in images])
        self.images = [
            _below(self.root, f"{part.root}/{name}") for part in images for name in part.names
        ]
        if not self.images:
            raise SourceError(f"{place} holds no image of YOLO")
        paths = [label_path(f"{self.root}/{image}") for image in self.images]
        existing = _existing(paths, options)
        self._labels = [path if path in existing else "" for path in paths]
        if not any(self._labels):
            raise SourceError(
                f"{place}: none of its {len(paths):,} images has a label file, such as "
                f"{shown(paths[0])!r}, so it is no data set of YOLO"
            )
        named = set(self._labels)
        self.left_out = _others(existing - named)
        labelled = [path for path in self._labels if path]
        self._rows = {path: row for row, path in enumerate(labelled)}
        self._source = FileSource(list_files(files=labelled), options) if labelled else None
        self.have_polygons = self._have_polygons(labelled)

    def read(self, numbers: Sequence[int], sizes: Sequence[Size]) -> list[ImageBoxes]:
        """See `BoxSet.read`."""
        paths = [self._labels[number] for number in numbers]
        texts = self._texts(paths)
        parsed = [
            self._parsed(path, texts.get(path, b""), size)
            for path, size in zip(paths, sizes, strict=True)
        ]
        for path, boxes in zip(paths, parsed, strict=True):
            if any(boxes.polygons) and not self.have_polygons:
                raise DecodeError(
                    f"{shown(path)} holds polygons, but the first label files of {self.name} hold "
                    "boxes; make them alike"
                )
        return parsed

    def _parsed(self, path: str, text: bytes, size: Size) -> ImageBoxes:
        return parse_rows(text, size, shown(path), len(self.classes), self._points)

    def _have_polygons(self, labelled: Sequence[str]) -> bool:
        """Return whether the first label file that has rows, and is sound, has polygons."""
        for first in range(0, len(labelled), _AT_ONCE):
            for path, text in self._texts(labelled[first : first + _AT_ONCE]).items():
                with suppress(DecodeError):
                    boxes = self._parsed(path, text, (1, 1))
                    if len(boxes.labels):
                        return any(boxes.polygons)
        return False

    def _texts(self, paths: Sequence[str]) -> dict[str, bytes]:
        wanted = list(dict.fromkeys(path for path in paths if path))
        if not wanted or self._source is None:
            return {}
        rows = np.array([self._rows[path] for path in wanted], np.int64)
        contents, _ = self._source.read(rows, np.empty)
        return {path: content.tobytes() for path, content in zip(wanted, contents, strict=True)}

    def label_files(self, number: int) -> Sequence[str]:
        """See `BoxSet.label_files`."""
        return [self._labels[number]] if self._labels[number] else []


def label_path(image: str) -> str:
    """Return the path of an image's label file.

    >>> label_path("set/images/train/a.b.jpg"), label_path("set/a.jpg")
    ('set/labels/train/a.b.txt', 'set/a.txt')
    """
    stem = os.path.splitext(image)[0]
    before, folder, behind = stem.rpartition(f"/{_IMAGES}/")
    return f"{before}/{_LABELS}/{behind}.txt" if folder else f"{stem}.txt"


def _described(place: Place, options: Mapping[str, object]) -> tuple[Place | None, YoloFile]:
    """Return the `data.yaml` of a place, in it or above it, and its content."""
    if place.name.endswith(_ENDINGS):
        return place, parse_yolo_file(read_whole(place, options), str(place))
    folder = place
    for _ in range(4):
        names = [name for name in Folder(folder, options).files if name.endswith(_ENDINGS)]
        texts = ((folder / name, read_whole(folder / name, options)) for name in names)
        for path, text in texts:
            if b"names" in text:
                return path, parse_yolo_file(text, str(path))
        if folder.name not in (_IMAGES, *SPLITS, "valid"):
            break
        folder = folder.parent
    return None, YoloFile()


def _splits(
    place: Place, path: Place | None, file: YoloFile, options: Mapping[str, object]
) -> dict[str, tuple[Place, ...]]:
    """Return the folders and lists of images of each split."""
    folder = Folder(place, options)
    if not place.name.endswith(_ENDINGS) and (folder.has_media or path is None):
        if folder.has_media or _IMAGES not in folder.folders:
            return {"": (place,)}
        images = folder.inner(_IMAGES)
        inner = [name for name in images.visible_folders if not images.has_media]
        return {name: (images.place / name,) for name in inner} or {"": (images.place,)}
    assert path is not None
    roots = [path.parent]
    if file.path and not (is_url(file.path) or isinstance(path, Url)):
        roots.insert(0, path.parent / file.path)
    return {
        split: tuple(_found(entry, roots, path, options) for entry in entries)
        for split, entries in file.splits.items()
    }


def _found(entry: str, roots: Sequence[Place], path: Place, options: Mapping[str, object]) -> Place:
    """Return the place of a folder or list that `data.yaml` names."""
    _check_inside(entry, path)
    for root in roots:
        # Ultralytics, too, tries names as if the file lay one folder higher: Roboflow writes them.
        for name in (entry, entry.removeprefix("../")):
            found = root / name.removeprefix("./").rstrip("/")
            if exists(found, options) if name.endswith(".txt") else any(_entries(found, options)):
                return found
    raise SourceError(f"{path} names {entry!r}, which is not there")


def _entries(place: Place, options: Mapping[str, object]) -> Iterator[str]:
    folder = Folder(place, options)
    yield from folder.files
    yield from folder.folders


def _check_inside(name: str, owner: Place) -> None:
    """Raise SourceError if a file behind a URL names a file of this machine."""
    if isinstance(owner, Url) and (is_url(name) or is_local(os.fsencode(name))):
        raise SourceError(f"{owner}: a file behind a URL may not name {name!r:.200}")


def _listed(part: Place, options: Mapping[str, object]) -> _Images:
    """Return the images in a folder, or of a list."""
    if not part.name.endswith(".txt"):
        return _Images(text_of(part).rstrip("/"), tuple(images_below(Folder(part, options))))
    lines = read_whole(part, options).decode("utf-8", "replace").splitlines()
    names = [line.strip() for line in lines if line.strip()]
    for name in names:
        _check_inside(name, part)
    root = text_of(part.parent)
    paths = [n if n.startswith("/") else f"{root}/{n.removeprefix('./')}" for n in names]
    common = _common([os.path.dirname(path) for path in paths])
    return _Images(common, tuple(_below(common, path) for path in paths))


def _common(roots: Sequence[str]) -> str:
    parts = [root.split("/") for root in roots]
    shared = 0
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        shared += 1
    return "/".join(parts[0][:shared]) if parts else ""


def _below(root: str, path: str) -> str:
    return path[len(root) :].lstrip("/")


def _existing(paths: Sequence[str], options: Mapping[str, object]) -> set[str]:
    """Return the label files in the folders of some label files."""
    folders = dict.fromkeys(map(os.path.dirname, paths))
    return {
        f"{folder}/{name}"
        for folder in folders
        for name in Folder(place_of(folder), options).files
        if name.endswith(".txt") and name != "classes.txt"
    }


def _others(paths: set[str]) -> dict[str, list[str]]:
    names = sorted(map(os.path.basename, paths))
    return {"label files without an image": names} if names else {}
