"""Writes YOLO's layout: `images/KEY.jpg`, `labels/KEY.txt` and `data.yaml`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ....engine.errors import ArgumentError
from ...manifest import ShardInfo
from ...sample import Sample
from ...segmentations import SEGMENTATIONS, segmentations_of
from ..coco.reader import AREAS, CROWDS, KEYPOINTS
from ..writer import Target
from .writer import BoxWriter, SizedBoxes, digits, lines_of, write_text

_MOST_CLASSES = 1_000_000


class YoloWriter(BoxWriter):
    """Writes boxes as shares of the image, or polygons if the samples have segmentations.

    Labels stay as they are, so classes without a name get an empty one in `names`.
    """

    title = "YOLO"
    files = (SEGMENTATIONS,)
    may_lack = (
        *(CROWDS, SEGMENTATIONS, KEYPOINTS, AREAS, "difficult", "truncated", "occluded"),
        *("depiction", "inside", "mask", "instances"),
    )

    def write(self, sample: Sample) -> None:
        sized = self.sized(sample)
        if "images" in sample.key.split("/")[:-1]:
            raise ArgumentError(
                "YOLO finds labels by the last folder named 'images', which the key "
                f"{sample.key!r} has; rename the sample"
            )
        if max(sized.labels, default=0) >= _MOST_CLASSES:
            raise ArgumentError(f"YOLO's labels are below {_MOST_CLASSES:,}")
        if SEGMENTATIONS in sample.components:
            rows = self._polygons(sample, sized)
        else:
            rows = self._boxes(sized)
        texts = [
            " ".join([str(label), *map(digits, row)])
            for label, row in zip(sized.labels, rows, strict=True)
        ]
        if len({*texts}) < len(texts):
            raise ArgumentError("two boxes are equal, which YOLO counts once; leave out one")
        self.write_file(f"images/{sample.key}.{sized.image.extension}", sized.image.data)
        text = "".join(f"{text}\n" for text in texts)
        self.write_file(f"labels/{sample.key}.txt", text.encode())
        self.lines.append(json.dumps(sorted({*sized.labels})).encode() + b"\n")
        self.samples += 1

    def _boxes(self, sized: SizedBoxes) -> list[list[float]]:
        height, width = sized.size
        scale = np.array([width, height, width, height], np.float64)
        shares = sized.boxes.copy()
        shares[:, :2] += shares[:, 2:] / 2
        return self._checked((shares / scale).tolist())

    def _polygons(self, sample: Sample, sized: SizedBoxes) -> list[list[float]]:
        height, width = sized.size
        rows = []
        for polygons in segmentations_of(sample.components[SEGMENTATIONS]):
            if not isinstance(polygons, list) or len(polygons) != 1 or len(polygons[0]) < 6:
                raise ArgumentError(
                    "YOLO needs one polygon of at least 3 vertices for each box, neither several "
                    "nor an RLE; leave out 'segmentations' by `components`"
                )
            rows.append(np.array(polygons[0]) / np.tile([width, height], len(polygons[0]) // 2))
        return self._checked([row.tolist() for row in rows])

    def _checked(self, rows: list[list[float]]) -> list[list[float]]:
        for row in rows:
            if not 0 <= min(row) <= max(row) <= 1:
                raise ArgumentError(
                    "a box or polygon leaves the image, which YOLO has no numbers for: "
                    f"{' '.join(map(digits, row[:4]))}; clip the boxes, or leave out the sample"
                )
        return rows

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Write `data.yaml`; its `val` names the same images, because Ultralytics needs one."""
        used: set[int] = set()
        for labels in lines_of(root, shards):
            used |= set(labels)
        count = max(len(target.classes), max(used, default=-1) + 1)
        padded = [*target.classes, *[""] * (count - len(target.classes))]
        names = "".join(f"  {number}: {_quoted(name)}\n" for number, name in enumerate(padded))
        names = f"\n{names}" if names else " {}\n"
        write_text(root / "data.yaml", f"path: .\ntrain: images\nval: images\nnames:{names}")
        return target


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=True)  # which is YAML, too
