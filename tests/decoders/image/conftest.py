"""Photographs, and encoded images of rare forms that no library at hand writes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

SHORT, LONG = 3, 4
_LAYOUTS = {SHORT: "H", LONG: "I"}


@pytest.fixture(scope="module")
def files(photo_tree: Any) -> list[str]:
    """Paths of a few photographs."""
    return [str(photo_tree.root / name) for name in photo_tree.files[:6]]


@pytest.fixture(scope="session")
def make_tiff() -> Callable[..., NDArray[np.uint8]]:
    """A function that writes one uncompressed strip (or plane) of samples as TIFF."""
    return _make_tiff


def _make_tiff(
    samples: NDArray[Any],
    photometric: int,
    *,
    order: Literal["<", ">"] = "<",
    planar: int = 1,
    sample_format: int = 1,
    extra: Sequence[int] = (),
    orientation: int = 1,
) -> NDArray[np.uint8]:
    height, width = samples.shape[:2]
    channels = samples.shape[2] if samples.ndim == 3 else 1
    stored = samples.astype(samples.dtype.newbyteorder(order))
    planes = [stored] if planar == 1 else [stored[..., i] for i in range(channels)]
    parts = [plane.tobytes() for plane in planes]
    tags = {
        256: (LONG, [width]),
        257: (LONG, [height]),
        258: (SHORT, [samples.dtype.itemsize * 8] * channels),
        259: (SHORT, [1]),
        262: (SHORT, [photometric]),
        273: (LONG, [0] * len(parts)),
        274: (SHORT, [orientation]),
        277: (SHORT, [channels]),
        279: (LONG, [len(part) for part in parts]),
        284: (SHORT, [planar]),
        338: (SHORT, list(extra)),
        339: (SHORT, [sample_format] * channels),
    }
    tags = {tag: content for tag, content in tags.items() if content[1]}
    start = len(_directory(tags, order))
    tags[273] = (LONG, [start + sum(map(len, parts[:i])) for i in range(len(parts))])
    return np.frombuffer(_directory(tags, order) + b"".join(parts), np.uint8)


def _directory(tags: dict[int, tuple[int, list[int]]], order: str) -> bytes:
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8)
    entries, values = b"", b""
    values_at = len(head) + 2 + 12 * len(tags) + 4
    for tag, (field_type, content) in tags.items():
        body = struct.pack(f"{order}{len(content)}{_LAYOUTS[field_type]}", *content)
        if len(body) > 4:
            value = struct.pack(order + "I", values_at + len(values))
            values += body
        else:
            value = body.ljust(4, b"\0")
        entries += struct.pack(order + "HHI", tag, field_type, len(content)) + value
    return head + struct.pack(order + "H", len(tags)) + entries + bytes(4) + values
