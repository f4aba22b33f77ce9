"""Digests of keys and contents, to compare data sets in bounded memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ..sample import Encoded, Sample, Value

PORTION_BYTES = 256 << 20
"""About the bytes of records that are compared together, in memory."""

KEY_BYTES = 16

KEYS_DTYPE = np.dtype([("key", f"V{KEY_BYTES}"), ("index", "<i8")])
"""The digest of a key, and the index of its sample."""


def key_digests(keys: Sequence[tuple[str, int]]) -> Array:
    """Return the digests of keys with the indices of their samples: `KEYS_DTYPE`."""
    return np.array([(key_digest(key), index) for key, index in keys], KEYS_DTYPE)


def key_digest(key: str) -> bytes:
    """Return 16 bytes that only equal keys share."""
    return hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=KEY_BYTES).digest()


def content_digest(sample: Sample) -> bytes:
    """Return 16 bytes that only samples of equal content share.

    Names and values of the components count, and their order does not. Of encoded files, the bytes
    count, not the extension. A number counts by its value: 1 equals 1.0. Of an array, shape, type
    and elements count.

    >>> content_digest(Sample("a", {"x": 1})) == content_digest(Sample("b", {"x": 1.0}))
    True
    """
    digest = hashlib.sha256()
    for name in sorted(sample.components):
        digest.update(f"{name}\0".encode())
        for piece in _pieces(sample.components[name]):
            digest.update(len(piece).to_bytes(8, "little"))
            digest.update(piece)
    return digest.digest()[:KEY_BYTES]


def _pieces(value: Value) -> tuple[Any, ...]:
    if isinstance(value, Encoded):
        return (memoryview(value.data),)
    if isinstance(value, str):
        return (b"text", value.encode("utf-8", "surrogateescape"))
    if isinstance(value, np.ndarray):
        form = f"{value.dtype.newbyteorder('=').name} {value.shape}".encode()
        return (form, np.ascontiguousarray(value).tobytes())
    whole = isinstance(value, int) or float(value).is_integer()
    return (b"number", (str(int(value)) if whole else float(value).hex()).encode())


def portions_of_keys(parts: Iterable[Array], size: int, folder: Path) -> Iterator[Array]:
    """Yield records with a field "key", in portions: all records of a key are in one portion.

    Args:
        parts: arrays of records.
        size: about the bytes of all parts; beyond `PORTION_BYTES` the records go through files.
        folder: for these files, which have no names.
    """
    count = size // PORTION_BYTES + 1
    if count == 1:
        if arrays := list(parts):
            yield np.concatenate(arrays)
        return
    with ExitStack() as opened:
        files = [opened.enter_context(TemporaryFile(dir=folder)) for _ in range(count)]
        for part in parts:
            portion = _words(part["key"], "<u4")[:, 0] % np.uint32(count)
            for number in np.unique(portion).tolist():
                files[number].write(part[portion == number].tobytes())
        for file in files:
            file.seek(0)
            yield np.fromfile(file, part.dtype)


def repeated_keys(shards: Iterable[Array], size: int, folder: Path) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of samples with one key; see `portions_of_keys`.

    >>> shards = [key_digests([("a", 0), ("b", 1)]), key_digests([("a", 5)])]
    >>> list(repeated_keys(shards, 72, Path()))
    [(0, 5)]
    """
    for records in portions_of_keys(shards, size, folder):
        first = first_rows(records["key"])
        again = np.flatnonzero(first != np.arange(len(first)))
        pairs = records["index"][np.column_stack([first[again], again])]
        yield from map(tuple, pairs.tolist())


def first_rows(keys: Array) -> NDArray[np.int64]:
    """Return, for each digest of a key, the row of the first digest that equals it.

    >>> first_rows(key_digests([("a", 0), ("b", 1), ("a", 2)])["key"])
    array([0, 1, 0])
    """
    high, low = _words(keys, "<u8").T
    order = np.lexsort((low, high))  # stable, so the first row of equal ones comes first
    new = np.ones(len(keys), np.bool_)
    new[1:] = (high[order][1:] != high[order][:-1]) | (low[order][1:] != low[order][:-1])
    rows = np.empty(len(keys), np.int64)
    rows[order] = order[new][np.cumsum(new) - 1]
    return rows


def _words(keys: Array, dtype: str) -> Array:
    """Return the words of each digest."""
    return np.ascontiguousarray(keys).view(dtype).reshape(-1, KEY_BYTES // np.dtype(dtype).itemsize)
