"""The rows of a YOLO label file: `class cx cy w h`, or `class x1 y1 x2 y2 x3 y3 ...`.

Coordinates are shares of the image's width and height (docs.ultralytics.com/datasets/detect and
/segment). Oriented boxes are four vertices, so they are polygons like others.
"""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError
from .box_set import ImageBoxes, Size

_BOX = 5  # columns
_FEWEST_OF_POLYGON = 7
_MOST_BYTES = 64 << 20  # of a text; 100,000 vertices take 2 MB
_TINY = 1e-9  # pixels; less than float32 tells of any pixel


def parse_rows(text: bytes, size: Size, name: str, classes: int, points: int = 0) -> ImageBoxes:
    """Return the boxes of one image.

    Values outside of 0 to 1 are clipped, and rows that come twice count once, as in Ultralytics.

    Args:
        text: content of the label file; b"" for an image without objects.
        size: of the image.
        name: of the file, for messages.
        classes: number of classes; 0 if it is not known.
        points: numbers behind each box that describe keypoints, which are not read.

    Raises:
        DecodeError: a row is none, or rows of boxes and of polygons are mixed.

    >>> made = parse_rows(b"3 0.5 0.5 0.2 0.4", (100, 200), "a.txt", 80)
    >>> made.boxes.tolist(), made.labels.tolist()
    ([[80.0, 30.0, 40.0, 40.0]], [3])
    """
    if len(text) > _MOST_BYTES:
        raise DecodeError(f"{name}: {len(text):,} bytes are no label file of an image")
    lines = text.decode("utf-8", "replace").splitlines()
    numbered = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip()]
    rows = [_numbers(row, f"{name}, line {number}") for number, row in numbered]
    widths = {len(row) for row in rows}
    wanted = {_BOX + points}
    if not widths <= wanted and not all(_is_polygon(width) for width in widths):
        raise DecodeError(
            f"{name}: rows of {', '.join(map(str, sorted(widths)))} numbers are not all boxes (5) "
            "or all polygons (7, 9, 11, ...); Ultralytics mixes neither"
        )
    points = points if widths <= wanted else 0
    kept = list(dict.fromkeys(map(tuple, rows)))
    labels = np.array([row[0] for row in kept], np.float64)
    _check_labels(labels, classes, name)
    clipped = [np.clip(row[1 : len(row) - points], 0.0, 1.0) for row in kept]
    remarks = _remarks(rows, kept, clipped, points, name)
    if widths <= wanted:
        shares = np.array(clipped, np.float64).reshape(-1, 4)
        return _made(_of_centers(shares, size), labels, remarks=remarks)
    scale = np.array([size[1], size[0]], np.float64)
    polygons = [values.reshape(-1, 2) * scale for values in clipped]
    corners = [np.concatenate([p.min(0), p.max(0) - p.min(0)]) for p in polygons]
    texts = [json.dumps([polygon.reshape(-1).tolist()]).encode() for polygon in polygons]
    return _made(np.array(corners).reshape(-1, 4), labels, texts, remarks)


def _is_polygon(width: int) -> bool:
    return width >= _FEWEST_OF_POLYGON and width % 2 == 1


def _numbers(row: list[str], where: str) -> list[float]:
    try:
        values = [float(text) for text in row]
    except ValueError:
        raise DecodeError(f"{where}: {' '.join(row):.80} is no row of numbers") from None
    if not np.isfinite(values).all():
        raise DecodeError(f"{where}: {' '.join(row):.80} has numbers that are not finite")
    return values


def _check_labels(labels: NDArray[np.float64], classes: int, name: str) -> None:
    most = classes or 1 << 31
    wrong = labels[(labels != np.floor(labels)) | (labels < 0) | (labels >= most)]
    if wrong.size:
        known = f"; there are {classes} names of classes" if classes else ""
        raise DecodeError(f"{name}: {wrong[0]:g} is no number of a class{known}")


def _remarks(
    rows: list[list[float]],
    kept: list[tuple[float, ...]],
    clipped: list[NDArray[np.float64]],
    points: int,
    name: str,
) -> str:
    outside = sum(
        not np.array_equal(values, row[1 : len(row) - points])
        for values, row in zip(clipped, kept, strict=True)
    )
    cases = [f"{outside} rows leave the image and are clipped"] if outside else []
    if len(kept) < len(rows):
        cases.append(f"{len(rows) - len(kept)} rows come twice and count once")
    return f"{name}: {', '.join(cases)}" if cases else ""


def _of_centers(shares: NDArray[np.float64], size: Size) -> NDArray[np.float64]:
    """Return x, y, width and height in pixels."""
    pixels = shares * np.array([size[1], size[0], size[1], size[0]], np.float64)
    pixels[:, :2] -= pixels[:, 2:] / 2
    pixels[np.abs(pixels) < _TINY] = 0
    return pixels


def _made(
    boxes: NDArray[np.float64],
    labels: NDArray[np.float64],
    polygons: list[bytes] | None = None,
    remarks: str = "",
) -> ImageBoxes:
    count = len(labels)
    texts = [b""] * count if polygons is None else polygons
    return ImageBoxes(
        boxes, labels.astype(np.int64), np.zeros(count, np.bool_), texts, remarks=remarks
    )
