"""Writes tar archives, also wrong ones, for tests."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

FORMATS = {"ustar": tarfile.USTAR_FORMAT, "pax": tarfile.PAX_FORMAT, "gnu": tarfile.GNU_FORMAT}
CLOSING = bytes(1024)


def header(
    name: bytes,
    size: int | bytes,
    kind: bytes = b"0",
    magic: bytes = b"ustar\x0000",
    prefix: bytes = b"",
    signed: bool = False,
) -> bytes:
    """Return one header block; `size` may be the bytes of its field."""
    told = size if isinstance(size, bytes) else b"%011o\0" % size
    begin = b"".join(
        [name.ljust(100, b"\0"), b"0000644\0", b"0000000\0" * 2, told, b"00000000000\0"]
    )
    end = kind.ljust(101, b"\0") + magic.ljust(88, b"\0") + prefix.ljust(167, b"\0")
    summed = begin + b" " * 8 + end
    total = sum(b - 256 if signed and b > 127 else b for b in summed)
    return begin + b"%06o\0 " % total + end


def entry(name: bytes, content: bytes, **options: object) -> bytes:
    """Return a file's header and its content, padded."""
    return header(name, len(content), **options) + content + bytes(-len(content) % 512)


def pax(records: Mapping[bytes, bytes], kind: bytes = b"x") -> bytes:
    """Return a PAX header."""
    lines = b""
    for key, value in records.items():
        rest = b" %b=%b\n" % (key, value)
        length = len(rest) + 1
        while len(b"%d" % length) + len(rest) != length:
            length += 1
        lines += b"%d%b" % (length, rest)
    return entry(b"pax", lines, kind=kind)


def archive(files: Mapping[str, bytes], form: str = "ustar") -> bytes:
    """Return an archive as Python's own writer makes it."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=FORMATS[form]) as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def write(path: Path, *parts: bytes) -> str:
    """Write an archive of these parts, closed; return its path."""
    path.write_bytes(b"".join([*parts, CLOSING]))
    return str(path)
