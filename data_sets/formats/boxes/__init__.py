"""YOLO, Pascal VOC and Open Images: images with boxes; see `reader`."""

from __future__ import annotations

import re
from functools import partial

from ....readers.boxes.open_images import OpenImagesSet
from ....readers.boxes.voc import VocSet
from ....readers.boxes.yolo import YoloSet
from ....readers.listing.layouts_of_media import is_yolo_file
from ....readers.storage.storage import Storage
from ..dataset_format import DatasetFormat, begins_with
from .open_images_writer import OpenImagesWriter
from .reader import BoxSamples
from .voc_writer import VocWriter
from .yolo_writer import YoloWriter

_LIST = re.compile(r"/ImageSets/[^/]+/[^/]+\.txt$")


def _is_yolo(head: bytes, storage: Storage) -> bool:
    return storage.name.endswith((".yaml", ".yml")) and is_yolo_file(
        head.decode("utf-8", "replace")
    )


def _is_voc(_: bytes, storage: Storage) -> bool:
    return _LIST.search(storage.name) is not None


ROWS = (
    DatasetFormat(
        "yolo",
        "images and texts of YOLO",
        partial(BoxSamples, YoloSet),
        YoloWriter,
        recognize=_is_yolo,
        opens_folder=True,
    ),
    DatasetFormat(
        "voc",
        "images and annotations of Pascal VOC",
        partial(BoxSamples, VocSet),
        VocWriter,
        recognize=_is_voc,
        opens_folder=True,
    ),
    DatasetFormat(
        "openimages",
        "images and tables of Open Images",
        partial(BoxSamples, OpenImagesSet),
        OpenImagesWriter,
        recognize=begins_with(b"ImageID,Source,LabelName,Confidence,XMin"),
        opens_folder=True,
    ),
)
