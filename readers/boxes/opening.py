"""Opening images with boxes at a place: the layout is told by what lies there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...engine.errors import SourceError
from ..listing.folder import Folder
from ..listing.layouts_of_media import is_open_images, is_voc, is_yolo
from ..storage.urls import Place
from .box_set import BoxSet
from .open_images import OpenImagesSet
from .voc import VocSet
from .yolo import YoloSet

_LAYOUTS: tuple[tuple[Callable[[Folder], bool], str, Callable[..., BoxSet]], ...] = (
    (is_voc, ".txt", VocSet),
    (is_open_images, ".csv", OpenImagesSet),
    (is_yolo, ".yaml", YoloSet),
)


def open_box_set(place: Place, options: Mapping[str, object], split: str = "") -> BoxSet:
    """Open a split of a data set of YOLO, Pascal VOC or Open Images.

    Args:
        place: its folder, or what names a split: a `data.yaml`, a folder of YOLO's images, a list
            in VOC's `ImageSets`, a table of Open Images.
        options: `Reader.storage_options`, for URLs.
        split: name of a split; "" for the only one.

    Raises:
        SourceError: there is no such data set.
        ArgumentError: there are several splits, or not the one that is asked for.
        OSError: a file cannot be read. DecodeError: a file is damaged.
    """
    for _, ending, made in _LAYOUTS:
        if place.name.endswith(ending) or (ending == ".yaml" and place.name.endswith(".yml")):
            return made(place, options, split)
    folder = Folder(place, options)
    for fits, _, made in _LAYOUTS:
        if fits(folder):
            return made(place, options, split)
    raise SourceError(
        f"{place} is no data set of YOLO (data.yaml, or images beside labels), Pascal VOC "
        "(Annotations beside JPEGImages) or Open Images (*annotations-bbox.csv)"
    )
