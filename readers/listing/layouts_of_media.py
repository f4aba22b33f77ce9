"""Layouts of pictures, sound and videos beside what describes them."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from ..storage.urls import text_of
from .folder import Folder
from .layout import Layout, holds

_LOOKED_AT = 4
"""Files of one kind that are looked into: more would cost a request each behind a URL."""

_PICTURES = {
    *("images", "image", "imgs", "img", "jpegimages", "leftimg8bit", "rgb", "image_2"),
    *("photos", "photographs", "pictures"),
}
_PARTS = {
    *("labels", "label", "masks", "mask", "annotations", "annotation", "annots", "ann", "label_2"),
    *("segmentation", "segmentations", "segmentationclass", "segmentationobject", "gtfine", "gt"),
    *("groundtruth", "ground_truth", "bboxes", "boxes", "depth", "depths"),
}
_MEDIA = _PICTURES | {"clips", "wav", "wavs", "audio", "audios", "videos", "video", "frames"}
_SPLIT = re.compile(r"(?:train|training|val|valid|validation|dev|eval|test|testing)\d{0,4}")
_WORD = re.compile(r"[a-z0-9]+")
_LIBRISPEECH = re.compile(r"(?:train|dev|test)-(?:clean|other)(?:-\d+)?")
_TABLES = (".csv", ".tsv", ".jsonl", ".xml", ".parquet")


def is_yolo(folder: Folder) -> bool:
    """Return whether a folder is a data set of YOLO, or holds the images of one of its splits."""
    if folder.holds("images", "labels"):
        inner = folder.inner("labels")
        return any(place.has("*.txt") for place in (inner, *_inner(inner)))
    if folder.has_media and "/images" in (path := f"/{text_of(folder.place)}"):
        before, _, behind = path[1:].rpartition("images")
        return folder.beside(f"{before}labels{behind}").has("*.txt")
    return any(map(is_yolo_file, _texts(folder, ".yaml", ".yml")))


def _inner(folder: Folder) -> list[Folder]:
    return [folder.inner(name) for name in folder.visible_folders[:_LOOKED_AT]]


def is_yolo_file(text: str) -> bool:
    """Return whether a text is the `data.yaml` of a data set of YOLO."""
    return bool(re.search(r"^names\s*:", text, re.M) and re.search(r"^(train|val)\s*:", text, re.M))


def is_voc(folder: Folder) -> bool:
    """Return whether a folder is a data set of Pascal VOC."""
    return folder.holds("Annotations", "JPEGImages")


def is_open_images(folder: Folder) -> bool:
    """Return whether a folder is a data set of Open Images."""
    return folder.has("*annotations-bbox.csv")


def _is_labelme(folder: Folder) -> bool:
    """Return whether a JSON file of labelme lies beside each picture, or in folders of pictures."""
    inner = [folder.inner(name) for name in folder.visible_folders[:1]] if folder.folders else []
    return any(
        '"shapes"' in text and '"imagePath"' in text
        for place in [folder, *inner]
        if place.has_media
        for text in _texts(place, ".json")
    )


def _is_supervisely(folder: Folder) -> bool:
    return "meta.json" in folder.files and any(
        place.holds("img", "ann") for place in _inner(folder)
    )


def _are_parts(folder: Folder) -> bool:
    names = {name.lower() for name in folder.folders}
    return not _PICTURES.isdisjoint(names) and not _PARTS.isdisjoint(names)


def _is_coco_beside(folder: Folder) -> bool:
    names = [name for name in folder.files if fnmatchcase(name, "*annotation*.json")]
    texts = map(folder.text, names[:_LOOKED_AT]) if folder.folders else ()
    members = ('"images"', '"annotations"', '"categories"')
    return any(member in text for text in texts for member in members)


def _are_splits(folder: Folder) -> bool:
    names = folder.visible_folders
    return (
        bool(names)
        and all(_SPLIT.fullmatch(name.lower()) for name in names)
        and folder.inner(names[0]).has_media
    )


def _is_described(folder: Folder) -> bool:
    """Return whether a table lies beside folders whose names are no names of classes."""
    names = folder.visible_folders
    return (
        bool(names)
        and all(map(_names_media, names))
        and any(map(folder.has, (f"*{e}" for e in _TABLES)))
    )


def _names_media(name: str) -> bool:
    """Return whether a folder's name is that of a medium, as in `images` and `train_images`."""
    if name.lower() in _MEDIA:
        return True
    words = _WORD.findall(name.lower())
    others = [word for word in words if word not in _MEDIA]
    return len(others) < len(words) and all(map(_SPLIT.fullmatch, others))


def _is_librispeech(folder: Folder) -> bool:
    """Return whether transcripts of LibriSpeech lie in it, or in the first chapter below it."""
    names = folder.visible_folders[:1]
    if any(map(_LIBRISPEECH.fullmatch, names)) or folder.has("*.trans.txt"):
        return True
    return any(name.isdecimal() and _is_librispeech(folder.inner(name)) for name in names)


def _texts(folder: Folder, *endings: str) -> list[str]:
    """Return the first of the files with these endings."""
    names = [name for name in folder.files if name.endswith(endings) and name != "dataset.json"]
    return [folder.text(name) for name in names[:_LOOKED_AT]]


_COCO = "write COCO's JSON of it, for example by the package datumaro, for fn.readers.coco"
_BOXES = "read it by fn.readers.coco(path=...)"

MEDIA = (
    Layout(
        holds("annotations", "*.json"),
        "a data set of COCO",
        "name its annotation file, such as annotations/instances_train2017.json",
    ),
    Layout(is_voc, "a data set of Pascal VOC", _BOXES, format="voc"),
    Layout(lambda folder: folder.holds("image_2", "label_2"), "a data set of KITTI", _COCO),
    Layout(is_yolo, "a data set of YOLO", _BOXES, format="yolo"),
    Layout(is_open_images, "a data set of Open Images", _BOXES, format="openimages"),
    Layout(
        lambda folder: folder.has("*.names") and folder.has("*.data"),
        "a data set of Darknet",
        "write a data.yaml with `path`, `train` and `names` beside it, as YOLO has",
    ),
    Layout(
        _is_librispeech,
        "a data set of LibriSpeech",
        "write its transcripts into one table for fn.readers.file (docs/known_layouts.md), or into "
        "a NeMo manifest",
    ),
    Layout(_is_supervisely, "a data set of Supervisely", _COCO),
    Layout(
        _are_parts,
        "a folder of pictures and of their labels or masks, which are no classes",
        "give the files of each folder to an fn.readers.file of its own by `files`, with one "
        "`shuffle_seed`",
    ),
    Layout(
        _is_coco_beside,
        "a data set of COCO",
        "name its annotation file for fn.readers.coco",
        format="coco",
    ),
    Layout(_is_labelme, "a data set of labelme", _COCO),
    Layout(
        _are_splits,
        "a folder of splits, which are no classes",
        "name the folder of one split for fn.readers.file, with its labels by `table` or "
        "`file_list`",
    ),
)
"""Readers of files may be meant to read the pictures alone, and say so by `dir_filters`."""

DESCRIBED = Layout(
    _is_described,
    "a folder of media that a table beside describes",
    "fn.readers.file reads them by `table` and `columns`; to convert, list the files and labels in "
    "a text file, or sound and texts in a NeMo manifest",
)
"""Of folders whose files no format knows."""
