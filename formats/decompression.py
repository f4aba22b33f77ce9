"""Streams of compressed bytes, unpacked up to a size: no stream takes more memory than it may."""

from __future__ import annotations

import bz2
import importlib
import sys
import zlib
from collections.abc import Callable
from typing import Any

from ..engine.errors import MissingDependencyError, install_hint

ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
"""The module for Zstandard."""

Decompress = Callable[[memoryview, int], bytes]
"""`decompress(data, size)` returns the decompressed bytes, `size` + 1 of them at most."""

DEFLATE_RATIO = 1032
"""Bytes that one byte of Deflate can stand for, at most."""

ZSTD_RATIO = 1 << 15
"""Bytes that one byte of Zstandard can stand for, at most."""

_PIECE = 16 * 1024
"""Bytes given to zlib at once. zlib copies the bytes that follow a stream, so that many short
streams would take quadratic time if zlib got all bytes at once."""


def deflated(wbits: int) -> Decompress:
    """Return what decompresses a form of Deflate, which zlib names by `wbits`."""

    def decompress(data: memoryview, size: int) -> bytes:
        """Decompress one stream, or several end to end as gzip allows."""
        parts: list[bytes] = []
        left = size + 1
        position = 0
        stream = zlib.decompressobj(wbits)
        while left > 0:
            if stream.eof:
                position -= len(stream.unused_data)
                if position == len(data):
                    break
                stream = zlib.decompressobj(wbits)
            piece = data[position : position + _PIECE]
            if not piece:
                raise ValueError("the stream is cut off")
            position += len(piece)
            parts.append(stream.decompress(piece, left))
            left -= len(parts[-1])
        return b"".join(parts)

    return decompress


def lz4_block(data: memoryview, size: int) -> bytes:
    """Decompress a block of LZ4."""
    block = _module("LZ4", "lz4.block", "lz4", install_hint("lz4"))
    result: bytes = block.decompress(data, uncompressed_size=size)
    return result


def zstandard(data: memoryview, size: int) -> bytes:
    """Decompress a frame of Zstandard."""
    return _whole(zstd_library().ZstdDecompressor(), data, size)


def zstd_library() -> Any:
    """Return the module for Zstandard; raise MissingDependencyError if it is not installed."""
    return _module("Zstandard", ZSTD, ZSTD, f"{install_hint('zstd')}, or use Python 3.14")


def bzip2(data: memoryview, size: int) -> bytes:
    """Decompress a stream of bzip2."""
    return _whole(bz2.BZ2Decompressor(), data, size)


def _whole(stream: Any, data: memoryview, size: int) -> bytes:
    result: bytes = stream.decompress(data, max_length=size + 1)
    if not stream.eof and len(result) <= size:
        raise ValueError("the stream is cut off")
    return result


def _module(title: str, name: str, shown: str, remedy: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingDependencyError(
            f"{title} needs {shown}, which is not installed: {remedy}"
        ) from error
