"""The keys of decoded images: hashes of the encoded bytes, and of all that decides the pixels."""

from __future__ import annotations

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.tensors import TensorListCPU
from ...engine.tensors.memory_span import memory_of
from .layout import KEY_BYTES

METADATA = "digest"
"""Key of `digests` in the metadata of encoded samples (`TensorList.metadata`)."""


def digests(addresses: NDArray[np.uint64], lengths: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash files in memory.

    Args:
        addresses: addresses of the files: (batch,).
        lengths: lengths of the files in bytes: (batch,).

    Returns:
        `KEY_BYTES` of the BLAKE3 hash of each file: (batch, 2) uint64.
    """
    if not len(lengths):
        return np.empty((0, 2), np.uint64)
    memory, starts = memory_of(addresses, lengths)
    ends = (starts + lengths).tolist()
    hashes = [
        _digest(memory.data[start:end]) for start, end in zip(starts.tolist(), ends, strict=True)
    ]
    return np.frombuffer(b"".join(hashes), np.uint64).reshape(-1, 2)


def _digest(data: memoryview) -> bytes:
    return blake3(data).digest(length=KEY_BYTES)


class Keys:
    """Makes the keys of the images that a decoder makes of files.

    Args:
        told: all that decides the pixels of an image, but the file.
    """

    def __init__(self, *told: object) -> None:
        self._seed = np.frombuffer(_digest(memoryview(repr(told).encode())), np.uint64)

    def of_file(self, encoded: Array) -> bytes:
        """Return the key of one file: `KEY_BYTES` bytes."""
        return (np.frombuffer(_digest(encoded.data), np.uint64) ^ self._seed).tobytes()

    def of_batch(self, encoded: TensorListCPU, lengths: NDArray[np.int64]) -> list[bytes]:
        """Return the keys of a batch of files.

        Args:
            encoded: the files. The process that reads may have hashed them: see `METADATA`.
            lengths: lengths of the files in bytes.
        """
        hashes = encoded.metadata.get(METADATA)
        if hashes is None:
            hashes = digests(encoded.pointers(), lengths)
        data = (hashes ^ self._seed).tobytes()
        return [data[at : at + KEY_BYTES] for at in range(0, len(data), KEY_BYTES)]
