"""Arrays that are computed from a data file once and kept for later runs.

The arrays are kept in the user's cache folder. If the data have a file `<file>.penstock-index`
beside them, which `penstock index --beside` makes for all users, that file is read and renewed
instead. The content of such a file, little-endian:

    8 bytes    b"PSINDEX\\x01": the last one is the version of this format
    4 bytes    CRC-32 (zlib's) of all that follows
    4 bytes    length of the header
    header     JSON: name of the content, stamp and the arrays' dtypes and lengths; of a file that
               is damaged also from which offset on, why, and how many samples are lost
    arrays     end to end

A file that is damaged, has another name or belongs to another state of the data is ignored, and the
arrays are computed again. So is a file with a right checksum whose arrays are none that the reader
could have computed: numbers of another type, offsets outside of the data, bounds that go back.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ...engine.arrays import Array
from .claims import check_claim
from .damage import DamagedFileError
from .storage import Storage

Arrays = tuple[Array, ...]
Build = Callable[[], Sequence[Array]]
Fits = Callable[..., bool]
_Damage = tuple[str, int, int, int]
"""Reason, offset, lost and sound samples: see `DamagedFileError`."""
_Loaded = tuple[Arrays, _Damage | None]

_MAGIC = b"PSINDEX\x01"
_FIXED = len(_MAGIC) + 8
_ROOM = 64 * 1024  # for the header
_MOST_PER_BYTE = 4  # bytes of arrays: a record of any format takes 8 bytes, its extent 16
_DTYPES = frozenset({"|u1", "<u4", "<i4", "<i8", "<f4", "<f8"})
SUFFIX = ".penstock-index"


def cache_folder() -> Path:
    """Return the user's folder for such files: `$XDG_CACHE_HOME/penstock`."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "penstock"


def cached_index(storage: Storage, content_name: str, build: Build, fits: Fits) -> Arrays:
    """Return the arrays that `build` computes from the file; take them from the cache if possible.

    A `DamagedFileError` of `build` is kept, too, with the arrays of the sound part.

    Args:
        storage: the data file.
        content_name: identifies the meaning of the arrays and the version of `build`.
        build: returns one-dimensional arrays of uint8, int32, uint32, int64 or floats.
        fits: gets the offset up to which the file is sound, its size for an undamaged one, and the
            arrays of the cache; returns whether `build` could have returned them.

    Raises:
        DamagedFileError: the file is damaged; the error has the arrays of the sound part.
    """
    if not storage.stamp:
        return tuple(build())
    paths = cache_paths(storage)
    for path in paths:
        loaded = _load(path, content_name, storage)
        if loaded is not None and _fit(loaded, storage.size, fits):
            return _unless_damaged(*loaded)
    damage = None
    try:
        built = tuple(np.ascontiguousarray(array) for array in build())
    except DamagedFileError as error:
        damage = str(error), error.offset, error.lost, error.samples
        built = tuple(np.ascontiguousarray(array) for array in error.sound)
    content = _encode(built, content_name, storage.stamp, damage)
    for path in sorted(paths, key=lambda path: not path.exists()):  # renew what there is
        with suppress(OSError):
            replace_file(path, content)
            break
    return _unless_damaged(built, damage)


def _unless_damaged(arrays: Arrays, damage: _Damage | None) -> Arrays:
    if damage is not None:
        reason, offset, lost, samples = damage
        raise DamagedFileError(reason, offset, arrays, lost, samples)
    return arrays


def adopt_index(storage: Storage, content: bytes) -> bool:
    """Keep the index that lies beside a remote object; return whether it may belong to it.

    It was made of the object, or of a local copy, whose stamp has the copy's inode and times. Then
    the size must agree; what is read from the object is compared with the index besides.
    """
    try:
        start = _FIXED + _number(content, 12)
        header = json.loads(content[_FIXED:start])
        arrays = _decode(content, header["content_name"], header["stamp"])
        is_of_object = header["stamp"] == storage.stamp
        size = storage.size if is_of_object else int(header["stamp"].split(":")[1])
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError):
        return False
    if arrays is None or size != storage.size or not storage.stamp:
        return False
    encoded = _encode(arrays[0], header["content_name"], storage.stamp, arrays[1])
    try:
        replace_file(cache_paths(storage)[0], encoded)
    except OSError:
        return False
    return True


def forget_index(storage: Storage) -> None:
    """Remove what is kept of a data file, so that it is computed anew the next time."""
    for path in cache_paths(storage):
        with suppress(OSError):
            path.unlink()


