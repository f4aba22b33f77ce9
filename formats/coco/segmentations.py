"""The segmentations of many annotations in a few arrays."""

from __future__ import annotations

import json
import re
from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import DecodeError
from ..rle import decode_counts
from .columns import ElementError, short
from .decimals import parse_decimals

_COMMA, _OPEN, _CLOSE = 0, 1, 2
_CODES = np.zeros(256, np.int8)
_CODES[ord("[")], _CODES[ord("]")] = _OPEN, _CLOSE
_STEPS = np.array([0, 1, -1])  # of the depth, by code
_GAP = re.compile(rb"[^\s,\[\]]\s+[^\s,\[\]]")
_SPACES = b" \t\r\n"
_LARGEST = 1 << 31  # pixels of a mask


def _grammar() -> NDArray[np.bool_]:
    """Return which separators may follow one another: [depth, first, second, number between].

    The table is flat, because one index is five times as fast as four.
    """
    allowed = np.zeros((3, 3, 3, 2), np.bool_)
    allowed[0, _CLOSE, _OPEN, 0] = True  # from one annotation to the next
    for pair in ((_OPEN, _OPEN), (_OPEN, _CLOSE), (_CLOSE, _COMMA), (_CLOSE, _CLOSE)):
        allowed[(1, *pair, 0)] = True
    allowed[1, _COMMA, _OPEN, 0] = True
    allowed[2, _OPEN, _CLOSE, 0] = True
    allowed[2, (_OPEN, _OPEN, _COMMA, _COMMA), (_COMMA, _CLOSE, _COMMA, _CLOSE), 1] = True
    return allowed.reshape(-1)


_GRAMMAR = _grammar()


@dataclass(frozen=True)
class Segmentations:
    """Polygons and run lengths of annotations.

    The polygons of annotation i are `polygons[i, 0]` to `polygons[i, 1]`. The numbers of polygon p
    are `coordinates[vertices[p]:vertices[p + 1]]`: x and y in turn, in pixels. The runs of
    annotation i are `runs[run_ranges[i, 0]:run_ranges[i, 1]]`, of a mask of `sizes[i]`.

    Attributes:
        coordinates: float64.
        vertices: int64, (polygons + 1,).
        polygons: int64, (annotations, 2).
        runs: uint32; see `formats.rle`.
        run_ranges: int64, (annotations, 2).
        sizes: int64, (annotations, 2), height and width; 0 for annotations without RLE.
    """

    coordinates: NDArray[np.float64]
    vertices: Int64s
    polygons: Int64s
    runs: NDArray[np.uint32]
    run_ranges: Int64s
    sizes: Int64s

    def take(self, annotations: Int64s) -> Segmentations:
        """Return the segmentations of `annotations`, which share the memory of these."""
        return Segmentations(
            self.coordinates,
            self.vertices,
            self.polygons[annotations],
            self.runs,
            self.run_ranges[annotations],
            self.sizes[annotations],
        )

    @property
    def are_rle(self) -> NDArray[np.bool_]:
        """Whether each annotation has run lengths: bool, (annotations,)."""
        return self.run_ranges[:, 1] > self.run_ranges[:, 0]


class SegmentationsBuilder:
    """Collects segmentations from JSON text, without an object for each number."""

    def __init__(self) -> None:
        self._coordinates, self._vertices = array("d"), array("q", [0])
        self._polygons, self._sizes = array("q", [0]), array("q")
        self._runs, self._run_ends = array("I"), array("q", [0])

    def add(self, texts: list[bytes]) -> None:
        """Add the segmentations of annotations, one JSON text each; b"" for none.

        Raises:
            ElementError: with the number of the text.
        """
        are_lists = [text[:1] == b"[" for text in texts]
        self._add_polygons([t if a else b"[]" for t, a in zip(texts, are_lists, strict=True)])
        sizes = np.zeros((len(texts), 2), np.int64)
        counts = np.zeros(len(texts), np.int64)
        for number in np.flatnonzero(~np.array(are_lists, np.bool_)).tolist():
            sizes[number], runs = _rle_of_text(number, texts[number])
            counts[number] = len(runs)
            self._runs.frombytes(runs.tobytes())
        self._sizes.frombytes(sizes.tobytes())
        self._run_ends.frombytes((np.cumsum(counts) + self._run_ends[-1]).tobytes())

    def _add_polygons(self, texts: list[bytes]) -> None:
        if not texts:
            return
        try:
            numbers, ends, per_annotation = _parse_polygons(texts)
        except ElementError:
            if len(texts) > 1:
                for number, text in enumerate(texts):
                    _check_alone(number, text)
            raise
        self._polygons.frombytes((per_annotation + self._polygons[-1]).tobytes())
        self._vertices.frombytes((ends + self._vertices[-1]).tobytes())
        self._coordinates.frombytes(numbers.tobytes())

    def finish(self) -> Segmentations:
        """Return the arrays, which take over the memory."""
        polygons = np.frombuffer(self._polygons, np.int64)
        run_ends = np.frombuffer(self._run_ends, np.int64)
        return Segmentations(
            np.frombuffer(self._coordinates, np.float64),
            np.frombuffer(self._vertices, np.int64),
            np.stack([polygons[:-1], polygons[1:]], axis=1),
            np.frombuffer(self._runs, np.uint32),
            np.stack([run_ends[:-1], run_ends[1:]], axis=1),
            np.frombuffer(self._sizes, np.int64).reshape(-1, 2),
        )


