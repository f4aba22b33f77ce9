"""A batch of encoded files on its way to the GPU: four values, each made of the one before.

    encoded files
      │ sort_files
    SortedFiles      what the files are, and who decodes them
      │ WholeImages.choose
    ChosenImages     what is decoded of each image; the CPU begins, maybe before there is a lane
      │ WholeImages.place
    PlacedImages     where the pixels go, in the memory of the device
      │ MixedDecoding: plain JPEG, nvImageCodec, the CPU
    DecodedImages    what has become of the images
      │ WholeImages.finish
    results

Nothing changes a value once it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import orientation
from .engines.turbojpeg import SMALLEST_ON_GPU
from .formats import jpeg_batch_headers
from .formats.base import MAX_PIXELS, ImageHeader
from .table import FORMATS, read_decodable_header

if TYPE_CHECKING:
    import cupy

    from ...engine.graph.context import RowsContext
    from ...engine.tensors import TensorListCPU, TensorListGPU
    from ..cache.cache import Hits, Kept, Rows


class Files(NamedTuple):
    """What headers tell about the files of a batch.

    Attributes:
        encoded: the files.
        jpeg: addresses and lengths of the files, and what plain JPEG files have more.
        headers: headers of the files that are not plain JPEG; None for others.
        stored: height and width as stored: (batch, 2).
        turns: EXIF orientations to undo: (batch,).
    """

    encoded: TensorListCPU
    jpeg: jpeg_batch_headers.JpegBatchHeaders
    headers: Sequence[ImageHeader | None]
    stored: NDArray[np.int64]
    turns: NDArray[np.int64]

    def upright(self) -> NDArray[np.int64]:
        """Return height and width after turning: (batch, 2)."""
        if (self.turns == 1).all():
            return self.stored
        return np.where(self.turns[:, np.newaxis] >= 5, self.stored[:, ::-1], self.stored)


class SortedFiles(NamedTuple):
    """Who decodes the files of a batch. Rows whose header is damaged are nobody's.

    Attributes:
        files: the files.
        hits: what the cache has of the batch; None without a cache.
        plain: rows of plain JPEG files.
        others: rows for nvImageCodec.
        on_cpu: rows for the CPU.
    """

    files: Files
    hits: Hits | None
    plain: Rows
    others: Rows
    on_cpu: Rows


@dataclass(frozen=True, eq=False)
class ChosenImages:
    """What is decoded of the images of a batch.

    Attributes:
        by_form: the files, and who decodes them.
        windows: the pixels of the result, in the upright images: (batch, 4).
        shapes: height, width and channels of the whole images, scaled down: (batch, 3).
        is_whole: whether the image is decoded whole: (batch,) bool.
        boxes: the pixels to decode, of the upright images: (batch, 4). They are the windows, or
            whole images.
        kept: the whole images that the cache gets; None if it has all, or there is none.
    """

    by_form: SortedFiles
    windows: NDArray[np.int64]
    shapes: NDArray[np.int64]
    is_whole: NDArray[np.bool_]
    boxes: NDArray[np.int64]
    kept: Kept | None

    @property
    def files(self) -> Files:
        """The files."""
        return self.by_form.files

    @cached_property
    def stored_boxes(self) -> NDArray[np.int64]:
        """The boxes in the stored images: (batch, 4)."""
        stored, turns = self.files.stored, self.files.turns
        turned = np.flatnonzero(turns != 1)
        if not len(turned):
            return self.boxes
        boxes = self.boxes.copy()
        for i in turned.tolist():
            y0, x0, y1, x1 = self.boxes[i].tolist()
            height, width = stored[i].tolist()
            boxes[i] = orientation.to_stored((y0, x0, y1, x1), (height, width), int(turns[i]))
        return boxes


class PlacedImages(NamedTuple):
    """Where the pixels of a batch go.

    Attributes:
        chosen: what is decoded.
        out: the results.
        targets: where the decoded pixels go: (batch,) uint64.
        images: addresses of the whole images, scaled down, of hits and `is_whole`: (batch,).
        of_cache: holds the images of the cache; those to add come first.
        memory: holds whole images that no cache keeps.
    """

    chosen: ChosenImages
    out: TensorListGPU
    targets: NDArray[np.uint64]
    images: NDArray[np.uint64]
    of_cache: Sequence[object]
    memory: Sequence[TensorListGPU]


class DecodedImages(NamedTuple):
    """What has become of the images of a batch.

    Attributes:
        placed: where the pixels are.
        is_whole: whether the image was decoded whole, and not its window alone: (batch,) bool.
        is_sound: whether a cache may keep the image: (batch,) bool.
    """

    placed: PlacedImages
    is_whole: NDArray[np.bool_]
    is_sound: NDArray[np.bool_]


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
    memory: cupy.ndarray


Waiting = list[DecodedPixels]
"""The pixels of a batch that wait for the last step, which empties the list."""


def sort_files(
    encoded: TensorListCPU,
    output: str,
    use_exif: bool,
    find: Callable[[TensorListCPU, NDArray[np.int64]], Hits | None],
    rows: RowsContext,
    *,
    wants_gpu: bool,
) -> SortedFiles:
    """Read the headers of a batch.

    Args:
        encoded: the files.
        output, use_exif: as for `decode`.
        find: returns what a cache has of the files, given their lengths; called before the headers
            of other files than plain JPEG are read.
        rows: get the errors of files whose header cannot be read.
        wants_gpu: whether nvImageCodec decodes files.
    """
    jpeg = jpeg_batch_headers.read_headers(encoded)
    heights, widths = jpeg.sizes.T
    is_plain = jpeg.is_plain & (heights * widths <= MAX_PIXELS)
    if output == "ANY_DATA":  # the result has the channels of the file
        is_plain &= jpeg.sampling < jpeg_batch_headers.GRAY
    is_plain &= (heights >= SMALLEST_ON_GPU) & (widths >= SMALLEST_ON_GPU)
    stored = jpeg.sizes
    turns = jpeg.orientation if use_exif else np.ones_like(jpeg.orientation)
    is_other = ~is_plain
    hits = find(encoded, jpeg.lengths)
    if hits is not None:  # cached images are upright
        is_plain[hits.rows] = is_other[hits.rows] = False
        stored[hits.rows] = hits.shapes[:, :2]
        turns[hits.rows] = 1
    headers: list[ImageHeader | None] = [None] * len(encoded)
    others: list[int] = []
    on_cpu: list[int] = []
    channels = (3,) if output == "ANY_DATA" else (1, 3)
    for i in np.flatnonzero(is_other).tolist():
        row = encoded.row(i)
        try:
            header = headers[i] = read_decodable_header(row)
        except Exception as error:
            rows.fail_row(i, error)
            stored[i] = 1
            continue
        stored[i] = header.height, header.width
        turns[i] = header.orientation if use_exif else 1
        decodes_on_gpu = wants_gpu and FORMATS[header.format].decodes_on_gpu
        if decodes_on_gpu and header.channels in channels and decodes_on_gpu(row, header):
            others.append(i)
        else:
            on_cpu.append(i)
    files = Files(encoded, jpeg, headers, stored, turns)
    plain = is_plain.nonzero()[0]
    return SortedFiles(files, hits, plain, np.array(others, np.intp), np.array(on_cpu, np.intp))
