"""COCO annotations and images: see `reader`."""

from ....readers.storage.storage import Storage
from ..dataset_format import DatasetFormat
from .reader import CocoDatasetSamples
from .writer import CocoWriter


def _is_coco(head: bytes, _: Storage) -> bool:
    keys = (b'"images"', b'"annotations"', b'"categories"', b'"licenses"', b'"info"')
    return head.lstrip()[:1] == b"{" and any(key in head for key in keys)


ROW = DatasetFormat(
    "coco", "COCO annotations and images", CocoDatasetSamples, CocoWriter, recognize=_is_coco
)
