"""The samples of a WebDataset archive: its index, and the index files of DALI.

Files that follow one another and agree in folder and name up to the first dot make a sample. The
text behind that dot is the component's extension. Files whose names start with a dot belong to no
sample.

An index file of DALI is text, its numbers decimal and counted in bytes:

    v1.2 <samples>
    <extension> <offset> <size> <name> <extension> <offset> <size> <name> ...     one sample
    ...

Version v1.1 has no names.
"""

from __future__ import annotations

import os
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, Int64s
from ...engine.errors import SourceError
from ...engine.pending import wait_all
from ..archives.tar import BLOCK, Member, members
from ..storage.index_cache import (
    are_bounds,
    cached_index,
    have_dtypes,
    lie_inside,
    replace_file,
)
from ..storage.opening import open_storage
from ..storage.storage import Storage
from ..storage.strings import StringTable, StringTableBuilder

_FIELDS = {"v1.1": 3, "v1.2": 4}
_TAIL = 20 * BLOCK  # bytes: archives are padded with zeros to a multiple of it


@dataclass(frozen=True)
class ArchiveIndex:
    """The samples of one archive and their components, in the archive's order.

    Attributes:
        offsets, sizes: position and size of each component's bytes.
        extension_numbers: index of each component's extension in `extensions`: int32.
        firsts: first component of each sample, and at the end the number of components.
        keys: key of each sample: folder and name up to the dot; empty where unknown.
        extensions: the distinct ones.
    """

    offsets: Int64s
    sizes: Int64s
    extension_numbers: NDArray[np.int32]
    firsts: Int64s
    keys: StringTable
    extensions: StringTable

    def __len__(self) -> int:
        return len(self.firsts) - 1

    def extensions_of(self, sample: int) -> list[str]:
        """Return the extensions of a sample's components."""
        first, end = self.firsts[sample : sample + 2].tolist()
        return [
            os.fsdecode(self.extensions[kind])
            for kind in self.extension_numbers[first:end].tolist()
        ]

    def to_arrays(self) -> list[NDArray[Any]]:
        """Return the arrays that `from_arrays` takes."""
        numbers: list[NDArray[Any]] = [
            self.offsets,
            self.sizes,
            self.extension_numbers,
            self.firsts,
        ]
        return [*numbers, *self.keys.to_arrays(), *self.extensions.to_arrays()]

    @staticmethod
    def are_arrays(storage: Storage, *arrays: NDArray[Any]) -> bool:
        """Return whether the arrays can be those of an index of this archive."""
        offsets, sizes, kinds, firsts, keys, key_bounds, extensions, bounds = arrays
        return (
            lie_inside(storage, offsets, sizes)
            and not (offsets % BLOCK).any()
            and bool((offsets[:-1] + sizes[:-1] <= offsets[1:] - BLOCK).all())
            and have_dtypes((kinds, np.int32), (keys, np.uint8), (extensions, np.uint8))
            and len(kinds) == len(offsets)
            and bool(((kinds >= 0) & (kinds < len(bounds) - 1)).all())
            and are_bounds(firsts, len(offsets))
            and len(firsts) == len(key_bounds)
            and are_bounds(key_bounds, len(keys))
            and are_bounds(bounds, len(extensions))
        )

    @classmethod
    def from_arrays(cls, *arrays: NDArray[Any]) -> ArchiveIndex:
        """Return the index whose `to_arrays` gave these arrays."""
        offsets, sizes, extension_numbers, firsts, *tables = arrays
        keys, extensions = tables[:2], tables[2:]
        return cls(
            offsets,
            sizes,
            extension_numbers,
            firsts,
            StringTable.from_arrays(*keys),
            StringTable.from_arrays(*extensions),
        )


