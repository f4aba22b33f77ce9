"""Writes RecordIO files, as dmlc's writer does, for tests and benchmarks."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

MAGIC = struct.pack("<I", 0xCED7230A)


def frame(content: bytes, part: int = 0) -> bytes:
    """Return one frame with its padding."""
    return MAGIC + struct.pack("<I", part << 29 | len(content)) + content + bytes(-len(content) % 4)


def record(content: bytes) -> bytes:
    """Return a record, in parts where its content holds the magic at a multiple of four."""
    cuts = [i for i in range(0, len(content) - 3, 4) if content[i : i + 4] == MAGIC]
    begins, ends = [0, *(cut + 4 for cut in cuts)], [*cuts, len(content)]
    kinds = [1, *[2] * (len(cuts) - 1), 3] if cuts else [0]
    parts = zip(begins, ends, kinds, strict=True)
    return b"".join(frame(content[begin:end], kind) for begin, end, kind in parts)


def image_record(image: bytes, labels: float | Sequence[float], key: int = 0) -> bytes:
    """Return what MXNet's `pack` makes of an image and a label, or several."""
    if isinstance(labels, int | float):
        return struct.pack("<IfQQ", 0, labels, key, 0) + image
    listed = struct.pack(f"<{len(labels)}f", *labels)
    return struct.pack("<IfQQ", len(labels), 0, key, 0) + listed + image


def record_file(contents: Iterable[bytes]) -> tuple[bytes, bytes]:
    """Return the bytes of a `.rec` file and of its `.idx` file."""
    parts, lines, offset = [], [], 0
    for key, content in enumerate(contents):
        parts.append(record(content))
        lines.append(f"{key}\t{offset}\n")
        offset += len(parts[-1])
    return b"".join(parts), "".join(lines).encode()
