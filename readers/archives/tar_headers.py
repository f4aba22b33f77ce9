"""The headers of files in a tar archive, written; `tar` reads them."""

from __future__ import annotations

import struct

from .tar import BLANK, BLOCK, LARGEST_OCTAL

_FIELDS = struct.Struct("100s 8s 8s 8s 12s 12s 8s c 100s 8s 247x")
_LONGEST_NAME = 100

CLOSING = bytes(2 * BLOCK)
"""The blocks that end an archive."""


def header_of(name: bytes, size: int) -> bytes:
    """Return what precedes the bytes of a regular file: a ustar header, and PAX's if need be.

    PAX headers hold names of more than 100 bytes, names other than ASCII, and sizes from 8 GiB on.

    >>> from penstock.readers.archives.tar import parse_header
    >>> parse_header(header_of(b"a.txt", 5))
    TarHeader(name=b'a.txt', size=5, type_flag=48)
    """
    about = b""
    if len(name) > _LONGEST_NAME or not name.isascii():
        about += _pax_record(b"path", name)
    if size > LARGEST_OCTAL:
        about += _pax_record(b"size", b"%d" % size)
    header = _ustar(name[:_LONGEST_NAME], min(size, LARGEST_OCTAL), b"0")
    if not about:
        return header
    return _ustar(b"PaxHeader", len(about), b"x") + about + padding(len(about)) + header


def padding(size: int) -> bytes:
    """Return the zeros that follow a file of `size` bytes."""
    return bytes(-size % BLOCK)


def _ustar(name: bytes, size: int, type_flag: bytes) -> bytes:
    block = _FIELDS.pack(
        name, b"0000644\0", b"0000000\0", b"0000000\0", b"%011o\0" % size, b"%011o\0" % 0,
        BLANK, type_flag, b"", b"ustar\x0000",
    )  # fmt: skip
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def _pax_record(key: bytes, value: bytes) -> bytes:
    rest = b" %b=%b\n" % (key, value)
    length = len(rest) + 1
    while len(b"%d" % length) + len(rest) != length:
        length += 1
    return b"%d%b" % (length, rest)
