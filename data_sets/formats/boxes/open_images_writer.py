"""Writes the layout of Open Images: a table of boxes, names of classes, and a folder of images."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import numpy as np

from ....readers.boxes.open_images import CLASS_FILES, ENDING, FLAGS
from ...manifest import ShardInfo
from ...sample import Sample
from ...segmentations import SEGMENTATIONS
from ..coco.reader import AREAS, CROWDS, KEYPOINTS
from ..loose_files import whole_file
from ..writer import Target
from .writer import BoxWriter, lines_of, name_of, write_text

_SPLIT = "train"
_COLUMNS = (
    *("ImageID", "Source", "LabelName", "Confidence", "XMin", "XMax", "YMin", "YMax"),
    *("IsOccluded", "IsTruncated", "IsGroupOf", "IsDepiction", "IsInside"),
)


class OpenImagesWriter(BoxWriter):
    """Writes boxes as shares of the image; the name of a class stands for its code."""

    title = "Open Images"
    flags = (*FLAGS, CROWDS)
    may_lack = (SEGMENTATIONS, KEYPOINTS, AREAS, "difficult", "mask", "instances")

    def write(self, sample: Sample) -> None:
        sized = self.sized(sample)
        height, width = sized.size
        corners = sized.boxes.copy()
        corners[:, 2:] += corners[:, :2]
        shares = (corners / np.array([width, height, width, height])).tolist()
        count = len(sized.labels)
        columns = {
            column: np.asarray(sample.components.get(name, np.zeros(count, np.int32))).tolist()
            for name, column in {**FLAGS, CROWDS: "IsGroupOf"}.items()
        }
        rows = []
        for number, (label, box) in enumerate(zip(sized.labels, shares, strict=True)):
            left, top, right, bottom = map(repr, box)
            flags = {column: values[number] for column, values in columns.items()}
            row = {
                **dict.fromkeys(_COLUMNS, ""),
                "ImageID": sample.key,
                "Source": "penstock",
                "LabelName": name_of(self.target, label),
                "Confidence": 1,
                **flags,
            }
            row |= {"XMin": left, "XMax": right, "YMin": top, "YMax": bottom}
            rows.append([row[column] for column in _COLUMNS])
        self.write_file(f"{_SPLIT}/{sample.key}.{sized.image.extension}", sized.image.data)
        self.lines.append(json.dumps(rows).encode() + b"\n")
        self.samples += 1

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Write the table of all boxes, and the names of the classes."""
        with whole_file(root / f"{_SPLIT}-{ENDING}") as file:
            file.write([_csv([_COLUMNS]).encode()])
            for rows in lines_of(root, shards):
                file.write([_csv(rows).encode()])
        named = [[name, name] for name in target.classes if name]
        write_text(root / CLASS_FILES[0], _csv(named))
        return target


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
