"""Damaged image files, with Pillow and OpenCV as judges.

Refusing a file is always right. A file that Penstock decodes must give the pixels that Pillow or
OpenCV gives, or the pixels of the undamaged picture. Some formats cannot tell damage; there the
judges decode the same wrong pixels.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from penstock import Pipeline, fn, types

from .damage import damaged

FORMATS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("JPEG", {"quality": 90, "subsampling": 0}),
    ("JPEG", {"quality": 75, "subsampling": 2, "progressive": True}),
    ("JPEG", {"quality": 85, "subsampling": 1, "restart_marker_rows": 1}),
    ("PNG", {}),
    ("TIFF", {}),
    ("TIFF", {"compression": "tiff_lzw"}),
    ("TIFF", {"compression": "packbits"}),
    ("TIFF", {"compression": "tiff_adobe_deflate"}),
    ("TIFF", {"compression": "jpeg"}),
    ("BMP", {}),
    ("WEBP", {"quality": 80}),
    ("WEBP", {"lossless": True}),
    ("JPEG2000", {}),
    ("PPM", {}),
)
COPIES = 12
TOLERANCE = 6.0
"""Mean difference, of 255, within which two decoders of lossy formats agree."""

Pixels = NDArray[np.uint8]


def case(seed: int) -> None:
    """Decode a dozen damaged copies of a picture."""
    Image.MAX_IMAGE_PIXELS = None  # in this case's own process
    random = Random(seed)
    form, options = random.choice(FORMATS)
    picture = drawn(random)
    stored = io.BytesIO()
    Image.fromarray(picture).save(stored, form, **options)
    intact = opened_by_pillow(stored.getvalue())
    assert intact is not None
    files = []
    for number in range(COPIES):
        path = Path(f"{number}.{form.lower()}")
        path.write_bytes(damaged(stored.getvalue(), random) or b"\0")
        files.append(path)
    Path("intact").write_bytes(stored.getvalue())
    wrong = []
    for path, decoded in zip(files, decoded_by_penstock(files), strict=True):
        if decoded is not None and not any(
            judge is not None and agree(decoded, judge)
            for judge in (intact, opened_by_pillow(path.read_bytes()), opened_by_opencv(path))
        ):
            wrong.append(f"{path}: mean {decoded.mean():.1f}, black {black(decoded):.0%}")
    assert not wrong, f"{form} {options} of {picture.shape}, decoded unlike both judges: {wrong}"


def drawn(random: Random) -> Pixels:
    """Return a picture of shapes on a gradient without black pixels."""
    height, width = random.randint(8, 120), random.randint(8, 120)
    ramp = np.linspace(60, 200, width, dtype=np.uint8)
    picture = np.ascontiguousarray(np.broadcast_to(ramp[None, :, None], (height, width, 3)))
    for _ in range(6):
        corner, color = (random.randrange(width), random.randrange(height)), random.randbytes(3)
        shade = tuple(max(40, value) for value in color)
        cv2.circle(picture, corner, random.randint(3, 30), shade, -1)
    return picture


def decoded_by_penstock(files: list[Path]) -> list[Pixels | None]:
    """Return the pixels of each file; None for files that Penstock refuses."""
    every = [Path("intact"), *files]
    with Pipeline(len(every), num_threads=2, on_error="replace") as pipeline:
        encoded, _ = fn.readers.file(files=[str(path) for path in every])
        pipeline.set_outputs(fn.decoders.image(encoded, output_type=types.RGB))
        (output,) = pipeline.run()
        kept = [output.at(i).copy() if ok else None for i, ok in enumerate(output.valid)]
    assert kept[0] is not None, "the intact file was refused"
    return kept[1:]


def opened_by_pillow(data: bytes) -> Pixels | None:
    """Return Pillow's pixels; None if Pillow refuses the file or warns of damage."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
        except Exception:
            return None


def opened_by_opencv(path: Path) -> Pixels | None:
    """Return OpenCV's pixels; None if OpenCV refuses the file, or gives a picture with black."""
    picture = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR)
    if picture is None or black(picture) > 0.02:
        return None
    return np.ascontiguousarray(picture[..., ::-1])


def black(picture: Pixels) -> float:
    """Return the fraction of pixels that are black, which no drawn picture has."""
    return float((picture.max(axis=2) == 0).mean()) if picture.size else 0.0


def agree(one: Pixels, other: Pixels) -> bool:
    """Return whether two pictures are the same up to rounding and upsampling."""
    if one.shape != other.shape:
        return False
    return float(np.abs(one.astype(np.int16) - other).mean()) <= TOLERANCE
