"""What the writers of images with boxes share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.errors import ArgumentError, DecodeError
from ...manifest import ShardInfo
from ...sample import Encoded, Sample
from ...schema import ARRAY, Schema
from ..coco.reader import BOXES, CROWDS, LABELS
from ..coco.writer import needs_boxes
from ..loose_files import LooseFileWriter, whole_file
from ..writer import Target, one_encoded, others


class SizedBoxes(NamedTuple):
    """What a writer needs of a sample.

    Attributes:
        image: the encoded file.
        size: height and width in pixels, upright.
        boxes: float64, (n, 4): x, y, width and height in pixels.
        labels: their numbers.
    """

    image: Encoded
    size: tuple[int, int]
    boxes: NDArray[np.float64]
    labels: list[int]


class BoxWriter(LooseFileWriter):
    """Base of writers of images with boxes.

    Attributes:
        title: name of the format, for messages.
        flags: names of further components that the format has room for.
        files: names of encoded components that the format has room for beside the image.
    """

    lines_suffix = ".jsonl"
    title: str
    flags: Sequence[str] = ()
    files: Sequence[str] = ()

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        if problem := needs_boxes(schema, cls.title):
            return problem
        allowed = dict.fromkeys((BOXES, LABELS, *cls.flags), ARRAY)
        rest = {name: kind for name, kind in schema.items() if name not in cls.files}
        return one_encoded(rest, cls.title) or others(schema, allowed, cls.title)

    def sized(self, sample: Sample) -> SizedBoxes:
        """Return what is needed of a sample.

        Raises:
            ArgumentError: the sample lacks an image or boxes, or has boxes that are not finite.
        """
        encoded = [
            value
            for name, value in sample.components.items()
            if isinstance(value, Encoded) and name not in self.files
        ]
        if len(encoded) != 1 or not {BOXES, LABELS} <= sample.components.keys():
            raise ArgumentError(f"{self.title} needs an image, 'boxes' and 'labels' in each sample")
        boxes = np.asarray(sample.components[BOXES], np.float64).reshape(-1, 4)
        labels = np.asarray(sample.components[LABELS]).tolist()
        if len(labels) != len(boxes) or min(labels, default=0) < 0:
            raise ArgumentError(f"there are {len(labels)} labels from 0 on for {len(boxes)} boxes")
        if not np.isfinite(boxes).all() or (boxes[:, 2:] < 0).any():
            raise ArgumentError(f"{self.title} needs 'boxes' of finite numbers and sizes")
        for name in (*self.flags, CROWDS):
            value = sample.components.get(name)
            if isinstance(value, np.ndarray) and len(value) != len(labels):
                raise ArgumentError(f"there are {len(value)} {name!r} for {len(labels)} boxes")
        from ....decoders.image.table import read_header  # other writers need no decoders

        try:
            header = read_header(np.frombuffer(encoded[0].data, np.uint8))
        except DecodeError as error:
            raise ArgumentError(f"{self.title} needs the image's size, but: {error}") from None
        return SizedBoxes(encoded[0], header.size(), boxes, labels)


def lines_of(root: Path, shards: Sequence[ShardInfo]) -> Iterator[Any]:
    """Yield the lines of all shards: see `LooseFileWriter.with_lines`."""
    for shard in shards:
        with (root / shard.files[-1].name).open("rb") as lines:
            yield from map(json.loads, lines)


def write_text(path: Path, text: str) -> None:
    """Write a file of the data set, which gets its name once it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write([text.encode()])


def name_of(target: Target, label: int) -> str:
    """Return the name of a class, or its number if it has no name."""
    named = target.classes[label] if label < len(target.classes) else ""
    return named or str(label)


def digits(number: float) -> str:
    """Return the shortest text of a number; whole numbers have no decimal point."""
    return str(int(number)) if number == int(number) else repr(float(number))