def rle_of(value: object) -> tuple[tuple[int, int], NDArray[np.uint32]]:
    """Return height and width, and the runs, of a parsed RLE.

    Raises:
        DecodeError: the value is no RLE, or its runs are not as many pixels as its size says.
    """
    if not isinstance(value, dict):
        raise DecodeError(
            f"'segmentation' is {short(value)}, where a list of polygons or an RLE is needed"
        )
    size, counts = value.get("size"), value.get("counts")
    if (
        not isinstance(size, list)
        or len(size) != 2
        or not all(type(n) is int and n >= 0 for n in size)
        or size[0] * size[1] > _LARGEST
    ):
        raise DecodeError(f"the RLE's size must be [height, width], not {short(size)}")
    return (size[0], size[1]), decode_counts(counts, size[0] * size[1])


def _rle_of_text(number: int, text: bytes) -> tuple[tuple[int, int], NDArray[np.uint32]]:
    """Return height, width and runs of a JSON text; zeros and no runs for null or no text."""
    try:
        value = json.loads(text) if text else None
        return ((0, 0), np.empty(0, np.uint32)) if value is None else rle_of(value)
    except DecodeError as error:
        raise ElementError(number, str(error)) from None
    except ValueError as error:
        raise ElementError(number, f"'segmentation' is no JSON ({error})") from None


def _check_alone(number: int, text: bytes) -> None:
    try:
        _parse_polygons([text])
    except ElementError as error:
        raise ElementError(number, str(error)) from None


def _parse_polygons(texts: list[bytes]) -> tuple[NDArray[np.float64], Int64s, Int64s]:
    """Return the numbers of lists of polygons, the ends of polygons, and the polygons of texts.

    The second array counts numbers, the third one polygons, each from the first text on.
    """
    joined = b"".join(texts)
    text = np.frombuffer(joined, np.uint8)
    bounds = np.cumsum(list(map(len, texts)))
    marks = np.flatnonzero((text == 44) | (text == 91) | (text == 93))  # the characters ,[]
    codes = _CODES.take(text.take(marks))
    depths = np.cumsum(_STEPS.take(codes))
    starts, ends = marks[:-1] + 1, marks[1:]
    spaced = text.take(starts) == 32  # a space behind a comma is usual
    others = any(space in joined for space in (b"\n", b"\t", b"\r"))
    if others or np.count_nonzero(spaced) != joined.count(b" "):
        return _parse_polygons([_without_spaces(text) for text in texts])
    starts += spaced
    filled = ends > starts
    if (
        depths.min() < 0
        or depths.max() > 2
        or depths[-1]
        or not _follows(depths[:-1], codes, filled).all()
    ):
        raise ElementError(0, _NO_POLYGONS)
    numbers = parse_decimals(text, starts[filled], ends[filled])
    if numbers is None or not np.isfinite(numbers).all():
        raise ElementError(0, _NO_POLYGONS)
    closing = np.flatnonzero((codes[1:] == _CLOSE) & (depths[:-1] == 2))
    polygon_ends = np.cumsum(filled, dtype=np.int64)[closing]
    per_text = np.searchsorted(ends[closing], bounds)
    if (polygon_ends - np.concatenate([[0], polygon_ends[:-1]]) & 1).any():
        raise ElementError(0, "a polygon has an odd number of coordinates")
    return numbers, polygon_ends, per_text


def _follows(depths: Int64s, codes: NDArray[np.int8], filled: NDArray[np.bool_]) -> Any:
    """Return whether each separator may follow the one before: see `_grammar`."""
    places = depths.astype(np.int8)
    for extent, values in ((3, codes[:-1]), (3, codes[1:]), (2, filled)):
        places *= np.int8(extent)
        places += values
    return _GRAMMAR.take(places)


_NO_POLYGONS = (
    "'segmentation' is no list of polygons, such as [[x, y, x, y, x, y]], of finite numbers"
)


def _without_spaces(text: bytes) -> bytes:
    if _GAP.search(text):
        raise ElementError(0, _NO_POLYGONS)
    return text.translate(None, _SPACES)
