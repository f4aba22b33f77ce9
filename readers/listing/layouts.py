"""Folders that other software lays out, told by their markers and refused by name.

Such a folder must not be taken for what it is not: its parts are no classes, and its splits no one
data set. A new layout is a row of `_LAYOUTS`: what tells it, what it is, and what to do.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from ...engine.errors import PenstockError, SourceError
from ..storage.opening import open_storage
from ..storage.urls import Place, Url, is_url, place_of

_LARGEST_MARKER = 1 << 20
"""Bytes of a marker that are looked at: an `index.json` lists thousands of shards."""

_PICTURES = {"images", "image", "imgs", "img", "jpegimages", "leftimg8bit", "rgb", "image_2"}
_PARTS = {
    *("labels", "label", "masks", "mask", "annotations", "annotation", "annots", "label_2"),
    *("segmentation", "segmentations", "segmentationclass", "segmentationobject", "gtfine", "gt"),
    *("groundtruth", "ground_truth", "bboxes", "boxes", "depth", "depths"),
}


class Folder:
    """A folder whose layout is asked for.

    Attributes:
        place: the folder.
        files, folders: names of its entries, hidden ones too.
    """

    def __init__(
        self,
        place: Place,
        options: Mapping[str, Any],
        names: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> None:
        """Take a folder; `names` are those of its files and folders, if they are known."""
        self.place = place
        self._options = options
        self.files, self.folders = names or folder_names(place, options)

    def inner(self, name: str) -> Folder:
        """Return a folder in it."""
        return Folder(self.place / name, self._options)

    def text(self, name: str) -> str:
        """Return the start of a file in it; "" if it cannot be read."""
        try:
            storage = open_storage(self.place / name, self._options)
            content = np.empty(min(storage.size, _LARGEST_MARKER), np.uint8)
            storage.fill([0], [content])
        except (OSError, PenstockError):
            return ""
        return content.tobytes().decode("utf-8", "replace")

    def has(self, pattern: str) -> bool:
        """Return whether the name of a file fits a pattern."""
        return any(fnmatchcase(name, pattern) for name in self.files)


def folder_names(place: Place, options: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the names of a folder's files and folders, hidden ones too, sorted; or none."""
    if isinstance(place, Url):
        from ..remote.folders import folder_entries  # needs optional libraries

        return folder_entries(place, options)
    try:
        with os.scandir(place) as entries:
            pairs = sorted((entry.name, entry.is_dir()) for entry in entries)
    except OSError:
        return [], []
    return [n for n, is_folder in pairs if not is_folder], [n for n, inner in pairs if inner]


def _is_lance(folder: Folder) -> bool:
    return "_versions" in folder.folders and folder.inner("_versions").has("*.manifest")


def _is_zarr(folder: Folder) -> bool:
    return not {"zarr.json", ".zgroup", ".zarray", ".zmetadata"}.isdisjoint(folder.files)


def _is_lerobot(folder: Folder) -> bool:
    return "meta" in folder.folders and '"codebase_version"' in folder.inner("meta").text(
        "info.json"
    )


def _is_energon(folder: Folder) -> bool:
    return ".nv-meta" in folder.folders


def _is_shar(folder: Folder) -> bool:
    return folder.has("cuts.*.jsonl*") and folder.has("*.tar")


def _lists(member: str, folder: Folder) -> bool:
    if "index.json" not in folder.files:
        return False
    text = folder.text("index.json")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return len(text) >= _LARGEST_MARKER and f'"{member}"' in text
    return isinstance(content, dict) and isinstance(content.get(member), list)


def _is_mds(folder: Folder) -> bool:
    return _lists("shards", folder)


def _is_litdata(folder: Folder) -> bool:
    return _lists("chunks", folder)


def _is_yolo(folder: Folder) -> bool:
    if _are_folders(folder, "images", "labels"):
        return True
    for name in folder.files:
        if name.endswith((".yaml", ".yml")):
            text = folder.text(name)
            if re.search(r"^names\s*:", text, re.M) and re.search(r"^(train|val)\s*:", text, re.M):
                return True
    return False


def _is_voc(folder: Folder) -> bool:
    return _are_folders(folder, "Annotations", "JPEGImages")


def _is_coco(folder: Folder) -> bool:
    return "annotations" in folder.folders and folder.inner("annotations").has("*.json")


def _is_open_images(folder: Folder) -> bool:
    return folder.has("*annotations-bbox.csv")


def _is_kitti(folder: Folder) -> bool:
    return _are_folders(folder, "image_2", "label_2")


def _are_parts(folder: Folder) -> bool:
    names = {name.lower() for name in folder.folders}
    return not _PICTURES.isdisjoint(names) and not _PARTS.isdisjoint(names)


