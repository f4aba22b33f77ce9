"""A batch of encoded files on its way to the GPU: where its headers, boxes and results are."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import orientation
from .engines.turbojpeg import SMALLEST_ON_GPU
from .formats import jpeg_batch_headers
from .formats.base import MAX_PIXELS, ImageHeader

if TYPE_CHECKING:
    from ...engine.tensors import TensorListCPU, TensorListGPU
    from ..cache.cache import Hits, Kept


class DecodedPixels(NamedTuple):
    """Pixels that wait for the last step of decoding: see `Finish`.

    Attributes:
        rows: rows of the batch: (rows,).
        source: addresses of each row's pixels in the box, as stored: (rows,) uint64.
        strides: pixels from a line of the source to the next one: (rows,).
        memory: holds the pixels.
    """

    rows: NDArray[np.intp]
    source: NDArray[np.uint64]
    strides: NDArray[np.int64]
    memory: Any


class MixedBatch:
    """One batch on its way through the decoders, one entry a row.

    Args:
        encoded: the files.
        use_exif: whether EXIF orientations are undone.
        gray_is_plain: whether plain JPEG of one component counts as plain.

    Attributes:
        encoded: the files.
        files: addresses and lengths of the files.
        headers: headers of the files that are not plain JPEG; None for plain ones.
        is_plain: whether the file is plain JPEG: (batch,) bool.
        stored: height and width as stored: (batch, 2).
        turns: EXIF orientations to undo: (batch,).
        windows: the pixels of the result, in the upright images: (batch, 4).
        boxes: the pixels to decode, of the upright images: (batch, 4). They are the windows, or
            whole images.
        hits: what the cache has of the batch; None without a cache.
        kept: what the batch adds to the cache; None if it has nothing for it.
        cached_memory: holds the images of the cache.
        is_hit: whether the cache has the image: (batch,) bool.
        is_whole: whether the image is decoded whole: (batch,) bool.
        is_kept: whether the whole image goes to the cache: (batch,) bool.
        shapes: height, width and channels of the whole images, scaled down: (batch, 3).
        images: addresses of the whole images, scaled down, of hits and `is_whole`: (batch,).
        targets: where the decoded pixels go: (batch,) uint64.
        decoded: pixels on their way to the targets.
        memory: of whole images that no cache keeps.
        out: the result.
    """

    def __init__(self, encoded: TensorListCPU, use_exif: bool, *, gray_is_plain: bool) -> None:
        self.encoded = encoded
        self.files = files = jpeg_batch_headers.read_headers(encoded)
        heights, widths = files.sizes.T
        self.is_plain = files.is_plain & (heights * widths <= MAX_PIXELS)
        self.is_plain &= gray_is_plain | (files.sampling != jpeg_batch_headers.GRAY)
        self.is_plain &= (heights >= SMALLEST_ON_GPU) & (widths >= SMALLEST_ON_GPU)
        self.stored = files.sizes
        self.turns = files.orientation if use_exif else np.ones_like(files.orientation)
        self.headers: list[ImageHeader | None] = [None] * len(encoded)
        self.hits: Hits | None = None
        self.kept: Kept | None = None
        self.cached_memory: list[Any] = []
        self.is_hit = np.zeros(len(encoded), np.bool_)
        self.is_whole = np.zeros(len(encoded), np.bool_)
        self.is_kept = np.zeros(len(encoded), np.bool_)
        self.shapes: NDArray[np.int64]
        self.images = np.zeros(len(encoded), np.uint64)
        self.memory: list[TensorListGPU] = []
        self.windows: NDArray[np.int64]
        self.boxes: NDArray[np.int64]
        self.targets: NDArray[np.uint64]
        self.decoded: list[DecodedPixels] = []
        self.out: TensorListGPU

    def take_hits(self, hits: Hits) -> None:
        """Take what a cache has, before other headers are read. Cached images are upright."""
        self.hits = hits
        self.is_hit[hits.rows] = True
        self.is_plain[hits.rows] = False
        self.stored[hits.rows] = hits.shapes[:, :2]
        self.turns[hits.rows] = 1

    def upright(self) -> NDArray[np.int64]:
        """Return height and width after turning: (batch, 2)."""
        if (self.turns == 1).all():
            return self.stored
        return np.where(self.turns[:, np.newaxis] >= 5, self.stored[:, ::-1], self.stored)

    @cached_property
    def stored_boxes(self) -> NDArray[np.int64]:
        """The boxes in the stored images: (batch, 4)."""
        turned = np.flatnonzero(self.turns != 1)
        if not len(turned):
            return self.boxes
        boxes = self.boxes.copy()
        for i in turned.tolist():
            y0, x0, y1, x1 = self.boxes[i].tolist()
            height, width = self.stored[i].tolist()
            boxes[i] = orientation.to_stored((y0, x0, y1, x1), (height, width), int(self.turns[i]))
        return boxes
