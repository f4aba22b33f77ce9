"""Records behind damage, in formats that tell for certain where a record begins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...engine.arrays import Int64s
from .damage import DamagedFileError
from .index_cache import Fits
from .storage import Storage

MOST_PLACES = 1000
"""Places of damage in a file behind which records are sought. More are no file worth saving, and
each takes a search."""

_FIRST_SEARCH, _LARGEST_SEARCH = 1 << 12, 1 << 20
"""Bytes that are searched together: few at first, because the next record is mostly near."""


def rescued(
    walk: Callable[[int], Int64s], following: Callable[[int], int | None]
) -> tuple[Int64s, Int64s]:
    """Return offsets and lengths of the records of a file, if none is damaged.

    Args:
        walk: returns the offsets of records that lie end to end from an offset on, and the end of
            the last one; its DamagedFileError has those before the damage.
        following: returns where the next sound record begins, by the offset of a damaged one.

    Raises:
        DamagedFileError: records are damaged. It has offsets and lengths of all others.
    """
    parts: list[Int64s] = []
    first: DamagedFileError | None = None
    before, start, more = 0, 0, ""
    for _ in range(MOST_PLACES):
        try:
            parts.append(walk(start))
            break
        except DamagedFileError as error:
            parts.append(error.sound[0])
            if first is None:
                first, before = error, len(error.sound[0]) - 1
            if (found := following(error.offset)) is None:
                break
            start = found
    else:
        more = f", and none is sought behind {MOST_PLACES} places of damage"
    offsets = np.concatenate([part[:-1] for part in parts])
    lengths = np.concatenate([np.diff(part) for part in parts])
    if first is None:
        return offsets, lengths
    behind = len(offsets) - before
    if behind:
        more = f". Behind the damage, {behind} records are found again{more}"
    raise DamagedFileError(
        f"{str(first).rstrip('.')}{more}", first.offset, (offsets, lengths), samples=len(offsets)
    )


def searched(
    storage: Storage,
    start: int,
    shortest: int,
    places: Callable[[int, memoryview], list[int]],
    is_record: Callable[[int], bool],
) -> int | None:
    """Return the offset of the first record from `start` on; None if there is none.

    Args:
        storage: the file.
        start: where the search begins.
        shortest: bytes of the least record.
        places: returns the offsets at which a record may begin, by the offset of bytes of the file
            and these bytes. The last `shortest` - 1 of them come again.
        is_record: whether there is a record at such an offset.
    """
    size = _FIRST_SEARCH
    while start + shortest <= storage.size:
        block = np.empty(min(size, storage.size - start), np.uint8)
        storage.fill([start], [block])
        for place in places(start, block.data):
            if is_record(place):
                return place
        start += max(1, len(block) - (shortest - 1))
        size = min(2 * size, _LARGEST_SEARCH)
    return None


def fits_file(storage: Storage, shortest: int) -> Fits:
    """Return the function that checks offsets and lengths of a kept index: see `cached_index`."""

    def fits(end: int, offsets: Int64s, lengths: Int64s) -> bool:
        if len(offsets) != len(lengths) or end > storage.size:
            return False
        ends = offsets + lengths
        inside = (offsets >= 0) & (lengths >= shortest) & (lengths <= storage.size)
        ordered = not len(ends) or bool(
            (offsets[1:] >= ends[:-1]).all() and ends[-1] <= storage.size
        )
        return bool(inside.all()) and ordered

    return fits
