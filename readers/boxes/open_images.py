"""Open Images: `SPLIT-annotations-bbox.csv`, and images in a folder named by the split.

Format: storage.googleapis.com/openimages/web/download_v7.html. The order of the coordinates is
XMin, XMax, YMin, YMax, as shares of the image's width and height. `IsGroupOf` is COCO's crowd.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError, SourceError
from ...formats.ragged import bounds_of
from ..listing.folder import Folder
from ..parquet.library import named_errors, pyarrow
from ..storage.opening import read_whole
from ..storage.urls import Place, text_of
from .box_set import BoxSet, ImageBoxes, Size, images_below
from .splits import chosen_split

ENDING = "annotations-bbox.csv"
CLASS_FILES = ("class-descriptions-boxable.csv", "class-descriptions.csv")
FLAGS = {
    "occluded": "IsOccluded",
    "truncated": "IsTruncated",
    "depiction": "IsDepiction",
    "inside": "IsInside",
}
"""Columns by the components that hold them: 1, 0, and -1 for what is not known."""

_SHARES = ("XMin", "YMin", "XMax", "YMax")
_TINY = 1e-9  # pixels


class OpenImagesSet(BoxSet):
    """The images of a split that lie in its folder, with their rows of the table."""

    def __init__(
        self,
        place: Place,
        options: Mapping[str, object],
        split: str = "",
        classes: Sequence[str] | None = None,
    ) -> None:
        """Open a folder, or the table of a split; `classes` are their names, if known."""
        super().__init__(str(place), options)
        is_table = place.name.endswith(".csv")
        folder = Folder(place.parent if is_table else place, options)
        tables = [place.name] if is_table else [n for n in folder.files if n.endswith(ENDING)]
        splits = {_split_of(name): name for name in tables}
        if not splits:
            raise SourceError(f"{place} holds no table '*{ENDING}'")
        text = text_of(folder.place).rstrip("/")
        table = chosen_split(self.name, splits, split, lambda name: f"{text}/{name}-{ENDING}")
        path = folder.place / table
        found = _image_folder(folder, _split_of(table))
        self.root = text_of(found.place).rstrip("/")
        self.images = list(images_below(found))
        if not self.images:
            raise SourceError(f"{found.place} holds no image of {path}")
        self.files = [text_of(path)]
        rows = _columns(path, options)
        named = _class_names(folder, options)
        if named is not None:
            self.files.append(text_of(folder.place / named[0]))
        codes = dict(zip(*[sorted({*rows.labels})] * 2, strict=True)) if named is None else named[1]
        if classes is None:
            self.classes = ("", *codes.values())
            self._numbers = {code: number for number, code in enumerate(codes, 1)}
        else:
            self.classes = tuple(classes)
            self._numbers = {name: number for number, name in enumerate(classes) if name}
        self.flags = [flag for flag in FLAGS if flag in rows.flags]
        self.have_crowds = bool((rows.groups > 0).any())
        self.unread = rows.unread
        self._rows = rows
        self._set_bounds(path)

    def _set_bounds(self, path: Place) -> None:
        """Sort the rows by image."""
        stems = [os.path.splitext(name)[0] for name in self.images]
        numbers = {stem: number for number, stem in enumerate(stems)}
        owners = np.array([numbers.get(name, -1) for name in self._rows.images], np.int64)
        self._order = np.argsort(owners, kind="stable")[np.count_nonzero(owners < 0) :]
        counts = np.bincount(owners[owners >= 0], minlength=len(stems))
        self._bounds = bounds_of(counts)
        orphans = sorted({n for n, o in zip(self._rows.images, owners, strict=True) if o < 0})
        if orphans:
            self.left_out = {f"images that {path.name} names and that are not there": orphans}

    def read(self, numbers: Sequence[int], sizes: Sequence[Size]) -> list[ImageBoxes]:
        """See `BoxSet.read`."""
        return [self._boxes(*pair) for pair in zip(numbers, sizes, strict=True)]

    def _boxes(self, number: int, size: Size) -> ImageBoxes:
        rows = self._order[self._bounds[number] : self._bounds[number + 1]]
        stored = self._rows
        left, top, right, bottom = (stored.shares[rows] * _scale(size)).T
        boxes = np.stack([left, top, right - left, bottom - top], axis=1)
        boxes[np.abs(boxes) < _TINY] = 0
        if not np.isfinite(boxes).all() or (boxes[:, 2:] < 0).any():
            raise DecodeError(
                f"{self.files[0]}: a box of the image {self.images[number]!r} is not finite, or "
                "ends before it begins"
            )
        return ImageBoxes(
            boxes.reshape(-1, 4),
            np.array([self._number(stored.labels[row]) for row in rows.tolist()], np.int64),
            stored.groups[rows] > 0,
            [b""] * len(rows),
            {flag: stored.flags[flag][rows] for flag in self.flags},
        )

    def _number(self, code: str) -> int:
        if code in self._numbers:
            return self._numbers[code]
        if code.isdigit():  # as a conversion writes a label without a name
            return int(code)
        raise DecodeError(f"{self.files[0]}: {code!r:.80} is no class of {', '.join(CLASS_FILES)}")


class _BoxColumns:
    """The columns of a table."""

    def __init__(self, table: Any, name: str) -> None:
        missing = {"ImageID", "LabelName", *_SHARES} - {*table.column_names}
        if missing:
            raise DecodeError(f"{name} has no column {', '.join(sorted(missing))}")
        self.images: list[str] = table["ImageID"].to_pylist()
        self.labels: list[str] = table["LabelName"].to_pylist()
        columns = [_floats(table, column, name) for column in _SHARES]
        self.shares = np.stack(columns, axis=1)
        has_groups = "IsGroupOf" in table.column_names
        self.groups = (
            _floats(table, "IsGroupOf", name) if has_groups else np.zeros(len(self.images))
        )
        self.flags = {
            flag: _floats(table, column, name).astype(np.int32)
            for flag, column in FLAGS.items()
            if column in table.column_names
        }
        known = {"ImageID", "LabelName", "IsGroupOf", *_SHARES, *FLAGS.values()}
        self.unread = [column for column in table.column_names if column not in known]


def _floats(table: Any, column: str, name: str) -> NDArray[np.float64]:
    try:
        values: NDArray[np.float64] = table[column].to_numpy().astype(np.float64)
    except (TypeError, ValueError):
        raise DecodeError(f"{name}: the column {column} holds texts in place of numbers") from None
    return values


def _columns(path: Place, options: Mapping[str, Any]) -> _BoxColumns:
    pa = pyarrow()
    from pyarrow import csv

    texts = {"ImageID": pa.string(), "LabelName": pa.string()}
    convert = csv.ConvertOptions(column_types=texts, strings_can_be_null=False)
    with named_errors(str(path)):
        table = csv.read_csv(BytesIO(read_whole(path, options)), convert_options=convert)
    return _BoxColumns(table, str(path))


def _class_names(
    folder: Folder, options: Mapping[str, object]
) -> tuple[str, dict[str, str]] | None:
    """Return the file with the names of the classes, and the name of each code, in its order."""
    import csv

    for name in folder.files:
        if name.endswith(CLASS_FILES):
            text = read_whole(folder.place / name, options).decode("utf-8", "replace")
            rows = [row for row in csv.reader(text.splitlines()) if len(row) >= 2]
            return name, {row[0]: row[1] for row in rows if row[0] != "LabelName"}
    return None


def _split_of(table: str) -> str:
    return table.removesuffix(ENDING).rstrip("-").rpartition("-")[2]


def _image_folder(folder: Folder, split: str) -> Folder:
    """Return the folder of a split's images: "train", "images/train", "images", or beside."""
    inner = folder.inner("images") if "images" in folder.folders else None
    candidates = [
        folder.inner(split) if split in folder.folders else None,
        inner.inner(split) if inner and split in inner.folders else None,
        inner,
        folder,
    ]
    return next(c for c in candidates if c is not None and (c.has_media or c is folder))


def _scale(size: Size) -> NDArray[np.float64]:
    height, width = size
    return np.array([width, height, width, height], np.float64)
