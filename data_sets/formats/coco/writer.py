"""Writes COCO data sets: `annotations.json`, and a folder of images; see `stored.coco`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....engine.arrays import Array
from ....engine.errors import ArgumentError, DecodeError
from ...manifest import ShardInfo
from ...sample import Encoded, Sample, Value
from ...schema import ARRAY, ComponentType, Schema
from ...segmentations import SEGMENTATIONS, segmentations_of
from ..loose_files import LooseFileWriter, whole_file
from ..writer import Target, one_encoded, others
from .reader import ANNOTATIONS, AREAS, BOXES, CROWDS, IMAGES, KEYPOINTS, LABELS

_NAME = "COCO"


class CocoWriter(LooseFileWriter):
    """Writes images; the annotations of a shard are lines of JSON until all shards are whole."""

    lines_suffix = ".jsonl"
    may_lack = (
        *("difficult", "truncated", "occluded", "depiction", "inside", "mask", "instances"),
    )

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        if problem := needs_boxes(schema, _NAME):
            return problem
        shape = schema.get(KEYPOINTS, ComponentType("", shape=(None, None, 3))).shape
        if len(shape) != 3 or shape[2] != 3:
            return "COCO needs 'keypoints' of shape (n, keypoints, 3)"
        allowed = dict.fromkeys((BOXES, LABELS, CROWDS, KEYPOINTS, AREAS), ARRAY)
        rest = {name: component for name, component in schema.items() if name != SEGMENTATIONS}
        return one_encoded(rest, _NAME) or others(schema, allowed, _NAME)

    def write(self, sample: Sample) -> None:
        encoded = [
            value
            for name, value in sample.components.items()
            if isinstance(value, Encoded) and name != SEGMENTATIONS
        ]
        if len(encoded) != 1 or not {BOXES, LABELS} <= sample.components.keys():
            raise ArgumentError("COCO needs an image, 'boxes' and 'labels' in each sample")
        columns = dict(_columns(sample))
        count = len(columns["bbox"])
        for name, values in columns.items():
            if len(values) != count:
                raise ArgumentError(f"there are {len(values)} {name!r} for {count} boxes")
        from ....decoders.image.table import read_header  # other writers need no decoders

        try:
            header = read_header(np.frombuffer(encoded[0].data, np.uint8))
        except DecodeError as error:
            raise ArgumentError(f"COCO needs the size of the image, but: {error}") from None
        name = f"{sample.key}.{encoded[0].extension}"
        self.write_file(f"{IMAGES}/{name}", encoded[0].data)
        annotations = [
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        ]
        line = [name, header.height, header.width, annotations]
        self.lines.append(json.dumps(line).encode() + b"\n")
        self.samples += 1

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


def _columns(sample: Sample) -> Iterator[tuple[str, list[Any]]]:
    """Yield name and values of the members that annotations get; None stands for no member.

    Raises:
        ArgumentError: a number is not finite, or the segmentations are no JSON.
    """
    components = sample.components
    # The shortest decimal digits that stand for the number: 236.98, not 236.97999572753906.
    boxes = [[float(str(number)) for number in box] for box in _finite(components[BOXES], BOXES)]
    yield "category_id", np.asarray(components[LABELS]).tolist()
    yield "bbox", boxes
    areas = components.get(AREAS)
    yield "area", [w * h for *_, w, h in boxes] if areas is None else _numbers(areas, AREAS)
    yield "iscrowd", np.asarray(components.get(CROWDS, np.zeros(len(boxes), np.int32))).tolist()
    if SEGMENTATIONS in components:
        yield "segmentation", segmentations_of(components[SEGMENTATIONS])
    if KEYPOINTS in components:
        keypoints = _finite(components[KEYPOINTS], KEYPOINTS)
        yield "keypoints", [_numbers(points.reshape(-1), KEYPOINTS) for points in keypoints]
        yield "num_keypoints", np.count_nonzero(keypoints[..., 2] > 0, axis=1).tolist()


def _finite(value: Value, name: str) -> Array:
    array = np.asarray(value)
    if not np.isfinite(array).all():
        raise ArgumentError(f"COCO needs {name!r} of finite numbers")
    return array


def _numbers(value: Value, name: str) -> list[float]:
    """Return numbers; whole ones have no decimal point."""
    return [
        int(number) if number == int(number) else number for number in _finite(value, name).tolist()
    ]


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


def _annotations(paths: Sequence[Path], used: set[int]) -> Iterator[dict[str, object]]:
    annotation = 0
    for number, (*_, of_image) in _lines(paths):
        for fields in of_image:
            annotation += 1
            used.add(fields["category_id"])
            known = {name: value for name, value in fields.items() if value is not None}
            yield {"id": annotation, "image_id": number, **known}


def _categories(classes: Sequence[str], used: set[int]) -> Iterator[dict[str, object]]:
    """Yield the classes with names, and those that annotations have."""
    named = {number: name for number, name in enumerate(classes) if name}
    for number in sorted(used | named.keys()):
        yield {"id": number, "name": named.get(number, str(number))}


def _joined(items: Iterator[dict[str, object]]) -> Iterator[bytes]:
    separator = b"\n"
    for item in items:
        yield separator + json.dumps(item).encode()
        separator = b",\n"


def needs_boxes(schema: Schema, format: str) -> str:
    """Return why there are no boxes with labels, or ""."""
    boxes = schema.get(BOXES, ComponentType(""))
    labels = schema.get(LABELS, ComponentType(""))
    fits = boxes.dtype == "float32" and len(boxes.shape) == 2 and boxes.shape[1] == 4
    if fits and labels.dtype == "int32" and len(labels.shape) == 1:
        return ""
    return f"{format} needs 'boxes' of float32 (n, 4) and 'labels' of int32 (n,)"
