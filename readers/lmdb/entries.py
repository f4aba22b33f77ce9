"""Entries of an LMDB database: where their values are, and their keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ..storage.strings import StringTable, joined_bounds


@dataclass(frozen=True)
class Entries:
    """Consecutive entries of a database.

    Attributes:
        offsets, lengths: positions and sizes of the values in the file, in bytes.
        databases: whether each entry is the record of a named database.
        keys: the keys end to end.
        bounds: key i is `keys[bounds[i]:bounds[i + 1]]`.
        damage: what is wrong with the tree, and the offset of the first damage that was met; the
            entries are those of the sound pages.
        whole: of a damaged tree, which entries lack no value of their sample, where keys are names
            of files: see `salvage`.
    """

    offsets: Int64s
    lengths: Int64s
    databases: NDArray[np.bool_]
    keys: NDArray[np.uint8]
    bounds: Int64s
    damage: tuple[str, int] | None = None
    whole: NDArray[np.bool_] | None = None

    def arrays(self) -> tuple[Int64s, Int64s, NDArray[np.uint8], Int64s]:
        """Return offsets, lengths, keys and bounds."""
        return self.offsets, self.lengths, self.keys, self.bounds

    def key_list(self) -> list[bytes]:
        """Return the keys one by one."""
        return list(StringTable.from_arrays(self.keys, self.bounds))


def chosen_entries(entries: Entries, chosen: NDArray[np.bool_]) -> Entries:
    """Return some of the entries."""
    table = StringTable.from_arrays(entries.keys, entries.bounds).take(np.flatnonzero(chosen))
    keys = np.frombuffer(b"".join(table), np.uint8)
    bounds = np.cumsum([0, *map(len, table)], dtype=np.int64)
    return Entries(
        entries.offsets[chosen],
        entries.lengths[chosen],
        entries.databases[chosen],
        keys,
        bounds,
        entries.damage,
        None if entries.whole is None else entries.whole[chosen],
    )


def joined_entries(chunks: list[Entries]) -> Entries:
    """Return the entries of all chunks, end to end."""
    if len(chunks) == 1:
        return chunks[0]
    nothing = np.empty(0, np.int64)
    return Entries(
        np.concatenate([nothing, *(chunk.offsets for chunk in chunks)]),
        np.concatenate([nothing, *(chunk.lengths for chunk in chunks)]),
        np.concatenate([nothing.astype(bool), *(chunk.databases for chunk in chunks)]),
        np.concatenate([nothing.astype(np.uint8), *(chunk.keys for chunk in chunks)]),
        joined_bounds([chunk.bounds for chunk in chunks]),
    )
