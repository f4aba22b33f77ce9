"""The contract of images with boxes: what every layout of boxes implements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...formats.endings import IMAGE, medium_of_name
from ..listing.folder import Folder
from ..listing.folder_rule import is_hidden

_DEEPEST = 8
"""Folders inside of one another that are looked into: links may lead in circles."""

Size = tuple[int, int]
"""Height and width of an image in pixels, upright by EXIF."""


@dataclass(frozen=True)
class ImageBoxes:
    """The boxes of one image.

    Attributes:
        boxes: float64, (n, 4): x, y, width and height in pixels.
        labels: int64, (n,): numbers of classes.
        crowds: bool, (n,): whether a box holds a group of objects.
        polygons: the JSON text of each box's polygons in pixels, as COCO has them; b"" for none.
        flags: int32, (n,), by name: further properties of the boxes.
        remarks: what was corrected, for a warning; "" for nothing.
    """

    boxes: NDArray[np.float64]
    labels: Int64s
    crowds: NDArray[np.bool_]
    polygons: Sequence[bytes] = ()
    flags: Mapping[str, NDArray[np.int32]] = field(default_factory=dict)
    remarks: str = ""


class BoxSet(ABC):
    """The images of one split. It is deterministic, may be pickled, and used by several threads.

    Attributes:
        name: of the data set, for messages.
        root: path or URL of the folder that `images` are relative to, without a slash at its end.
        images: names of the images.
        classes: name of each class by its number, "" for a number without one.
        flags: names of the flags that boxes have.
        have_polygons, have_crowds: whether boxes have polygons, and whether some are groups.
        masks: paths or URLs of further files of an image, by the number of the image and the name
            of the component.
        files: paths or URLs of the files that describe all images.
        left_out: what lies there and belongs to no image, by what it is.
        unread: names of data that boxes do not carry.
    """

    name: str
    root: str
    images: Sequence[str]
    classes: tuple[str, ...] = ()
    flags: Sequence[str] = ()
    have_polygons: bool = False
    have_crowds: bool = False
    masks: Mapping[int, Mapping[str, str]]
    files: Sequence[str]
    left_out: Mapping[str, Sequence[str]]
    unread: Sequence[str] = ()

    def __init__(self, name: str, options: Mapping[str, object]) -> None:
        """Take the name, and `Reader.storage_options`."""
        self.name, self.options = name, options
        self.masks, self.files, self.left_out = {}, [], {}

    def __len__(self) -> int:
        return len(self.images)

    @abstractmethod
    def read(self, numbers: Sequence[int], sizes: Sequence[Size]) -> list[ImageBoxes]:
        """Return the boxes of images, given the images' sizes.

        Raises:
            DecodeError: an annotation is damaged. OSError: a file cannot be read.
        """

    def label_files(self, number: int) -> Sequence[str]:
        """Return the paths or URLs of the files with the boxes of an image alone."""
        return ()


def files_below(folder: Folder, depth: int = _DEEPEST) -> Iterator[str]:
    """Yield the paths of the files in a folder and in the folders in it, in their order."""
    yield from folder.files
    for name in folder.visible_folders if depth else ():
        yield from (f"{name}/{path}" for path in files_below(folder.inner(name), depth - 1))


def images_below(folder: Folder) -> Iterator[str]:
    """Yield the paths of the images in a folder and in the folders in it, in their order."""
    for path in files_below(folder):
        name = path.rpartition("/")[2]
        if medium_of_name(name) == IMAGE and not is_hidden(name):
            yield path
