"""Writes Pascal VOC's layout: `JPEGImages`, `Annotations`, masks, and the list of the samples."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from ....engine.errors import ArgumentError
from ....readers.boxes.voc import ANNOTATIONS, IMAGES, LISTS, MASKS
from ....readers.boxes.voc_file import FLAGS
from ...manifest import ShardInfo
from ...sample import Encoded, Sample
from ...segmentations import SEGMENTATIONS
from ..coco.reader import AREAS, CROWDS, KEYPOINTS
from ..writer import Target
from .writer import BoxWriter, SizedBoxes, digits, lines_of, name_of, write_text


class VocWriter(BoxWriter):
    """Writes boxes that count pixels from 1, with their last pixel."""

    title = "Pascal VOC"
    flags = FLAGS
    files = tuple(MASKS)
    may_lack = (CROWDS, SEGMENTATIONS, KEYPOINTS, AREAS, "occluded", "depiction", "inside")

    def write(self, sample: Sample) -> None:
        sized = self.sized(sample)
        name = f"{sample.key}.{sized.image.extension}"
        self.write_file(f"{IMAGES}/{name}", sized.image.data)
        masks = {n: v for n, v in sample.components.items() if n in MASKS}
        for component, value in masks.items():
            assert isinstance(value, Encoded)
            path = f"{MASKS[component]}/{sample.key}.{value.extension}"
            self.write_file(path, value.data)
        content = self._annotation(name, sample, sized, is_segmented=bool(masks))
        self.write_file(f"{ANNOTATIONS}/{sample.key}.xml", content)
        self.lines.append(json.dumps(sample.key).encode() + b"\n")
        self.samples += 1

    def _annotation(
        self, name: str, sample: Sample, sized: SizedBoxes, *, is_segmented: bool
    ) -> bytes:
        root = Element("annotation")
        _texts(root, folder=IMAGES, filename=name)
        size = SubElement(root, "size")
        height, width = sized.size
        _texts(size, width=width, height=height, depth=3)
        _texts(root, segmented=int(is_segmented))
        flags = {
            flag: np.asarray(sample.components[flag]).tolist()
            for flag in FLAGS
            if flag in sample.components
        }
        boxes = zip(sized.labels, sized.boxes.tolist(), strict=True)
        for number, (label, (x, y, w, h)) in enumerate(boxes):
            named = name_of(self.target, label)
            if named != named.strip() or not named.isprintable():
                raise ArgumentError(f"{named!r:.80} is no name of a class that XML keeps")
            element = SubElement(root, "object")
            _texts(element, name=named, **{flag: values[number] for flag, values in flags.items()})
            corners = {"xmin": x + 1, "ymin": y + 1, "xmax": x + w, "ymax": y + h}
            box = SubElement(element, "bndbox")
            _texts(box, **{corner: digits(value) for corner, value in corners.items()})
        indent(root, "\t")
        content: bytes = tostring(root, "utf-8")
        return content + b"\n"

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Write the list of all samples, as the split "train"."""
        ids = "".join(f"{key}\n" for key in lines_of(root, shards))
        write_text(root / LISTS / "Main" / "train.txt", ids)
        return target


def _texts(parent: Element, **texts: object) -> None:
    for name, text in texts.items():
        SubElement(parent, name).text = str(text)
