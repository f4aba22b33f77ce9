"""Arrays opened for reading: their files, and their headers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...engine.errors import DecodeError, SourceError
from ...engine.npy import PREFIX, NpyHeader, header_length, parse_header
from ..storage.local_reads import read_cached
from ..storage.read_plan import Int64s
from ..storage.storage import Bytes, LocalFile, Storage, open_storages
from ..storage.urls import is_url
from .arrays import Arrays
from .zip_index import inflate

_BEGINNING = 256
"""Bytes read at first: `numpy.save` writes headers of 128 bytes where they suffice."""

_MOST_KEPT = 1024
"""Files whose state is remembered: for local ones to close them, for URLs to spare a request."""


@dataclass(frozen=True)
class Stored:
    """An array that is open for reading.

    Attributes:
        storage: the file.
        begin: offset of its elements in the file.
        header: of the array.
        content: header and elements, where these were in memory already.
    """

    storage: Storage
    begin: int
    header: NpyHeader
    content: Bytes | None = None


@dataclass
class _Place:
    """Where an array lies: which bytes of which file."""

    number: int
    storage: Storage
    offset: int
    size: int
    content: Bytes | None = None


class StoredArrays:
    """Opens arrays. Thread-safe; may be pickled at any time."""

    def __init__(self, arrays: Arrays, options: Mapping[str, Any], keep: bool) -> None:
        """Take the arrays, `Reader.storage_options`, and whether headers are remembered."""
        self._arrays = arrays
        self._options = options
        self._keep = keep
        self._headers: dict[int, tuple[str, NpyHeader]] = {}
        self._files: dict[int, Storage] = {}
        self.beginning = b""
        """The bytes before the elements of the array that was opened last."""

    def headers(self, numbers: Int64s) -> list[NpyHeader]:
        """Return the headers of arrays."""
        return [stored.header for stored in self.open(numbers, whole=False)]

    def open(self, numbers: Int64s, *, whole: bool) -> list[Stored]:
        """Return arrays, all files having been asked together.

        Args:
            numbers: of the arrays, without repetition.
            whole: whether they will be read from their first to their last byte.

        Raises:
            OSError: a file cannot be read.
            DecodeError: what is there is no `.npy` file, or too short for its header.
        """
        places = self._places(numbers)
        self._fetch_packed(places, whole)
        known = [self._known(place) for place in places]
        unknown = [p for p, header in zip(places, known, strict=True) if header is None]
        read = iter(self._read_headers(unknown))
        headers = [next(read) if header is None else header for header in known]
        return [
            Stored(place.storage, place.offset + header.offset, header, place.content)
            for place, header in zip(places, headers, strict=True)
        ]

    def close(self) -> None:
        """Close the files; they are opened again when they are needed."""
        while self._files:
            self._files.popitem()[1].close()

    def _places(self, numbers: Int64s) -> list[_Place]:
        files = self._arrays.files_of(numbers)
        storages = self._storages(np.unique(files))
        found = [
            _Place(number, storages[file], 0, storages[file].size)
            for number, file in zip(numbers.tolist(), files.tolist(), strict=True)
        ]
        members = self._arrays.members
        if members is not None:
            for file, storage in storages.items():
                if members.stamps.get(file, storage.stamp) != storage.stamp:
                    raise SourceError(
                        f"{storage.name} has changed since it was indexed; make the pipeline anew"
                    )
            table = members.table[numbers]
            sizes = zip(table["offset"].tolist(), table["size"].tolist(), strict=True)
            for place, (offset, size) in zip(found, sizes, strict=True):
                if size >= 0:
                    place.storage.check(np.array([offset]), np.array([size]))
                    place.offset, place.size = offset, size
        return found

    def _storages(self, files: Int64s) -> dict[int, Storage]:
        """Return files by their numbers: local ones in their present state."""
        paths = dict(zip(files.tolist(), self._arrays.paths(files), strict=True))
        found = {
            file: self._files[file]
            for file, path in paths.items()
            if is_url(path) and file in self._files
        }
        missing = [file for file in paths if file not in found]
        opened = open_storages([paths[file] for file in missing], self._options)
        found.update(zip(missing, opened, strict=True))
        self._files.update(found)
        while len(self._files) > _MOST_KEPT:
            self._files.pop(next(iter(self._files)), None)
        return found

    def _fetch_packed(self, places: Sequence[_Place], whole: bool) -> None:
        """Read what has to be in memory: deflated members, and objects that take one request."""
        members = self._arrays.members
        waits = []
        for place in places:
            deflated = members is not None and members.table["deflated"][place.number]
            if deflated or (whole and not isinstance(place.storage, LocalFile)):
                place.content = np.empty(place.size, np.uint8)
                waits.append(place.storage.begin([place.offset], [place.content]))
        for wait in waits:
            wait()
        for place in places:
            if members is not None and members.table["deflated"][place.number]:
                assert place.content is not None
                entry = members.table[place.number]
                try:
                    place.content = inflate(
                        place.content, int(entry["content"]), int(entry["checksum"])
                    )
                except DecodeError as error:
                    raise self._named(place, error) from None

    def _known(self, place: _Place) -> NpyHeader | None:
        stamp, header = self._headers.get(place.number, ("", None))
        return header if stamp and stamp == place.storage.stamp else None

    def _read_headers(self, places: Sequence[_Place]) -> list[NpyHeader]:
        beginnings = self._beginnings(places, [_BEGINNING] * len(places))
        lengths = []
        for place, data in zip(places, beginnings, strict=True):
            try:
                lengths.append(header_length(data[:PREFIX]))
            except DecodeError as error:
                raise self._named(place, error) from None
        longer = [i for i, length in enumerate(lengths) if length > _BEGINNING]
        for i, data in zip(
            longer,
            self._beginnings([places[i] for i in longer], [lengths[i] for i in longer]),
            strict=True,
        ):
            beginnings[i] = data
        found = []
        for place, data, length in zip(places, beginnings, lengths, strict=True):
            try:
                header = parse_header(data[:length])
                size = place.size if place.content is None else place.content.size
                if size - header.offset < header.nbytes:
                    raise header.wrong_size(size - header.offset)
            except DecodeError as error:
                raise self._named(place, error) from None
            self.beginning = data[:length]
            if self._keep:
                self._headers[place.number] = place.storage.stamp, header
            found.append(header)
        return found

    def _beginnings(self, places: Sequence[_Place], lengths: Sequence[int]) -> list[bytes]:
        """Return the first bytes of arrays: as many as asked, or as there are."""
        waits: list[Callable[[], None]] = []
        buffers = []
        for place, length in zip(places, lengths, strict=True):
            if place.content is not None:
                buffers.append(place.content[:length])
                continue
            buffer = np.empty(min(length, place.size), np.uint8)
            buffers.append(buffer)
            storage, offset = place.storage, place.offset
            if not isinstance(storage, LocalFile):
                waits.append(storage.begin([offset], [buffer]))
                continue
            opened = storage.opened()
            if not read_cached(opened.number, buffer, offset):
                waits.append(partial(storage.wait_for, opened, offset, buffer))
        for wait in waits:
            wait()
        return [buffer.tobytes() for buffer in buffers]

    def _named(self, place: _Place, error: DecodeError) -> DecodeError:
        return DecodeError(f"{self._arrays.where(place.number)}: {error}")
