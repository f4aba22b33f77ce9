"""The component "segmentations": COCO's polygons and RLE masks of a sample, as JSON.

The file is an array with an element for each box: a list of polygons, an object with `size` and
`counts`, or null. Equal numbers have equal digits, so equal segmentations have equal bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from ..engine.errors import ArgumentError, DecodeError
from .sample import Encoded, Value

SEGMENTATIONS = "segmentations"
_JSON = "json"

# Numbers of at most 15 digits that Python would write in the same way, but for a last ".0".
_NUMBER = rb"(?:-?(?:[1-9]\d{0,8}(?:\.(?:\d{0,5}[1-9]|0))?|0\.(?!0000)\d{0,5}[1-9])|0(?:\.0)?)"
_POLYGON = rb"\[(?:%b(?:,%b)*+)?\]" % (_NUMBER, _NUMBER)
_PLAIN = re.compile(rb"\[(?:%b(?:,%b)*+)?\]" % (_POLYGON, _POLYGON))
_ZERO = re.compile(rb"-0\.0(?=[,\]])")
_WHOLE = re.compile(rb"\.0(?=[,\]])")


def encoded_segmentations(texts: Iterable[bytes]) -> Encoded:
    """Return the component.

    Args:
        texts: the JSON of each box's segmentation; b"" for none.

    Raises:
        DecodeError: a text is neither a list nor an object.

    >>> encoded_segmentations([b"[[1.0, 2, 3.5, 4, 5, 6]]", b""]).data
    b'[[[1,2,3.5,4,5,6]],null]'
    """
    return _encoded(map(_canonical, texts))


def _encoded(pieces: Iterable[bytes]) -> Encoded:
    return Encoded(b"[%s]" % b",".join(pieces), _JSON)


def _canonical(text: bytes) -> bytes:
    plain = text.replace(b", ", b",")
    return _WHOLE.sub(b"", plain) if _PLAIN.fullmatch(plain) else _parsed(text)


def _parsed(text: bytes) -> bytes:
    """Return the canonical form of any JSON, which takes ten times longer."""
    try:
        value = json.loads(text) if text else None
    except ValueError as error:
        raise DecodeError(f"'segmentation' is no JSON ({error})") from None
    if value is not None and not isinstance(value, list | dict):
        raise DecodeError(f"'segmentation' is {value!r}, neither a list of polygons nor an RLE")
    return _dumped(value)


def _dumped(value: object) -> bytes:
    text = json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
    if isinstance(value, list):  # digits within an RLE's string stay
        text = _WHOLE.sub(b"", _ZERO.sub(b"0", text))
    return text


def segmentations_of(value: Value) -> list[Any]:
    """Return the segmentation of each box.

    Raises:
        ArgumentError: the component is no JSON array of lists, objects and null.
    """
    try:
        if isinstance(value, Encoded):
            segmentations = json.loads(bytes(value.data))
            if isinstance(segmentations, list) and all(
                segmentation is None or isinstance(segmentation, list | dict)
                for segmentation in segmentations
            ):
                return segmentations
    except ValueError as error:
        raise ArgumentError(f"the component {SEGMENTATIONS!r} is no JSON: {error}") from None
    raise ArgumentError(
        f"the component {SEGMENTATIONS!r} must be a JSON array with a list of polygons, an RLE or "
        "null for each box"
    )


def scaled_segmentations(value: Value, scale: tuple[float, float]) -> Encoded:
    """Return the segmentations of an image that was made smaller.

    Args:
        value: the component.
        scale: horizontal and vertical.

    Raises:
        ArgumentError: a segmentation is no list of polygons.
    """
    return _encoded(
        _dumped(_scaled(segmentation, scale)) for segmentation in segmentations_of(value)
    )


def _scaled(segmentation: Any, scale: tuple[float, float]) -> object:
    if isinstance(segmentation, dict):
        raise ArgumentError(
            "an RLE mask cannot be made smaller with its image; keep the images' sizes, or leave "
            f"out the component {SEGMENTATIONS!r}"
        )
    try:
        return segmentation and [
            [number * scale[axis % 2] for axis, number in enumerate(polygon)]
            for polygon in segmentation
        ]
    except TypeError:
        raise ArgumentError(f"{str(segmentation)[:80]} is no list of polygons") from None
