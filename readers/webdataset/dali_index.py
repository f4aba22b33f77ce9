"""The index files of DALI for tar archives.

An index file of DALI is text, its numbers decimal and counted in bytes:

    v1.2 <samples>
    <extension> <offset> <size> <name> <extension> <offset> <size> <name> ...     one sample
    ...

Version v1.1 has no names.
"""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from ...engine.arrays import Bytes
from ...engine.errors import SourceError
from ...engine.pending import wait_all
from ..archives.tar import BLOCK, Member, members
from ..archives.tar_index import ArchiveIndex, IndexBuilder, components_of, split_name
from ..storage.damage import STRICT, DamagedFileError, Damages
from ..storage.index_cache import replace_file
from ..storage.opening import open_storage
from ..storage.storage import Storage

_FIELDS = {"v1.1": 3, "v1.2": 4}
_TAIL = 20 * BLOCK  # bytes: archives are padded with zeros to a multiple of it


def read_dali_index(storage: Storage, archive: Storage) -> ArchiveIndex:
    """Read an index file (`storage`) that `wds2idx` or `write_dali_index` made.

    Raises:
        SourceError: it is damaged, or lists what cannot be in the archive.
        OSError: it cannot be read.
    """
    return parse_dali_index(storage.read_whole(), storage.name, archive)


def parse_dali_index(content: bytes, name: str, archive: Storage) -> ArchiveIndex:
    """Parse the content of the index file `name`; see `read_dali_index`."""
    lines = content.split(b"\n")
    fields = _FIELDS.get(lines[0].split(b" ", 1)[0].decode(errors="replace"))
    count = lines[0].split()[1:]
    if fields is None or len(count) != 1 or not count[0].isdigit() or len(count[0]) > 18:
        raise SourceError(
            f"{name}, line 1: 'v1.2' or 'v1.1' and the number of samples are expected, "
            f"but it reads {lines[0][:80]!r}"
        )
    listed = len(lines) - 1 - (not lines[-1])
    if int(count[0]) != listed:
        raise SourceError(f"{name}: {int(count[0])} samples are announced, but {listed} listed")
    builder = IndexBuilder()
    for number, line in enumerate(lines[1 : listed + 1], 2):
        try:
            _parse_sample(builder, line.split(), fields, archive)
        except _BeyondEndError as error:
            sound = builder.finish(without_last=True)
            raise DamagedFileError(
                f"{name}, line {number}: {error}. The archive is cut off, or the index file "
                "belongs to another archive; without index_paths, one is made",
                archive.size,
                sound.to_arrays(),
                listed - (number - 2),
                len(sound),
            ) from None
        except ValueError as error:
            raise SourceError(
                f"{name}, line {number}: {error}. The file is damaged or belongs to "
                "another archive; without index_paths, one is made"
            ) from None
    return builder.finish()


def _parse_sample(builder: IndexBuilder, words: list[bytes], fields: int, archive: Storage) -> None:
    if not words or len(words) % fields:
        raise ValueError(f"{len(words)} words, where each component takes {fields}")
    builder.start_sample(split_name(words[3], "first")[0] if fields == 4 else b"")
    for start in range(0, len(words), fields):
        extension, offset, size = words[start : start + 3]
        if not (offset.isdigit() and size.isdigit() and len(offset) < 19 and len(size) < 19):
            raise ValueError(f"{offset[:30]!r} and {size[:30]!r} are no offset and size")
        starts, ends = int(offset), int(offset) + int(size)
        if starts % BLOCK or starts < BLOCK or ends > archive.size:
            beyond = ends > archive.size and starts % BLOCK == 0 and starts >= BLOCK
            raise (_BeyondEndError if beyond else ValueError)(
                f"bytes {starts} to {ends} cannot be a file in {archive.name}, which has "
                f"{archive.size} bytes"
            )
        builder.add(extension, starts, int(size))


class _BeyondEndError(ValueError):
    """A component lies behind the end of its archive."""


def check_ends(
    archives: Sequence[Storage], indexes: Sequence[ArchiveIndex], damages: Damages = STRICT
) -> None:
    """Look at what follows the last file that each index lists.

    Files there give a warning, also those behind zeros (of archives that were joined).

    Raises:
        SourceError: the data behind zeros are no archive. OSError: an archive cannot be read.
    """
    ends = [_end_of_files(index) for index in indexes]
    tails: list[Bytes] = [
        np.empty(min(_TAIL, max(0, archive.size - end)), np.uint8)
        for archive, end in zip(archives, ends, strict=True)
    ]
    wait_all(
        archive.start_read([end], [tail])
        for archive, end, tail in zip(archives, ends, tails, strict=True)
    )
    for archive, end, tail in zip(archives, ends, tails, strict=True):
        closed = tail.size >= BLOCK and not tail[:BLOCK].any()
        if closed and (tail.any() or end + tail.size < archive.size):
            try:
                deque(members(archive, end), maxlen=0)
            except DamagedFileError as error:
                damages.take(archive.name, error)
        elif tail.size >= BLOCK and not closed:
            _warn_of_unlisted(archive, end)


def _warn_of_unlisted(archive: Storage, end: int) -> None:
    """Warn of files from an offset on; damage behind the index matters no more than they do."""
    behind: list[Member] = []
    with suppress(DamagedFileError):
        files = components_of(members(archive, end), "first")
        behind.extend(file for _, extension, file in files if extension)
    if behind:
        warnings.warn(
            f"{archive.name} holds {len(behind)} files, the first {os.fsdecode(behind[0].name)!r}, "
            "behind the last one that its index file lists: they are not read. Without "
            "index_paths, an index is made",
            RuntimeWarning,
            stacklevel=2,
        )


def _end_of_files(index: ArchiveIndex) -> int:
    """Return the offset behind the last file, which is a multiple of `BLOCK`."""
    end = int((index.offsets + index.sizes).max(initial=0))
    return -(-end // BLOCK) * BLOCK


def write_dali_index(archive: str | os.PathLike[str], index_path: str | os.PathLike[str]) -> int:
    """Write the index file, version v1.2, that DALI reads for an archive.

    Args:
        archive: path of the tar file.
        index_path: path of the file to write; one that exists is replaced.

    Returns:
        the number of samples.

    Raises:
        SourceError: the archive is damaged or holds no sample, or a name in it holds a space
            or has no extension, which such a file cannot tell.
        OSError: the archive cannot be read or the file not written.
    """
    storage = open_storage(archive)
    lines: list[bytes] = []
    last: bytes | None = None
    for key, extension, file in components_of(members(storage), "first"):
        if not extension or len(file.name.split()) != 1 or len(extension.split()) != 1:
            raise SourceError(
                f"{storage.name}, offset {file.offset}: {os.fsdecode(file.name)!r} has a space or "
                "no extension, which DALI's index files cannot hold; rename it, or do without "
                "the index file"
            )
        component = b"%b %d %d %b" % (extension, file.offset, file.size, file.name)
        if key == last:
            lines[-1] += b" " + component
        else:
            lines.append(component)
            last = key
    if not lines:
        raise SourceError(f"{storage.name} holds no sample")
    content = b"\n".join([b"v1.2 %d" % len(lines), *lines, b""])
    replace_file(Path(index_path), [content])
    return len(lines)
