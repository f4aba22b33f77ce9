"""The members of a zip archive and their offsets; `.npz` files are zip archives, too.

Format: APPNOTE.TXT of PKWARE, 4.3. Python's `zipfile` parses the central directory. Its entries are
checked against the file before they are used, because archives come from anywhere.
"""

from __future__ import annotations

import io
import struct
import zipfile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import SourceError
from ..storage.file_object import OutsideError, StorageFile
from ..storage.storage import Storage
from ..storage.strings import StringTable

STORED, DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED

_LOCAL = np.dtype(
    [
        ("magic", "<u4"),
        ("before", "V2"),
        ("flags", "<u2"),
        ("method", "<u2"),
        ("between", "V16"),
        ("name", "<u2"),
        ("extra", "<u2"),
    ]
)  # local file header, APPNOTE 4.3.7, without the name
_LOCAL_MAGIC = 0x04034B50
_ENCRYPTED = 1
_MOST_GROWTH = 1032  # maximum bytes that DEFLATE makes of one byte

MAX_MEMBER_BYTES = 4 << 30
"""Bytes of a member's content."""


_METHODS = {STORED: "stored", DEFLATED: "deflated", 12: "bzip2", 14: "LZMA", 93: "Zstandard"}


_CANNOT = (
    *(zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, struct.error),
    *(IndexError, OverflowError, OutsideError),
)


class ZipMembers(NamedTuple):
    """Files of a zip archive, in its directory's order.

    Attributes:
        names: as the archive has them, in UTF-8.
        offsets, sizes: offsets and sizes of the stored bytes.
        contents: bytes of the members once they are inflated.
        checksums: CRC-32 of the content: uint32.
        methods: `STORED` or `DEFLATED`: int64.
    """

    names: StringTable
    offsets: Int64s
    sizes: Int64s
    contents: Int64s
    checksums: NDArray[np.uint32]
    methods: Int64s


def zip_members(storage: Storage) -> ZipMembers:
    """Return the files of a zip archive; folders are left out.

    Raises:
        SourceError: this is no zip archive, or it is damaged; two members have one name; a member
            is encrypted, or compressed by another method than DEFLATE.
        OSError: the archive cannot be read.
    """
    try:
        with zipfile.ZipFile(io.BufferedReader(StorageFile(storage), 1 << 16)) as archive:
            infos = [i for i in archive.infolist() if not i.filename.endswith("/")]
    except _CANNOT as error:
        raise SourceError(f"{storage.name}: no zip archive, or a damaged one: {error}") from None
    seen: set[str] = set()
    for info in infos:
        if info.filename in seen:
            raise SourceError(
                f"{storage.name}: two members are named {info.filename[:200]!r}, and programs "
                "differ in which of them they read; write the archive anew"
            )
        seen.add(info.filename)
        if info.flag_bits & _ENCRYPTED:
            raise SourceError(
                f"{storage.name}: member {info.filename[:200]!r} is encrypted; decrypt it first"
            )
        if info.compress_type not in (STORED, DEFLATED):
            method = _METHODS.get(info.compress_type, f"method {info.compress_type}")
            raise SourceError(
                f"{storage.name}: member {info.filename[:200]!r} is compressed with {method}; only "
                "stored and deflated members are read"
            )
        inside = 0 <= info.header_offset <= storage.size and info.compress_size <= storage.size
        if not inside or info.file_size >= 1 << 62:
            raise SourceError(
                f"{storage.name}: member {info.filename[:200]!r} lies beyond the end of the archive"
            )
    rows = [(i.header_offset, i.compress_size, i.file_size, i.CRC, i.compress_type) for i in infos]
    headers, sizes, contents, checksums, methods = np.array(rows, np.int64).reshape(-1, 5).T.copy()
    names = StringTable.of(i.filename.encode("utf-8", "surrogateescape") for i in infos)
    offsets = _data_offsets(storage, names, headers, sizes, methods)
    _check_sizes(storage, names, sizes, contents, methods)
    return ZipMembers(names, offsets, sizes, contents, checksums.astype(np.uint32), methods)


def _data_offsets(
    storage: Storage, names: StringTable, headers: Int64s, sizes: Int64s, methods: Int64s
) -> Int64s:
    """Return where the members' bytes begin, which only their local headers tell."""
    length = _LOCAL.itemsize
    beyond = (headers > storage.size - length) | (sizes > storage.size - headers - length)
    _refuse(storage, names, beyond, "lies beyond the end of the archive")
    if not len(headers):
        return headers
    views = storage.read(headers, np.full(len(headers), length, np.int64), np.empty)
    local_headers = np.concatenate(views).view(_LOCAL)
    wrong = (local_headers["magic"] != _LOCAL_MAGIC) | (local_headers["method"] != methods)
    _refuse(storage, names, wrong, "does not begin where the directory says")
    offsets: Int64s = headers + length + local_headers["name"] + local_headers["extra"]
    _refuse(storage, names, sizes > storage.size - offsets, "reaches beyond the end of the archive")
    order = np.argsort(headers, kind="stable")
    overlap = np.zeros(len(headers), bool)
    overlap[order[:-1]] = (offsets + sizes)[order[:-1]] > headers[order[1:]]
    _refuse(storage, names, overlap, "overlaps another one")
    return offsets


def _check_sizes(
    storage: Storage, names: StringTable, sizes: Int64s, contents: Int64s, methods: Int64s
) -> None:
    stored = methods == STORED
    _refuse(storage, names, stored & (sizes != contents), "is stored, but tells two sizes")
    _refuse(
        storage,
        names,
        ~stored & ~may_inflate_to(sizes, contents),
        f"would inflate to more than {MAX_MEMBER_BYTES} bytes, or more than its bytes can give; "
        "store it uncompressed",
    )


def may_inflate_to(sizes: Int64s, contents: Int64s) -> NDArray[np.bool_]:
    """Return whether so many bytes may be what so many deflated bytes give, and fit into memory."""
    fits: NDArray[np.bool_] = contents <= _MOST_GROWTH * sizes + 64
    return fits & (contents >= 0) & (contents <= MAX_MEMBER_BYTES)


def _refuse(storage: Storage, names: StringTable, wrong: NDArray[np.bool_], problem: str) -> None:
    if wrong.any():
        name = names[int(wrong.argmax())][:200].decode(errors="backslashreplace")
        raise SourceError(f"{storage.name}: member {name!r} {problem}")
