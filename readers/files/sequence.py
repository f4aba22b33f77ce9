"""Sequences of frames that are stored as image files; `fn.readers.sequence` decodes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import SourceError
from ..listing.listing import IMAGE_PATTERNS, FileList, list_files
from ..source import Allocate, Column, checked_indices
from ..storage.strings import StringTable
from .source import FileSource

_NUMBERS = re.compile(rb"([0-9]+)")


class SequenceSource:
    """Frames at equal distances in folders; a sample has one encoded image for each frame."""

    def __init__(self, frames: FileSource, firsts: Int64s, length: int, stride: int) -> None:
        """Set all frames, each sequence's first frame, and the sequences' length and stride."""
        self._files = frames
        self._firsts = firsts
        self._steps = np.arange(length, dtype=np.int64) * stride

    def __len__(self) -> int:
        return len(self._firsts)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return one column for each frame: the bytes of the files, uint8 (size,) each.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read.
        """
        firsts = self._firsts[checked_indices(indices, len(self))]
        wanted = firsts[:, np.newaxis] + self._steps
        contents, _ = self._files.read(wanted.reshape(-1), allocate)
        length = len(self._steps)
        return tuple(contents[frame::length] for frame in range(length))

    def where(self, index: int) -> str:
        """Return the path of the sequence's first frame."""
        (first,) = self._firsts[checked_indices(np.array([index]), len(self))].tolist()
        return self._files.where(first)

    def close(self) -> None:
        """Do nothing: no file stays open between two reads."""


def open_sequences(
    root: str, length: int, step: int, stride: int, options: Mapping[str, object] | None = None
) -> SequenceSource:
    """Open the sequences below `root`; the arguments are those of `fn.readers.sequence`.

    `options` are the reader's `storage_options`.

    Raises:
        SourceError: a folder cannot be read, or there is no sequence of that length.
    """
    listed = list_files(file_root=root, file_filters=IMAGE_PATTERNS, storage_options=options)
    names = sorted(listed.names, key=_in_folder)
    frames = FileList(listed.root, StringTable.of(names), np.zeros(len(names), np.int32))
    firsts = np.fromiter(_firsts(names, 1 + (length - 1) * stride, step), np.int64)
    if not len(firsts):
        raise SourceError(
            f"{root}: no folder in it holds a sequence of {length} frames with stride {stride}; "
            f"there are {len(names)} images in all"
        )
    return SequenceSource(FileSource(frames, options), firsts, length, stride)


def _in_folder(name: bytes) -> tuple[bytes, list[bytes | int], bytes]:
    """Return the key of a path's order: its folder, and its name, in which numbers are numbers.

    >>> sorted([b"a/f10.png", b"a/f9.png", b"a/f09.png"], key=_in_folder)
    [b'a/f09.png', b'a/f9.png', b'a/f10.png']
    """
    folder, slash, file = name.rpartition(b"/")
    parts = _NUMBERS.split(file)  # text and digits by turns
    return folder + slash, [int(part) if i % 2 else part for i, part in enumerate(parts)], file


def _firsts(names: list[bytes], reach: int, step: int) -> Iterator[int]:
    """Yield the first frame of each sequence, which takes `reach` files of a folder."""
    start = 0
    for _, members in groupby(names, lambda name: name.rpartition(b"/")[0]):
        end = start + sum(1 for _ in members)
        yield from range(start, end - reach + 1, step)
        start = end
