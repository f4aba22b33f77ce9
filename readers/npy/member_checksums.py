"""The CRC-32 of stored members of zip archives, verified once whole members have been read.

Deflated members are verified as they are inflated: see `InflatedMember`. A region of a stored
member is not verified, because the checksum covers all bytes of the member.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError
from ...formats.npy import NpyHeader
from ..storage.read_team import READ_TEAM
from .form_groups import BatchMemory, LocatedSamples
from .opening import OpenArray, StoredMember

TAIL_AT_ONCE = 1 << 20
"""Bytes behind an array's elements that are read together."""


def verify_members(
    located: LocatedSamples,
    memory: BatchMemory,
    where: Callable[[int], str],
    threads: int,
) -> None:
    """Compare the checksums of stored members that were read as a whole.

    Args:
        located: the samples of a batch.
        memory: the elements, before `BatchMemory.numbers` converts them.
        where: returns the archive and the member of an array, for messages.
        threads: threads at most.

    Raises:
        DecodeError: a checksum differs.
    """
    if all(array.member is None for array in located.arrays):
        return
    numbers, rows = np.unique(located.owners, return_index=True)

    def verify(i: int) -> None:
        array = located.arrays[numbers[i]]
        if array.member is None:
            return
        actual = _checksum_of(array, array.member, memory.row(rows[i]))
        if actual != array.member.checksum:
            raise DecodeError(
                f"{where(array.member.number)}: the stored bytes are damaged: their CRC-32 is "
                f"{actual:08x}, and the archive's directory has {array.member.checksum:08x}; "
                "replace the archive by an undamaged copy"
            )

    READ_TEAM.run_jobs(verify, range(len(numbers)), threads)


def _checksum_of(array: OpenArray, member: StoredMember, elements: Array) -> int:
    if array.content is not None:
        return zlib.crc32(array.content.data)
    header = array.header
    end = header.offset + header.nbytes
    checksum = zlib.crc32(stored_form(elements, header).data, zlib.crc32(header.beginning))
    if member.size == end:
        return checksum
    for start in range(end, member.size, TAIL_AT_ONCE):  # what follows may be of any size
        tail = np.empty(min(TAIL_AT_ONCE, member.size - start), np.uint8)
        array.storage.fill([member.offset + start], [tail])
        checksum = zlib.crc32(tail.data, checksum)
    return checksum


def stored_form(elements: Array, header: NpyHeader) -> NDArray[np.uint8]:
    """Return the bytes of elements as the file stores them; a view if no conversion is needed.

    Args:
        elements: in native byte order, C-contiguous.
        header: header of the file.
    """
    ordered = elements.reshape(header.shape)
    if header.fortran_order:
        ordered = ordered.T
    return np.ascontiguousarray(ordered, header.dtype).reshape(-1).view(np.uint8)