def cached_name(storage: Storage, suffix: str) -> str:
    """Return a file name for the cache folder that no other data file has."""
    from hashlib import sha256  # takes 3 ms

    digest = sha256(os.fsencode(storage.name)).hexdigest()[:32]
    return digest + suffix


def replace_file(path: Path, parts: Sequence[Any]) -> None:
    """Write a file, and its folder if need be; other processes never see a part of the file."""
    from tempfile import mkstemp  # takes 3 ms

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            for part in parts:
                file.write(part)
        os.chmod(partial, 0o644)  # mkstemp denies access to other users, who may read the data
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise


def cache_paths(storage: Storage) -> list[Path]:
    """Return where the arrays of a data file may be kept, the first choice first.

    The second path is beside the data; URLs have one path only.
    """
    paths = [cache_folder() / cached_name(storage, SUFFIX)]
    if storage.path is not None:
        paths.append(Path(f"{storage.path}{SUFFIX}"))
    return paths


def _encode(
    arrays: Arrays, content_name: str, stamp: str, damage: _Damage | None = None
) -> list[Any]:
    forms = [[array.dtype.str, len(array)] for array in arrays]
    header = _header(content_name, stamp, forms, damage)
    body: list[Any] = [len(header).to_bytes(4, "little"), header]
    body += [array.data for array in arrays]
    checksum = 0
    for part in body:
        checksum = zlib.crc32(part, checksum)
    return [_MAGIC, checksum.to_bytes(4, "little"), *body]


def _header(content_name: str, stamp: str, forms: list[Any], damage: _Damage | None) -> bytes:
    content = {"content_name": content_name, "stamp": stamp, "arrays": forms}
    text = json.dumps(content | ({} if damage is None else {"damage": damage})).encode()
    return text.ljust(-(-len(text) // 16) * 16)  # so that the arrays are aligned


def _load(path: Path, content_name: str, storage: Storage) -> _Loaded | None:
    try:
        with open(path, "rb", opener=_opened_at_once) as file:
            size = os.fstat(file.fileno()).st_size
            if size > _ROOM + _MOST_PER_BYTE * storage.size:  # no valid index is larger
                return None
            check_claim(str(path), size)  # a SourceError, which is an OSError
            content = file.read(size)
        return _decode(content, content_name, storage.stamp)
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def _fit(loaded: _Loaded, size: int, fits: Fits) -> bool:
    arrays, damage = loaded
    try:
        return bool(fits(size if damage is None else damage[1], *arrays))
    except (TypeError, ValueError, IndexError):  # another number of arrays, or of their elements
        return False


def have_dtypes(*pairs: tuple[Array, DTypeLike]) -> bool:
    """Return whether each array has the dtype beside it."""
    return all(array.dtype == dtype for array, dtype in pairs)


def are_bounds(bounds: Array, end: int) -> bool:
    """Return whether int64 bounds go from 0 to `end` and never back."""
    return (
        have_dtypes((bounds, np.int64))
        and len(bounds) > 0
        and (int(bounds[0]), int(bounds[-1])) == (0, end)
        and bool((bounds[1:] >= bounds[:-1]).all())
    )


def lie_inside(storage: Storage, offsets: Array, lengths: Array) -> bool:
    """Return whether int64 offsets and lengths are ranges of a file's bytes."""
    if not have_dtypes((offsets, np.int64), (lengths, np.int64)) or len(offsets) != len(lengths):
        return False
    inside = (offsets >= 0) & (lengths >= 0) & (offsets <= storage.size)
    return bool((inside & (lengths <= storage.size - offsets)).all())  # no sum can overflow


def _opened_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a named pipe would wait for a writer


def _decode(content: bytes, content_name: str, stamp: str) -> _Loaded | None:
    """Return the arrays, or None; may raise if the content is no index at all."""
    if content[:8] != _MAGIC or zlib.crc32(memoryview(content)[12:]) != _number(content, 8):
        return None
    start = _FIXED + _number(content, 12)
    header = json.loads(content[_FIXED:start])
    if header["content_name"] != content_name or header["stamp"] != stamp:
        return None
    arrays = []
    for dtype, count in header["arrays"]:
        if dtype not in _DTYPES or count < 0:
            return None
        arrays.append(np.frombuffer(content, dtype, count, start))  # ValueError if too short
        start += arrays[-1].nbytes
    return (tuple(arrays), _damage_of(header)) if start == len(content) else None


def _damage_of(header: dict[str, Any]) -> _Damage | None:
    if "damage" not in header:
        return None
    reason, offset, lost, samples = header["damage"]
    return str(reason), int(offset), int(lost), int(samples)


def _number(content: bytes, offset: int) -> int:
    return int.from_bytes(content[offset : offset + 4], "little")
