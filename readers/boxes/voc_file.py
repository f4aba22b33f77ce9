"""An XML file of Pascal VOC: the objects of one image.

Format: host.robots.ox.ac.uk/pascal/VOC/voc2012/htmldoc/devkit_doc.html. Pixels count from 1, and
`xmax` and `ymax` belong to the box.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from ...engine.errors import DecodeError

FLAGS = ("difficult", "truncated")

_CORNERS = ("xmin", "ymin", "xmax", "ymax")
_MOST_BYTES = 64 << 20
_TINY = 1e-9  # pixels
_DOCUMENT_TYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)")


class VocObject(NamedTuple):
    """An object.

    Attributes:
        name: of its class.
        box: x, y, width and height in pixels, from 0.
        flags: 0 or 1 for each of `FLAGS`.
    """

    name: str
    box: tuple[float, float, float, float]
    flags: tuple[int, ...]


def parse_voc_file(content: bytes, name: str) -> list[VocObject]:
    """Return the objects of an image.

    Args:
        content: of the file.
        name: of the file, for messages.

    Raises:
        DecodeError: the file is no XML, declares a document type or an entity, or an object lacks
            its name or its box.

    >>> box = "<xmin>1</xmin><ymin>1</ymin><xmax>10</xmax><ymax>5</ymax>"
    >>> text = f"<annotation><object><name>cat</name><bndbox>{box}</bndbox></object></annotation>"
    >>> parse_voc_file(text.encode(), "a.xml")[0].box
    (0.0, 0.0, 10.0, 5.0)
    """
    if len(content) > _MOST_BYTES:
        raise DecodeError(f"{name}: {len(content):,} bytes are no annotation of an image")
    if _DOCUMENT_TYPE.search(content) or b"\0" in content:  # zeros: UTF-16, which could hide one
        raise DecodeError(
            f"{name} declares a document type or entities, which annotations do not need, and "
            "which could fill the memory; remove the declaration"
        )
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise DecodeError(f"{name} is no XML: {error}") from None
    return list(_objects(root, name))


def _objects(root: ElementTree.Element, name: str) -> Iterator[VocObject]:
    for number, element in enumerate(root.iterfind("object")):
        where = f"{name}, object {number} (from 0)"
        box = element.find("bndbox")
        label = (element.findtext("name") or "").strip()
        if box is None or not label:
            raise DecodeError(f"{where} has no `{'bndbox' if label else 'name'}`")
        left, top, right, bottom = (_number(box, corner, where) for corner in _CORNERS)
        width, height = right - left + 1, bottom - top + 1
        if width < -_TINY or height < -_TINY:
            raise DecodeError(f"{where}: `xmax` and `ymax` lie before `xmin` and `ymin`")
        pixels = (left - 1, top - 1, width, height)
        flags = tuple(int(_number(element, flag, where, 0) != 0) for flag in FLAGS)
        x, y, w, h = (0.0 if abs(pixel) < _TINY else pixel for pixel in pixels)
        yield VocObject(label, (x, y, w, h), flags)


def _number(
    element: ElementTree.Element, name: str, where: str, default: float | None = None
) -> float:
    text = element.findtext(name)
    if text is None and default is not None:
        return default
    try:
        number = float(text or "")
    except ValueError:
        raise DecodeError(f"{where}: `{name}` is {text!r:.80}, no number") from None
    if not np.isfinite(number):
        raise DecodeError(f"{where}: `{name}` is not finite")
    return number
