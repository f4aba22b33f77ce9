"""Several encoded files as one array of bytes, for samples that have a list of files.

```text
offset  content
0       8 bytes "\\x8bBUNDLE\\n"
8       int64: the number n of files
16      int64, n times: the size of a file in bytes
        the files; each begins at a multiple of 8
```

Numbers are little-endian.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..engine.arrays import Bytes, Int64s
from ..engine.errors import DecodeError

MAGIC = b"\x8bBUNDLE\n"
_NUMBER = np.dtype("<i8")
_HEAD = 2 * _NUMBER.itemsize
_ALIGNMENT = 8


def bundled(
    files: Sequence[Bytes], allocate: Callable[[tuple[int, ...], DTypeLike], NDArray[np.uint8]]
) -> Bytes:
    """Return files as one array, uint8 (size,), in memory of `allocate`.

    >>> bundle = bundled([np.frombuffer(b"abc", np.uint8), np.empty(0, np.uint8)], np.empty)
    >>> bundle.shape, [file.tobytes() for file in files_of(bundle)]
    ((40,), [b'abc', b''])
    """
    sizes: Int64s = np.array([file.size for file in files], np.int64)
    starts = _starts(sizes)
    bundle = allocate((int(starts[-1]),), np.uint8)
    bundle[:8] = np.frombuffer(MAGIC, np.uint8)
    numbers = np.array([len(files), *sizes.tolist()], _NUMBER)
    bundle[8 : int(starts[0])] = numbers.view(np.uint8)
    for file, start, end in zip(files, starts.tolist(), starts[1:].tolist(), strict=False):
        bundle[start : start + file.size] = file
        bundle[start + file.size : end] = 0
    return bundle


def is_bundle(data: Bytes) -> bool:
    """Return whether bytes begin as a bundle does."""
    return data[:8].tobytes() == MAGIC


def files_of(bundle: Bytes) -> list[Bytes]:
    """Return the files of a bundle, as views: uint8 (size,) each.

    Args:
        bundle: a sample of `fn.readers.parquet` whose column is a list of files; uint8 (size,).

    Raises:
        DecodeError: the array is no bundle, or is damaged.
    """
    if bundle.ndim != 1 or bundle.dtype != np.uint8 or not is_bundle(bundle):
        raise DecodeError(
            f"no list of files: {bundle.dtype} {bundle.shape}, which begins with "
            f"{bundle.reshape(-1)[:8].tobytes()!r}; pass a column of fn.readers.parquet that holds "
            "lists of files"
        )
    most = (bundle.size - _HEAD) // _NUMBER.itemsize  # negative if the count is cut off
    count = int(_numbers(bundle, 8, 1)[0]) if most >= 0 else -1
    if not 0 <= count <= most:
        raise DecodeError(f"a list of files of {bundle.size} bytes is cut off or damaged")
    sizes = _numbers(bundle, _HEAD, count)
    if (sizes < 0).any() or (sizes > bundle.size).any():
        raise DecodeError("a list of files claims sizes that it cannot have; it is damaged")
    starts = _starts(sizes)
    if starts[-1] != bundle.size:
        raise DecodeError(
            f"a list of files of {bundle.size} bytes claims {starts[-1]}; it is cut off or damaged"
        )
    pairs = zip(starts.tolist(), sizes.tolist(), strict=False)
    return [bundle[start : start + size] for start, size in pairs]


def _numbers(bundle: Bytes, start: int, count: int) -> Int64s:
    content = bundle[start : start + count * _NUMBER.itemsize].tobytes()
    return np.frombuffer(content, _NUMBER).astype(np.int64)


def _starts(sizes: Int64s) -> Int64s:
    """Return where each file begins, and where the bundle ends."""
    room = (sizes + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT
    first = _HEAD + _NUMBER.itemsize * len(sizes)
    starts: Int64s = first + np.cumsum(np.append(0, room))
    return starts
