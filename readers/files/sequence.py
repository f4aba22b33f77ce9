"""Sequences of frames that are stored as image files: `fn.readers.sequence`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SourceError
from ...engine.graph.nodes import add_node
from ...engine.graph.operator import OPERATORS, Array, register
from ...engine.graph.params import IMAGE_TYPE, INT, REQUIRED, STR, param
from ...engine.tensors.dtypes import RGB
from ..listing.listing import KNOWN_EXTENSIONS, FileList, list_files
from ..reader import Reader
from ..source import Allocate, Column, checked_indices
from ..storage.read_plan import Int64s
from ..storage.strings import StringTable
from .source import FileSource

_AUDIO = ("*.flac", "*.ogg", "*.wav")
_IMAGES = tuple(pattern for pattern in KNOWN_EXTENSIONS if pattern not in _AUDIO)


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
    root: str, length: int, step: int, stride: int, options: Mapping[str, Any] | None = None
) -> SequenceSource:
    """Open the sequences below `root`; the arguments are those of `fn.readers.sequence`.

    `options` are the reader's `storage_options`.

    Raises:
        SourceError: a folder cannot be read, or there is no sequence of that length.
    """
    listed = list_files(file_root=root, file_filters=_IMAGES, storage_options=options)
    names = sorted(name for name in listed.names if b"/." not in b"/" + name)
    frames = FileList(listed.root, StringTable.of(names), np.zeros(len(names), np.int32))
    firsts = np.fromiter(_firsts(names, 1 + (length - 1) * stride, step), np.int64)
    if not len(firsts):
        raise SourceError(
            f"{root}: no folder in it holds a sequence of {length} frames with stride {stride}; "
            f"there are {len(names)} images in all"
        )
    return SequenceSource(FileSource(frames, options), firsts, length, stride)


def _firsts(names: list[bytes], reach: int, step: int) -> Iterator[int]:
    """Yield the first frame of each sequence, which takes `reach` files of a folder."""
    start = 0
    for _, members in groupby(names, lambda name: name.rpartition(b"/")[0]):
        end = start + sum(1 for _ in members)
        yield from range(start, end - reach + 1, step)
        start = end


@register
class SequenceReader(Reader):
    """Reads sequences of frames from folders of images, one folder a stream.

    The frames of a folder are its images in the order of their names. Sequences do not cross
    folders. Incomplete sequences are left out. Names that begin with a dot are left out.

    Outputs:
        the decoded frames: uint8, FHWC.

    Raises:
        SourceError: a folder cannot be read, or no folder holds a sequence.
        OSError: a file cannot be read. DecodeError: a frame is damaged, or of another size
            than the first one (see `on_error` of the pipeline).
    """

    name = "readers.sequence"
    aliases = ("sequence_reader",)

    file_root = param(STR, REQUIRED, "Folder that holds a folder of images for each stream.")
    sequence_length = param(INT, REQUIRED, "Number of frames of a sequence.")
    step = param(
        INT,
        1,
        "Distance, in frames, from the first frame of a sequence to the first frame of the next "
        "sequence.",
    )
    stride = param(INT, 1, "Distance, in frames of the folder, between two frames of a sequence.")
    image_type = param(IMAGE_TYPE, RGB, "Color space of the output, as for `decoders.image`.")

    def prepare(self) -> None:
        super().prepare()
        for argument in ("sequence_length", "step", "stride"):
            if getattr(self, argument) < 1:
                self.refuse(f"{argument} must be at least 1, but is {getattr(self, argument)}")

    def num_outputs(self) -> int:
        return int(self.sequence_length)

    def wrap(self, outputs: tuple[Any, ...]) -> Any:
        operator_class = OPERATORS["_decode_sequence"]
        return add_node(operator_class, outputs, {"image_type": self.image_type})[0]

    def open_source(self) -> SequenceSource:
        return open_sequences(
            self.file_root, self.sequence_length, self.step, self.stride, self.storage_options
        )

    def placeholder(self) -> tuple[Array, ...]:
        return (np.empty(0, np.uint8),) * self.num_outputs()