class _Builder:
    """Grows an `ArchiveIndex`."""

    def __init__(self) -> None:
        self._offsets, self._sizes = array("q"), array("q")
        self._extension_numbers, self._firsts = array("i"), array("q")
        self._keys = StringTableBuilder()
        self._extensions: dict[bytes, int] = {}

    def start_sample(self, key: bytes) -> None:
        self._firsts.append(len(self._offsets))
        self._keys.append(key)

    def add(self, extension: bytes, offset: int, size: int) -> None:
        self._offsets.append(offset)
        self._sizes.append(size)
        self._extension_numbers.append(
            self._extensions.setdefault(extension, len(self._extensions))
        )

    def finish(self) -> ArchiveIndex:
        self._firsts.append(len(self._offsets))
        return ArchiveIndex(
            np.array(self._offsets, np.int64),
            np.array(self._sizes, np.int64),
            np.array(self._extension_numbers, np.int32),
            np.array(self._firsts, np.int64),
            self._keys.finish(),
            StringTable.of(self._extensions),
        )


def index_archive(storage: Storage, dot: str = "first") -> ArchiveIndex:
    """Return the index of an archive: from the cache, or by a scan of its headers.

    Args:
        storage: the archive.
        dot: which dot of a file's name ends the key, "first" or "last".

    Raises:
        SourceError: the archive is damaged. OSError: it cannot be read.
    """

    def build() -> list[NDArray[Any]]:
        return group(members(storage), dot).to_arrays()

    def fits(*arrays: NDArray[Any]) -> bool:
        return ArchiveIndex.are_arrays(storage, *arrays)

    return ArchiveIndex.from_arrays(*cached_index(storage, f"webdataset-{dot}-2", build, fits))


def group(files: Iterable[Member], dot: str) -> ArchiveIndex:
    """Group files into samples."""
    builder = _Builder()
    last: bytes | None = None
    for key, extension, file in _components(files, dot):
        if key != last:
            builder.start_sample(key)
            last = key
        builder.add(extension, file.offset, file.size)
    return builder.finish()


def _components(files: Iterable[Member], dot: str) -> Iterator[tuple[bytes, bytes, Member]]:
    """Yield key and extension of each file whose name does not start with a dot."""
    for file in files:
        key, extension = split_name(file.name, dot)
        if key and not key.endswith(b"/"):
            yield key, extension, file


def split_name(name: bytes, dot: str) -> tuple[bytes, bytes]:
    """Return a file's key and extension.

    >>> split_name(b"a.b/img.left.png", "first"), split_name(b"a.b/img.left.png", "last")
    ((b'a.b/img', b'left.png'), (b'a.b/img.left', b'png'))
    """
    start = name.rfind(b"/") + 1
    cut = name.find(b".", start) if dot == "first" else name.rfind(b".", start)
    return (name, b"") if cut < 0 else (name[:cut], name[cut + 1 :])


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
    builder = _Builder()
    for number, line in enumerate(lines[1 : listed + 1], 2):
        try:
            _parse_sample(builder, line.split(), fields, archive)
        except ValueError as error:
            raise SourceError(
                f"{name}, line {number}: {error}. The file is damaged or belongs to "
                "another archive; without index_paths, one is made"
            ) from None
    return builder.finish()


def _parse_sample(builder: _Builder, words: list[bytes], fields: int, archive: Storage) -> None:
    if not words or len(words) % fields:
        raise ValueError(f"{len(words)} words, where each component takes {fields}")
    builder.start_sample(split_name(words[3], "first")[0] if fields == 4 else b"")
    for start in range(0, len(words), fields):
        extension, offset, size = words[start : start + 3]
        if not (offset.isdigit() and size.isdigit() and len(offset) < 19 and len(size) < 19):
            raise ValueError(f"{offset[:30]!r} and {size[:30]!r} are no offset and size")
        starts, ends = int(offset), int(offset) + int(size)
        if starts % BLOCK or starts < BLOCK or ends > archive.size:
            raise ValueError(
                f"bytes {starts} to {ends} cannot be a file in {archive.name}, which has "
                f"{archive.size} bytes"
            )
        builder.add(extension, starts, int(size))


def check_ends(archives: Sequence[Storage], indexes: Sequence[ArchiveIndex]) -> None:
    """Look at what follows the zeros behind the last file that each index lists.

    Files there (of archives that were joined) give a warning, as they do without an index.

    Raises:
        SourceError: the data there are no archive. OSError: an archive cannot be read.
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
            deque(members(archive, end), maxlen=0)


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
    for key, extension, file in _components(members(storage), "first"):
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
