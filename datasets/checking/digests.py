"""Digests of keys and contents, to compare data sets in bounded memory."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..sample import Encoded, Sample, Value

PORTION_BYTES = 256 << 20
"""Bytes of digests that are compared together."""


KEY_BYTES = 16

KEYS_DTYPE = np.dtype([("key", f"V{KEY_BYTES}"), ("index", "<i8")])
"""The digest of a key, and the index of its sample."""


def key_digests(keys: Sequence[tuple[str, int]]) -> NDArray[Any]:
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
        digest.update(f"{name}\\0".encode())
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


def repeated_keys(shards: Sequence[NDArray[Any]]) -> list[tuple[int, int]]:
    """Return pairs of indices of samples with one key, of arrays of `KEYS_DTYPE`.

    The keys are compared in portions of `PORTION_BYTES`.

    >>> repeated_keys([key_digests([("a", 0), ("b", 1)]), key_digests([("a", 5)])])
    [(0, 5)]
    """
    total = sum(shard.nbytes for shard in shards)
    portions = total // PORTION_BYTES + 1
    pairs: list[tuple[int, int]] = []
    for portion in range(portions):
        chosen = [shard[portion_of(shard["key"], portions) == portion] for shard in shards]
        digests = np.concatenate([np.empty(0, KEYS_DTYPE), *chosen])
        numbers, count = numbered(digests["key"])
        first = np.empty(count, np.int64)
        first[numbers[::-1]] = digests["index"][::-1]
        again = np.flatnonzero(first[numbers] != digests["index"])
        pairs += zip(first[numbers][again].tolist(), digests["index"][again].tolist(), strict=True)
    return pairs


def numbered(keys: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Return a number for each digest, which equal digests share, and how many there are."""
    high, low = np.ascontiguousarray(keys).view("<u8").reshape(-1, 2).T
    order = np.lexsort((low, high))
    new = np.ones(len(keys), np.bool_)
    new[1:] = (high[order][1:] != high[order][:-1]) | (low[order][1:] != low[order][:-1])
    numbers = np.empty(len(keys), np.int64)
    numbers[order] = np.cumsum(new) - 1
    return numbers, int(new.sum())


def portion_of(keys: NDArray[Any], portions: int) -> NDArray[np.int64]:
    """Return the portion, 0 to `portions` - 1, of each digest of a key."""
    words = np.ascontiguousarray(keys).view("<u4").reshape(-1, KEY_BYTES // 4)[:, 0]
    return (words % np.uint32(portions)).astype(np.int64)
