"""Panoptic segmentations: PNG files whose colors are the ids of segments.

Format: https://cocodataset.org/#format-data, "Panoptic Segmentation".
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import DecodeError
from ..files.source import FileSource
from ..listing.listing import list_files
from ..source import Allocate, Column
from ..storage.read_team import READ_TEAM
from .samples import MOST_PIXELS

DECODING_THREADS = 4
"""Threads that decode the files of a batch."""


_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_END = b"IEND\xaeB`\x82"  # the last chunk's name and checksum
_SIZE = slice(16, 24)  # width and height, big-endian


class PanopticColumn:
    """Ids of segments, a number a pixel."""

    def __init__(self, names: list[str], root: str, options: Mapping[str, object]) -> None:
        """Take the names of the PNG files, their folder, and `Reader.storage_options`."""
        self._files = FileSource(list_files(files=names, file_root=root), options)

    def take(self, indices: Int64s, allocate: Allocate) -> Column:
        """Return int32, (height, width, 1), for each sample.

        Raises:
            OSError: a file cannot be read.
            DecodeError: a file is no complete PNG file of colors.
        """
        files = self._files.read(indices, np.empty)[0]
        names = [self._files.where(int(index)) for index in indices]
        sizes = [_size(files[row], names[row]) for row in range(len(indices))]
        results = [allocate((*size, 1), np.int32) for size in sizes]

        def decode(row: int) -> None:
            _decode(files[row], names[row], results[row])

        READ_TEAM.run_jobs(decode, range(len(indices)), DECODING_THREADS)
        return results


def _size(content: NDArray[np.uint8], name: str) -> tuple[int, int]:
    """Return height and width; raise unless the file is a complete PNG file."""
    head, end = content[: _SIZE.stop].tobytes(), content[-len(_END) :].tobytes()
    if not head.startswith(_SIGNATURE) or end != _END:
        raise DecodeError(f"{name}: the file is no PNG file, or is cut off")
    width, height = np.frombuffer(head[_SIZE], ">u4").tolist()
    if not 0 < width * height <= MOST_PIXELS:
        raise DecodeError(f"{name}: the size {height} x {width} is not 1 to {MOST_PIXELS} pixels")
    return height, width


def _decode(content: NDArray[np.uint8], name: str, out: NDArray[np.int32]) -> None:
    try:
        colors = cv2.imdecode(content, cv2.IMREAD_UNCHANGED)
    except cv2.error:
        colors = None
    if colors is None or colors.shape != (*out.shape[:2], 3) or colors.dtype != np.uint8:
        raise DecodeError(f"{name}: the file is damaged, or its pixels are not RGB of 8 bits")
    wide = np.zeros((*colors.shape[:2], 4), np.uint8)
    wide[..., :3] = colors[..., ::-1]  # OpenCV's order is BGR
    out[...] = wide.view("<i4")
