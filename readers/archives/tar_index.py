"""The samples of an archive: files that follow one another and share a key, and their components.

Files that agree in folder and name up to the first dot make a sample. The text behind that dot is
the component's extension. Files whose names start with a dot belong to no sample.

    a/cat.jpg  a/cat.cls  a/dog.jpg  a/dog.cls  a/dog.txt       names, in the archive's order
    '--- a/cat ---------' '--- a/dog --------------------'      keys of the samples
    jpg        cls        jpg        cls        txt             extensions of the components
    0                     2                               5     `ArchiveIndex.firsts`
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Int64s
from ..storage.damage import STRICT, DamagedFileError, Damages
from ..storage.index_cache import Arrays, are_bounds, cached_index, have_dtypes, lie_inside
from ..storage.storage import Storage
from ..storage.strings import StringTable, StringTableBuilder
from .tar import (
    BLOCK,
    REMARKS,
    UNCLOSED,
    DamagedTarError,
    Member,
    Remark,
    header_fits,
    members,
    tell,
)


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

    def to_arrays(self) -> list[Array]:
        """Return the arrays that `from_arrays` takes."""
        numbers: list[Array] = [
            self.offsets,
            self.sizes,
            self.extension_numbers,
            self.firsts,
        ]
        return [*numbers, *self.keys.to_arrays(), *self.extensions.to_arrays()]

    @staticmethod
    def are_arrays(storage: Storage, *arrays: Array) -> bool:
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
    def from_arrays(cls, *arrays: Array) -> ArchiveIndex:
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


class IndexBuilder:
    """Grows an `ArchiveIndex`, sample by sample."""

    def __init__(self) -> None:
        self._offsets, self._sizes = array("q"), array("q")
        self._extension_numbers, self._firsts = array("i"), array("q")
        self._keys = StringTableBuilder()
        self._extensions: dict[bytes, int] = {}

    def start_sample(self, key: bytes) -> None:
        """Begin a sample, which the components that follow belong to."""
        self._firsts.append(len(self._offsets))
        self._keys.append(key)

    def add(self, extension: bytes, offset: int, size: int) -> None:
        """Add a component to the sample."""
        self._offsets.append(offset)
        self._sizes.append(size)
        self._extension_numbers.append(
            self._extensions.setdefault(extension, len(self._extensions))
        )

    def finish(self, *, without_last: bool = False) -> ArchiveIndex:
        """Return the index, `without_last` sample if any; the builder accepts no more samples."""
        self._firsts.append(len(self._offsets))
        keys = self._keys.finish()
        if without_last and len(keys):
            self._firsts.pop()
            keys = StringTable.of(keys.take(np.arange(len(keys) - 1)))
        return self._index(self._firsts, keys)

    def without_open(self) -> ArchiveIndex:
        """Return the index without the last sample; the builder accepts further samples."""
        return self._index(self._firsts, self._keys.so_far())

    def __len__(self) -> int:
        return len(self._firsts)

    def _index(self, firsts: Sequence[int], keys: StringTable) -> ArchiveIndex:
        end = firsts[-1]
        return ArchiveIndex(
            np.array(self._offsets[:end], np.int64),
            np.array(self._sizes[:end], np.int64),
            np.array(self._extension_numbers[:end], np.int32),
            np.array(firsts, np.int64),
            keys,
            StringTable.of(self._extensions),
        )


class FrontIndex:
    """The samples at the front of an archive, for one whose last bytes are still on their way.

    Nothing is cached, and no warning is given: `index_archive` does that for the whole archive, and
    goes on with the walk. After an error, the walk has to begin anew.
    """

    def __init__(self, storage: Storage, dot: str) -> None:
        """Take what `index_archive` takes."""
        self.remarks: list[Remark] = []
        self._members = members(storage, note=self.remarks.append)
        self._walked: list[Member] = []
        self._files = components_of(self._noted(), dot)
        self._builder = IndexBuilder()
        self._last: bytes | None = None

    def first(self, samples: int) -> ArchiveIndex | None:
        """Return so many samples or more; None if the last sample of the archive is among them.

        Raises:
            SourceError: the archive is damaged. OSError: it cannot be read.
        """
        while len(self._builder) <= samples:
            found = next(self._files, None)
            if found is None:
                return None
            key, extension, file = found
            if key != self._last:
                self._builder.start_sample(key)
                self._last = key
            self._builder.add(extension, file.offset, file.size)
        return self._builder.without_open()

    def _noted(self) -> Iterator[Member]:
        for member in self._members:
            self._walked.append(member)
            yield member

    def members(self) -> Iterator[Member]:
        """Yield all files of the archive; the walk goes on behind those that are known."""
        yield from self._walked
        yield from self._members


def index_archive(
    storage: Storage,
    dot: str = "first",
    damages: Damages = STRICT,
    front: FrontIndex | None = None,
) -> ArchiveIndex:
    """Return the index of an archive: from the cache, or by a scan of its headers.

    The cache keeps what the scan warns of, so every use of the archive gives the same warnings.

    Args:
        storage: the archive.
        dot: which dot of a file's name ends the key, "first" or "last".
        damages: takes what is wrong with the archive.
        front: of the archive, if its walk has begun; to be used once.

    Raises:
        SourceError: the archive is damaged. OSError: it cannot be read.
    """

    def build() -> list[Array]:
        walk = front or FrontIndex(storage, dot)
        remarks = walk.remarks
        try:
            index = group(walk.members(), dot, storage.name, remarks)
            arrays = index.to_arrays()
        except DamagedFileError as error:
            error.sound += (np.array(remarks, np.int64).reshape(-1),)
            raise
        return [*arrays, np.array(remarks, np.int64).reshape(-1)]

    def fits(_: int, *arrays: Array) -> bool:
        *of_index, remarks = arrays
        return (
            ArchiveIndex.are_arrays(storage, *of_index)
            and have_dtypes((remarks, np.int64))
            and bool(np.isin(remarks.reshape(-1, len(Remark._fields))[:, 0], [*REMARKS]).all())
            and _is_last(storage, *of_index[:2])
        )

    def read() -> Arrays:
        return cached_index(storage, f"webdataset-{dot}-4", build, fits)

    *arrays, remarks = damages.sound(storage.name, read)
    for remark in remarks.reshape(-1, len(Remark._fields)).tolist():
        tell(storage, Remark(*remark))
    return ArchiveIndex.from_arrays(*arrays)


def _is_last(storage: Storage, offsets: Int64s, sizes: Int64s) -> bool:
    """Return whether the last file of an index is there: it tells of a change if no time does."""
    if storage.path is None or not len(offsets):
        return True
    start = max(0, int(offsets[-1]) - 2 * BLOCK)
    (blocks,) = storage.read(np.array([start]), offsets[-1:] - start, np.empty)
    before, header = blocks[:-BLOCK].tobytes(), blocks[-BLOCK:].tobytes()
    # A PAX header may tell another size than the file's own.
    return header_fits(header, int(sizes[-1])) or b" size=" in before


def group(
    files: Iterable[Member], dot: str, name: str = "", remarks: Sequence[Remark] = ()
) -> ArchiveIndex:
    """Group files into samples.

    Args:
        files: of an archive.
        dot: see `index_archive`.
        name: of the archive, for messages.
        remarks: what the scan has noticed once `files` are through.

    Raises:
        DamagedFileError: the archive is damaged. Unless the damaged file is known to belong to
            another sample, the last one may lack components, and counts as lost.
    """
    builder = IndexBuilder()
    last: bytes | None = None
    before: set[bytes] = set()  # extensions of the sample before
    own: set[bytes] = set()
    end = 0
    try:
        for key, extension, file in components_of(files, dot):
            if key != last:
                builder.start_sample(key)
                last, before, own = key, own, set()
            own.add(extension)
            builder.add(extension, file.offset, file.size)
            end = file.offset + file.size
    except DamagedTarError as error:
        may_lack = not error.member or split_name(error.member, dot)[0] == last
        index = builder.finish(without_last=may_lack)
        sound = index.to_arrays()
        raise DamagedFileError(str(error), error.offset, sound, samples=len(index)) from None
    if last is not None and own < before and any(remark.kind == UNCLOSED for remark in remarks):
        index = builder.finish(without_last=True)
        lacking = b", .".join(sorted(before - own)).decode(errors="replace")
        raise DamagedFileError(
            f"{name}, offset {end}: the archive is cut off: its last sample "
            f"{last.decode(errors='replace')!r} has no .{lacking}, unlike the one before, and no "
            "blocks of zeros close the archive",
            end,
            index.to_arrays(),
            samples=len(index),
        )
    return builder.finish()


def components_of(files: Iterable[Member], dot: str) -> Iterator[tuple[bytes, bytes, Member]]:
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
