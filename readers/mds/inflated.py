"""Shards that are compressed as a whole, as files without compression."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from ...engine.arrays import Bytes
from ...engine.errors import MissingDependencyError, SourceError
from ...engine.pending import Later, Pending
from ...formats.decompression import (
    DEFLATE_RATIO,
    ZSTD_RATIO,
    Decompress,
    bzip2,
    deflated,
    zstandard,
    zstd_library,
)
from ..storage.block_cache import BlockCache
from ..storage.claims import check_claim
from ..storage.storage import Storage
from ..storage.urls import shown
from .index_file import Shard

_ALGORITHMS: dict[str, tuple[Decompress, int]] = {
    "zstd": (zstandard, ZSTD_RATIO),
    "gz": (deflated(zlib.MAX_WBITS | 16), DEFLATE_RATIO),
    "bz2": (bzip2, 1 << 21),
}
"""By compression: its function, and the most bytes that one compressed byte can stand for."""


def check_compression(shard: Shard) -> None:
    """Raise SourceError if a shard is compressed in a way that is not read.

    Raise MissingDependencyError if the library for it is not installed.
    """
    if shard.compression and shard.compression not in _ALGORITHMS:
        raise SourceError(
            f"{shown(shard.path)} has the compression {shard.compression!r:.50}; write the samples "
            f"anew with one that is read: {', '.join(_ALGORITHMS)}, or none"
        )
    if shard.compression == "zstd":
        zstd_library()


class InflatedShard(Storage):
    """A compressed shard: it is decompressed as a whole, and the cache keeps it.

    If the index has a digest of the file that this Python can make, it is compared each time.
    """

    path = None
    gap = 0

    def __init__(
        self, storage: Storage, shard: Shard, number: int, cache: BlockCache[Bytes]
    ) -> None:
        """Take the compressed file, and the shard's number in the cache.

        Raises:
            SourceError: the file cannot hold what the index claims.
        """
        self.name, self.size, self.stamp = storage.name, shard.nbytes, storage.stamp
        self._storage, self._shard = storage, shard
        self._number, self._cache = number, cache
        self._damage = ""  # what a first read has found
        _, ratio = _ALGORITHMS[shard.compression]
        if self.size > ratio * storage.size:
            raise SourceError(
                f"{self.name}: {storage.size} bytes of {shard.compression} cannot hold the "
                f"{self.size} bytes that the index claims"
            )

    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        """See `Storage.start_read`."""

        def copy() -> None:
            content = self._cache.get([self._number], self._inflate)[self._number]
            for offset, buffer in zip(offsets, buffers, strict=True):
                buffer[:] = content[offset : offset + buffer.size]

        return Later(copy)

    def _inflate(self, _: list[int]) -> dict[int, tuple[Bytes, int]]:
        if not self._damage:
            check_claim(self.name, self._storage.size + self.size)
            packed: Bytes = np.empty(self._storage.size, np.uint8)
            self._storage.fill([0], [packed])
            content = self._content(packed)
            if not self._damage:
                return {self._number: (content, content.size)}
        raise SourceError(f"{self.name} is damaged: {self._damage}")

    def _content(self, packed: Bytes) -> Bytes:
        """Return the shard, or note the damage."""
        content: Bytes = np.empty(0, np.uint8)
        self._damage = self._shard.wrong_hash(packed)
        if self._damage:
            return content
        decompress, _ = _ALGORITHMS[self._shard.compression]
        try:
            content = np.frombuffer(decompress(packed.data, self.size), np.uint8)
        except (MissingDependencyError, MemoryError):
            raise
        except Exception as error:  # each library has its own
            self._damage = f"it cannot be decompressed: {error}"
        else:
            if content.size != self.size:
                self._damage = f"it unpacks to {content.size} bytes, not to {self.size}"
        return content

    def close(self) -> None:
        """Release the file, and what the cache keeps of all shards."""
        self._damage = ""  # the file may be mended meanwhile
        self._cache.clear()
        self._storage.close()
