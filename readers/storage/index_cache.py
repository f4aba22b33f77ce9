"""Arrays that are computed from a data file once, and kept for the next time.

They are kept beside the data as `<file>.penstock-index`, or in the user's cache folder
where that cannot be written. The content of such a file, little-endian:

    8 bytes    b"PSINDEX\\x01": the last one is the version of this format
    4 bytes    CRC-32 (zlib's) of all that follows
    4 bytes    length of the header
    header     JSON: kind, stamp and the arrays' dtypes and lengths
    arrays     end to end

A file that is not exactly so, is of another kind or belongs to another state of the data is
computed anew without a word: it is a cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .storage import Storage

Arrays = tuple[NDArray[Any], ...]
Build = Callable[[], Sequence[NDArray[Any]]]

_MAGIC = b"PSINDEX\x01"
_FIXED = len(_MAGIC) + 8
_ROOM = 64 * 1024  # for the header
_MOST_PER_BYTE = 4  # bytes of arrays: a record of any format takes 8 bytes, its place 16
_DTYPES = frozenset({"|u1", "<u4", "<i4", "<i8", "<f4", "<f8"})
SUFFIX = ".penstock-index"


def cache_folder() -> Path:
    """Return the user's folder for such files: `$XDG_CACHE_HOME/penstock`."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "penstock"


def cached_index(storage: Storage, kind: str, build: Build) -> Arrays:
    """Return the arrays that `build` computes from the file, from the cache if they are there.

    Args:
        storage: the data file.
        kind: names what the arrays mean and the version of the code that computes them.
        build: returns one-dimensional arrays of uint8, int32, uint32, int64 or floats.
    """
    if not storage.stamp:
        return tuple(build())
    places = _places(storage)
    for place in places:
        arrays = _load(place, kind, storage)
        if arrays is not None:
            return arrays
    built = tuple(np.ascontiguousarray(array) for array in build())
    content = _encode(built, kind, storage.stamp)
    for place in places:
        with suppress(OSError):
            replace_file(place, content)
            break
    return built


def cached_name(storage: Storage, suffix: str) -> str:
    """Return a file name for the cache folder that no other data file has."""
    digest = hashlib.sha256(os.fsencode(storage.name)).hexdigest()[:32]
    return digest + suffix


def replace_file(path: Path, parts: Sequence[Any]) -> None:
    """Write a file so that nobody ever sees half of it; make its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            for part in parts:
                file.write(part)
        os.chmod(partial, 0o644)  # mkstemp hides it from other users, who may read the data
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise


def _places(storage: Storage) -> list[Path]:
    places = [cache_folder() / cached_name(storage, SUFFIX)]
    if storage.path is not None:
        places.insert(0, Path(f"{storage.path}{SUFFIX}"))
    return places


def _encode(arrays: Arrays, kind: str, stamp: str) -> list[Any]:
    header = _header(kind, stamp, [[array.dtype.str, len(array)] for array in arrays])
    body: list[Any] = [len(header).to_bytes(4, "little"), header]
    body += [array.data for array in arrays]
    checksum = 0
    for part in body:
        checksum = zlib.crc32(part, checksum)
    return [_MAGIC, checksum.to_bytes(4, "little"), *body]


def _header(kind: str, stamp: str, forms: list[Any]) -> bytes:
    text = json.dumps({"kind": kind, "stamp": stamp, "arrays": forms}).encode()
    return text.ljust(-(-len(text) // 16) * 16)  # so that the arrays are aligned


def _load(path: Path, kind: str, storage: Storage) -> Arrays | None:
    try:
        with path.open("rb") as file:
            # No index of ours is larger, so no other file is read into memory.
            content = file.read(_ROOM + _MOST_PER_BYTE * storage.size)
        return _decode(content, kind, storage.stamp)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _decode(content: bytes, kind: str, stamp: str) -> Arrays | None:
    """Return the arrays, or None; may raise for content that is no index at all."""
    if content[:8] != _MAGIC or zlib.crc32(memoryview(content)[12:]) != _number(content, 8):
        return None
    begin = _FIXED + _number(content, 12)
    header = json.loads(content[_FIXED:begin])
    if header["kind"] != kind or header["stamp"] != stamp:
        return None
    arrays = []
    for dtype, count in header["arrays"]:
        if dtype not in _DTYPES or count < 0:
            return None
        arrays.append(np.frombuffer(content, dtype, count, begin))  # ValueError if too short
        begin += arrays[-1].nbytes
    return tuple(arrays) if begin == len(content) else None


def _number(content: bytes, offset: int) -> int:
    return int.from_bytes(content[offset : offset + 4], "little")
