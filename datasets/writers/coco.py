"""Writes COCO data sets: `annotations.json`, and a folder of images; see `stored.coco`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...decoders.image.table import read_header
from ...engine.errors import ArgumentError, DecodeError
from ..manifest import ShardInfo
from ..sample import Encoded, Sample
from ..schema import ARRAY, ComponentType, Schema
from ..stored.coco import ANNOTATIONS, BOXES, CROWDS, IMAGES, LABELS
from .base import Target, one_encoded, others
from .folder import LooseFileWriter, whole_file

_NAME = "COCO"


class CocoWriter(LooseFileWriter):
    """Writes images; the annotations of a shard are lines of JSON until all shards are whole."""

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        """See `Writer.refusal`."""
        boxes = schema.get(BOXES, ComponentType(""))
        labels = schema.get(LABELS, ComponentType(""))
        fits = boxes.dtype == "float32" and len(boxes.shape) == 2 and boxes.shape[1] == 4
        if not fits or labels.dtype != "int32" or len(labels.shape) != 1:
            return "COCO needs 'boxes' of float32 (n, 4) and 'labels' of int32 (n,)"
        allowed = {BOXES: ARRAY, LABELS: ARRAY, CROWDS: ARRAY}
        return one_encoded(schema, _NAME) or others(schema, allowed, _NAME)

    def write(self, sample: Sample) -> None:
        """See `Writer.write`."""
        encoded = [v for v in sample.components.values() if isinstance(v, Encoded)]
        boxes, labels = (sample.components.get(name) for name in (BOXES, LABELS))
        if len(encoded) != 1 or boxes is None or labels is None:
            raise ArgumentError("COCO needs an image, 'boxes' and 'labels' in each sample")
        boxes, labels = np.asarray(boxes), np.asarray(labels)
        crowds = np.asarray(sample.components.get(CROWDS, np.zeros(len(boxes), np.int32)))
        if not len(boxes) == len(labels) == len(crowds) or not np.isfinite(boxes).all():
            raise ArgumentError("COCO needs one label for each box, and boxes of finite numbers")
        try:
            header = read_header(np.frombuffer(encoded[0].data, np.uint8))
        except DecodeError as error:
            raise ArgumentError(f"COCO needs the size of the image, but: {error}") from None
        name = f"{sample.key}.{encoded[0].extension}"
        self.write_file(f"{IMAGES}/{name}", encoded[0].data)
        # The shortest decimal digits that stand for the number: 236.98, not 236.97999572753906.
        numbers = [[float(str(number)) for number in box] for box in boxes]
        line = [name, header.height, header.width, numbers, labels.tolist(), crowds.tolist()]
        self.lines.append(json.dumps(line).encode() + b"\n")
        self.samples += 1

    def finish(self) -> ShardInfo:
        """See `Writer.finish`."""
        return self.with_lines(super().finish(), ".jsonl")

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Write the annotation file of all shards."""
        paths = [root / shard.files[-1].name for shard in shards]
        used: set[int] = set()
        with whole_file(root / ANNOTATIONS) as file:
            file.write([b'{"images": ['])
            file.write(_joined(_images(paths)))
            file.write([b'],\n"annotations": ['])
            file.write(_joined(_annotations(paths, used)))
            file.write([b'],\n"categories": ['])
            file.write(_joined(_categories(target.classes, used)))
            file.write([b"]}\n"])
        return target


def _lines(paths: Sequence[Path]) -> Iterator[tuple[int, list[Any]]]:
    """Yield the id of each image and its line."""
    number = 0
    for path in paths:
        with path.open("rb") as lines:
            for line in lines:
                number += 1
                yield number, json.loads(line)


def _images(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for number, (name, height, width, *_) in _lines(paths):
        yield {"id": number, "file_name": name, "height": height, "width": width}


def _annotations(paths: Sequence[Path], used: set[int]) -> Iterator[dict[str, Any]]:
    annotation = 0
    for number, (*_, boxes, labels, crowds) in _lines(paths):
        for box, label, is_crowd in zip(boxes, labels, crowds, strict=True):
            annotation += 1
            used.add(label)
            yield {
                "id": annotation,
                "image_id": number,
                "category_id": label,
                "bbox": box,
                "area": box[2] * box[3],
                "iscrowd": is_crowd,
            }


def _categories(classes: Sequence[str], used: set[int]) -> Iterator[dict[str, Any]]:
    """Yield the classes with names, and those that annotations have."""
    named = {number: name for number, name in enumerate(classes) if name}
    for number in sorted(used | named.keys()):
        yield {"id": number, "name": named.get(number, str(number))}


def _joined(items: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    separator = b"\n"
    for item in items:
        yield separator + json.dumps(item).encode()
        separator = b",\n"
