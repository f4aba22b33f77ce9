"""COCO annotations and images: see `reader`."""

from ....readers.storage.storage import Storage
from ..dataset_format import DatasetFormat
from .reader import CocoDatasetSamples
from .writer import CocoWriter


def _is_coco(head: bytes, _: Storage) -> bool:
    if head.lstrip()[:1] != b"{":
        return False
    is_introduced = b'"info"' in head and b'"licenses"' in head  # which may be long
    return is_introduced or any(
        key in head for key in (b'"images"', b'"annotations"', b'"categories"')
    )


ROW = DatasetFormat(
    "coco", "COCO annotations and images", CocoDatasetSamples, CocoWriter, recognize=_is_coco
)
