"""Arrays opened for reading: their files, and their headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...engine.arrays import Bytes, Int64s
from ...engine.errors import DecodeError, SourceError
from ...engine.pending import wait_all
from ...formats.npy import PREFIX, NpyHeader, header_length, parse_header
from ..archives.inflated_member import InflatedMember
from ..storage.claims import check_claim
from ..storage.opening import open_storages
from ..storage.storage import Storage
from ..storage.urls import is_url
from .array_list import ArrayList

FIRST_READ_BYTES = 256
"""Bytes read at first: `numpy.save` writes headers of 128 bytes where they suffice."""

MAX_KNOWN_FILES = 1024
"""Files whose state is remembered: for local files to close them, for URLs to spare a request."""


class StoredMember(NamedTuple):
    """A stored member of a zip archive.

    Attributes:
        number: number of the member's array in the data set.
        offset, size: offset and size of the member's bytes in the archive.
        checksum: CRC-32 that the archive's directory has for the member.
    """

    number: int
    offset: int
    size: int
    checksum: int


class OpenArray(NamedTuple):
    """An array that is open for reading.

    Attributes:
        storage: the file.
        begin: offset of its elements in the file.
        header: header of the array.
        content: header and elements, where these were in memory already.
        member: whose checksum is to be verified once the array has been read.
    """

    storage: Storage
    begin: int
    header: NpyHeader
    content: Bytes | None = None
    member: StoredMember | None = None


@dataclass
class _EncodedArray:
    """An array that is not open yet: which bytes of which file it is.

    Attributes:
        number: number of the array.
        storage: the file.
        offset, size: offset and size of the array's bytes in the file.
        content: these bytes, where they had to be read at once.
        member: what inflates them, if the file is an archive that has them deflated.
        stored_member: see `OpenArray.member`.
    """

    number: int
    storage: Storage
    offset: int
    size: int
    content: Bytes | None = None
    member: InflatedMember | None = None
    stored_member: StoredMember | None = None

    def opened(self, header: NpyHeader) -> OpenArray:
        """Return the array, once its header is known."""
        if self.member is not None:
            return OpenArray(self.member, header.offset, header)
        begin = self.offset + header.offset
        return OpenArray(self.storage, begin, header, self.content, self.stored_member)

    @property
    def length(self) -> int:
        """Bytes of header and elements."""
        return self.size if self.member is None else self.member.size


class ArrayOpener:
    """Opens arrays. Thread-safe; may be pickled at any time."""

    def __init__(self, arrays: ArrayList, options: Mapping[str, object], keep: bool) -> None:
        """Take the arrays, `Reader.storage_options`, and whether headers are remembered."""
        self._arrays = arrays
        self._options = options
        self._keep = keep
        self._stamps = {} if arrays.members is None else dict(arrays.members.stamps)
        self._headers: dict[int, tuple[str, NpyHeader]] = {}
        self._files: dict[int, Storage] = {}

    def headers(self, numbers: Int64s) -> list[NpyHeader]:
        """Return the headers of arrays."""
        return [array.header for array in self.open(numbers, whole=False)]

    def open(self, numbers: Int64s, *, whole: bool) -> list[OpenArray]:
        """Return arrays, all files having been asked together.

        Args:
            numbers: numbers of the arrays, without repetition.
            whole: whether they will be read from their first to their last byte.

        Raises:
            OSError: a file cannot be read.
            DecodeError: what is there is no `.npy` file, or too short for its header.
        """
        encoded = self._encoded_arrays(numbers)
        if whole:
            self._require_checksums(encoded)
        self._fetch_packed(encoded, whole)
        known = [self._known(array) for array in encoded]
        unknown = [p for p, header in zip(encoded, known, strict=True) if header is None]
        read = iter(self._read_headers(unknown))
        headers = [next(read) if header is None else header for header in known]
        return [array.opened(header) for array, header in zip(encoded, headers, strict=True)]

    def close(self) -> None:
        """Close the files; they are opened again when they are needed."""
        while self._files:
            self._files.popitem()[1].close()

    def _encoded_arrays(self, numbers: Int64s) -> list[_EncodedArray]:
        files = self._arrays.files_of(numbers)
        storages = self._storages(files if self._arrays.members is None else np.unique(files))
        arrays = [
            _EncodedArray(number, storages[file], 0, storages[file].size)
            for number, file in zip(numbers.tolist(), files.tolist(), strict=True)
        ]
        members = self._arrays.members
        if members is not None:
            for file, storage in storages.items():
                if self._stamps.get(file, storage.stamp) != storage.stamp:
                    if not self._arrays.is_still_in(file, storage):
                        raise SourceError(
                            f"{storage.name} has changed since it was indexed; make the pipeline "
                            "anew"
                        )
                    self._stamps[file] = storage.stamp  # a time, or an inode, is another one
            table = members.table[numbers]
            sizes = zip(table["offset"].tolist(), table["size"].tolist(), strict=True)
            for array, (offset, size) in zip(arrays, sizes, strict=True):
                if size >= 0:
                    array.storage.check(np.array([offset]), np.array([size]))
                    array.offset, array.size = offset, size
        return arrays

    def _require_checksums(self, encoded: Sequence[_EncodedArray]) -> None:
        members = self._arrays.members
        if members is None:
            return
        for array in encoded:
            entry = members.table[array.number]
            if entry["has_checksum"] and not entry["deflated"]:
                checksum = int(entry["checksum"])
                array.stored_member = StoredMember(array.number, array.offset, array.size, checksum)

    def _storages(self, files: Int64s) -> dict[int, Storage]:
        """Return files by their numbers: local ones in their present state."""
        paths = dict(zip(files.tolist(), self._arrays.paths(files), strict=True))
        storages = {
            file: self._files[file]
            for file, path in paths.items()
            if is_url(path) and file in self._files
        }
        missing = [file for file in paths if file not in storages]
        opened = open_storages([paths[file] for file in missing], self._options)
        for file, storage in zip(missing, opened, strict=True):
            before = self._files.get(file)
            if before is not None and before.stamp != storage.stamp:
                before.close()  # the file was replaced: nobody will read the old one again
            storages[file] = storage
        self._files.update(storages)
        while len(self._files) > MAX_KNOWN_FILES:
            with suppress(StopIteration, RuntimeError, KeyError):  # another thread was quicker
                self._files.pop(next(iter(self._files))).close()
        return storages

    def _fetch_packed(self, encoded: Sequence[_EncodedArray], whole: bool) -> None:
        """Read what has to be in memory: deflated members, and objects that take one request."""
        members = self._arrays.members
        packed = []
        for array in encoded:
            deflated = members is not None and members.table["deflated"][array.number]
            if deflated or (whole and array.storage.identity is None):
                check_claim(self._arrays.where(array.number), array.size)
                array.content = np.empty(array.size, np.uint8)
                packed.append((array.storage, array.offset, array.content))
        wait_all(storage.start_read([at], [content]) for storage, at, content in packed)
        for array in encoded:
            if members is not None and members.table["deflated"][array.number]:
                assert array.content is not None
                entry = members.table[array.number]
                name, size = self._arrays.where(array.number), int(entry["content"])
                array.member = InflatedMember(name, array.content, size, int(entry["checksum"]))
                array.content = None

    def _known(self, array: _EncodedArray) -> NpyHeader | None:
        stamp, header = self._headers.get(array.number, ("", None))
        return header if stamp and stamp == array.storage.stamp else None

    def _read_headers(self, encoded: Sequence[_EncodedArray]) -> list[NpyHeader]:
        beginnings = self._beginnings(encoded, [FIRST_READ_BYTES] * len(encoded))
        lengths = []
        for array, data in zip(encoded, beginnings, strict=True):
            try:
                lengths.append(header_length(data[:PREFIX]))
            except DecodeError as error:
                raise self._named(array, error) from None
        longer = [i for i, length in enumerate(lengths) if length > FIRST_READ_BYTES]
        for i, data in zip(
            longer,
            self._beginnings([encoded[i] for i in longer], [lengths[i] for i in longer]),
            strict=True,
        ):
            beginnings[i] = data
        headers = []
        for array, data, length in zip(encoded, beginnings, lengths, strict=True):
            try:
                header = parse_header(data[:length])
                if array.length - header.offset < header.nbytes:
                    raise header.wrong_size(array.length - header.offset)
            except DecodeError as error:
                raise self._named(array, error) from None
            if self._keep:
                self._headers[array.number] = array.storage.stamp, header
            headers.append(header)
        return headers

    def _beginnings(self, encoded: Sequence[_EncodedArray], lengths: Sequence[int]) -> list[bytes]:
        """Return the first bytes of arrays: as many as asked, or as there are."""
        reads, buffers = [], []
        for array, length in zip(encoded, lengths, strict=True):
            if array.member is not None:
                buffers.append(array.member.beginning(length))
                continue
            if array.content is not None:
                buffers.append(array.content[:length])
                continue
            buffer = np.empty(min(length, array.size), np.uint8)
            buffers.append(buffer)
            if not array.storage.fill_cached(array.offset, buffer):
                reads.append((array.storage, array.offset, buffer))
        wait_all(storage.start_read([at], [buffer]) for storage, at, buffer in reads)
        return [buffer.tobytes() for buffer in buffers]

    def _named(self, array: _EncodedArray, error: DecodeError) -> DecodeError:
        return type(error)(f"{self._arrays.where(array.number)}: {error}")