def _are_folders(folder: Folder, *names: str) -> bool:
    return set(names) <= set(folder.folders)


def _lists_images(text: str) -> bool:
    return any(member in text for member in ('"images"', '"annotations"', '"categories"'))


def _is_coco_beside(folder: Folder) -> bool:
    names = [name for name in folder.files if fnmatchcase(name, "*annotation*.json")]
    return bool(folder.folders) and any(map(_lists_images, map(folder.text, names)))


class _Layout(NamedTuple):
    """A layout.

    Attributes:
        fits: returns whether a folder has it.
        title, advice: what it is, and what to do.
        are_parts: whether readers of shards may be meant to read a part of it.
        is_data_set: whether `datasets` opens the folder as what it is.
    """

    fits: Callable[[Folder], bool]
    title: str
    advice: str
    are_parts: bool = False
    is_data_set: bool = False


_COCO = "write COCO's JSON of it, for example by the package datumaro, for fn.readers.coco"
_LAYOUTS = (
    _Layout(
        _is_lance,
        "a Lance data set",
        "write its rows to Parquet files by the package pylance, for fn.readers.parquet",
    ),
    _Layout(
        _is_zarr,
        "a Zarr store of arrays",
        "write its arrays to .npy files by the package zarr, for fn.readers.numpy",
    ),
    _Layout(
        _is_lerobot,
        "a LeRobot data set",
        "name its tables, data/*/*.parquet, for fn.readers.parquet, or its videos for "
        "fn.readers.video",
    ),
    _Layout(
        _is_energon,
        "an Energon data set, whose splits .nv-meta/split.yaml lists",
        "name the tar files of one split by a pattern, such as 'train-{000..127}.tar'",
        is_data_set=True,
    ),
    _Layout(
        _is_shar,
        "a Shar data set of lhotse, whose texts lie in the cuts beside the tar files",
        "name the folder for fn.readers.nemo_asr, or the tar files",
        is_data_set=True,
    ),
    _Layout(
        _is_mds,
        "an MDS data set of MosaicML's streaming",
        "write its samples as tar files or Parquet by the package mosaicml-streaming",
    ),
    _Layout(
        _is_litdata,
        "a LitData data set",
        "write its samples as tar files or Parquet by the package litdata",
    ),
    _Layout(
        _is_coco,
        "a data set of COCO",
        "name its annotation file, such as annotations/instances_train2017.json",
        are_parts=True,
    ),
    _Layout(_is_voc, "a data set of Pascal VOC", _COCO, are_parts=True),
    _Layout(_is_kitti, "a data set of KITTI", _COCO, are_parts=True),
    _Layout(_is_yolo, "a data set of YOLO", _COCO, are_parts=True),
    _Layout(_is_open_images, "a data set of Open Images", _COCO, are_parts=True),
    _Layout(
        _are_parts,
        "a folder of pictures and of their labels or masks, which are no classes",
        "list the files of each folder in a text file, for a reader of its own with `file_list`",
        are_parts=True,
    ),
    _Layout(
        _is_coco_beside,
        "a data set of COCO",
        "name its annotation file for fn.readers.coco",
        are_parts=True,
        is_data_set=True,
    ),
)


def layout_of(folder: Folder, *, opened: bool = False) -> str:
    """Return what another program laid out in a folder, and what to do; "" for no such layout.

    Args:
        folder: the folder.
        opened: whether layouts that `datasets` opens count, too.
    """
    found = _found(folder)
    return f"{found.title}; {found.advice}" if found and opened >= found.is_data_set else ""


def marked_format(folder: Folder) -> str:
    """Return the format of `datasets` that a folder's markers name; "" if they name none."""
    marks = {
        "energon": _is_energon(folder),
        "shar": _is_shar(folder),
        "kaldi": "wav.scp" in folder.files,
    }
    return next((name for name, is_there in marks.items() if is_there), "")


def refuse_layouts(paths: Sequence[str], options: Mapping[str, Any] | None = None) -> None:
    """Raise SourceError if a path is a folder of shards that another program laid out.

    Args:
        paths: local paths or URLs; those of files are passed over.
        options: `Reader.storage_options`, for URLs.
    """
    for path in paths:
        if path.endswith("/") if is_url(path) else os.path.isdir(path):
            found = _found(Folder(place_of(path), options or {}))
            if found and not found.are_parts:
                raise SourceError(f"{place_of(path)} is {found.title}; {found.advice}")


def _found(folder: Folder) -> _Layout | None:
    return next((layout for layout in _LAYOUTS if layout.fits(folder)), None)
