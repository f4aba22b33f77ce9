"""Images in FITS files: the storage of `fn.experimental.readers.fits`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Bytes
from ...engine.errors import DecodeError
from ...engine.pending import Pending, Then, wait_all
from ...formats.fits.hdus import find_images
from ...formats.fits.image import FitsImage
from ..listing.listing import FileList
from ..source import Allocate, Column, checked_indices
from ..storage.opening import open_storages
from ..storage.storage import Storage
from ..storage.urls import shown
from .tile_process import TileDecoder


@dataclass(frozen=True)
class _ReadImage:
    """An image, the memory for its numbers, and the bytes that have to be converted to them.

    Attributes:
        image: the image.
        numbers: memory of the batch.
        stored: bytes as they are stored; None where `numbers` holds them.
    """

    image: FitsImage
    numbers: Array
    stored: Bytes | None

    @property
    def buffer(self) -> Bytes:
        """Memory for the bytes that are read."""
        return _bytes_of(self.numbers) if self.stored is None else self.stored

    def finish(self, decoder: TileDecoder) -> None:
        """Make the numbers, once the bytes have been read."""
        image = self.image
        if self.stored is None:
            image.complete(self.numbers)
        elif image.compressed:
            image.convert(decoder.decode(image, self.stored), self.numbers)
        else:
            image.convert(self.stored.view(image.stored), self.numbers)


class FitsSource:
    """FITS files; a sample has the images of some HDUs of a file.

    No file stays open between two calls of `read`. A process decodes compressed images.
    """

    def __init__(
        self, files: FileList, hdus: Sequence[int], options: Mapping[str, object] | None = None
    ) -> None:
        """Take the files, the numbers of the HDUs from 1 on, and `Reader.storage_options`."""
        self._files = files
        self._hdus = tuple(hdus)
        self._options = options or {}
        self._decoder = TileDecoder()

    def __len__(self) -> int:
        return len(self._files)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return a column for each HDU: an array (samples, *shape), or one a sample if they differ.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read. SourceError if it became shorter.
            DecodeError: a file is no FITS file, is cut off, or an HDU holds no image.
            MissingDependencyError: an image is compressed, and Astropy is not installed.
        """
        paths = self._files.paths(checked_indices(indices, len(self)))
        storages = open_storages([*map(os.fsdecode, paths)], self._options)
        try:
            images = _find_all(storages, self._hdus)
            columns = [_column(of_hdu, allocate) for of_hdu in zip(*images, strict=True)]
            if not columns:
                return tuple([] for _ in self._hdus)
            self._read_all(storages, images, [*zip(*columns, strict=True)], allocate)
            return tuple(columns)
        finally:
            for storage in storages:
                storage.close()

    def _read_all(
        self,
        storages: Sequence[Storage],
        images: Sequence[Sequence[FitsImage]],
        rows: Sequence[Sequence[Array]],
        allocate: Allocate,
    ) -> None:
        """Fill the rows of all files."""

        def start(
            storage: Storage, images: Sequence[FitsImage], numbers: Sequence[Array]
        ) -> Pending[None]:
            work = [_begun(*both, allocate) for both in zip(images, numbers, strict=True)]
            parts = [image for image in work if image.buffer.size]
            offsets = [part.image.offset for part in parts]
            read = storage.start_read(offsets, [part.buffer for part in parts])
            return Then(read, lambda _: self._finish(storage, parts))

        wait_all(start(*file) for file in zip(storages, images, rows, strict=True))

    def _finish(self, storage: Storage, parts: Sequence[_ReadImage]) -> None:
        """Make the numbers of images whose bytes were read."""
        for part in parts:
            try:
                part.finish(self._decoder)
            except DecodeError as error:
                raise _named(storage, error) from None

    def where(self, index: int) -> str:
        """Return the file's absolute path, or its URL without secrets."""
        (path,) = self._files.paths(checked_indices(np.array([index]), len(self)))
        return shown(path)

    def close(self) -> None:
        """End the process that decodes, if there is one."""
        self._decoder.close()


def _find_all(storages: Sequence[Storage], hdus: Sequence[int]) -> list[list[FitsImage]]:
    """Return the images of each file; the headers of all files are asked for together."""
    images: list[list[FitsImage]] = [[] for _ in storages]
    walks = {i: find_images(storage.size, hdus) for i, storage in enumerate(storages)}
    answers: dict[int, bytes | None] = dict.fromkeys(walks)
    while walks:
        reads: dict[int, tuple[int, Bytes]] = {}
        for i, walk in list(walks.items()):
            try:
                answer = answers[i]
                offset, length = next(walk) if answer is None else walk.send(answer)
            except StopIteration as end:
                images[i] = end.value
                del walks[i]
            except DecodeError as error:
                raise _named(storages[i], error) from None
            else:
                reads[i] = offset, np.empty(length, np.uint8)
        wait_all(storages[i].start_read([at], [buffer]) for i, (at, buffer) in reads.items())
        answers |= {i: buffer.tobytes() for i, (_, buffer) in reads.items()}
    return images


def _column(images: Sequence[FitsImage], allocate: Allocate) -> Column:
    """Return memory for the numbers of images."""
    first = images[0]
    if all((image.shape, image.dtype) == (first.shape, first.dtype) for image in images):
        return allocate((len(images), *first.shape), first.dtype)
    return [allocate(image.shape, image.dtype) for image in images]


def _begun(image: FitsImage, numbers: Array, allocate: Allocate) -> _ReadImage:
    if image.in_place and not image.compressed:
        return _ReadImage(image, numbers, None)
    return _ReadImage(image, numbers, allocate((image.size,), np.uint8))


def _bytes_of(numbers: Array) -> Bytes:
    return numbers.reshape(-1).view(np.uint8)


def _named(storage: Storage, error: DecodeError) -> DecodeError:
    return DecodeError(f"{storage.name}: {error}")
