"""Whole decoded images out of a cache, for the operators that decode images on a CPU or a GPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.errors import DecodeError, PipelineStopped
from ...engine.graph.operator import Array, Operator
from ...engine.tensors.results import Empty
from ..cache.cache import Hits, Kept, Rows
from ..cache.keys import Keys
from ..cache.places import CacheUser, Place
from ..cache.shared_cache import LARGEST, SharedCache
from .color import channels_of
from .formats.base import ImageHeader
from .shrink import shrunk_sizes
from .table import is_lasting, read_decodable_header

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext
    from ...engine.tensors import TensorListCPU
    from ..on_cpu import CpuFallback

_DECODING_LIBRARIES = (
    "opencv-python-headless",
    "opencv-python",
    "simplejpeg",
    "imagecodecs",
    "pillow",
    "pillow-heif",
    "tifffile",
)
"""Distributions whose releases may differ in the pixels that they decode."""

_PIXELS = "2"
"""A revision of Penstock's own part: it grows when a file is decoded to other pixels."""

_GPU_LIBRARIES = (*_DECODING_LIBRARIES, "nvidia-nvimgcodec-cu12", "nvidia-nvimgcodec-cu13")
"""The same, where the GPU decodes."""

Decode = Callable[..., Array]
"""`decode(encoded, empty, report_blemish)` returns the whole image, in memory of `empty`."""


def place_of(decoder: Operator, kind: str, mebibytes: int, folder: str) -> Place:
    """Return the place of the cache that a decoder asks for.

    Raises:
        ArgumentError: the arguments contradict one another.
    """
    if kind == "gpu" and decoder.device != "mixed":
        decoder.refuse(
            f"cache='gpu' keeps images in the GPU's memory, but device is {decoder.device!r}; "
            "decode with device='mixed', or pass cache='ram'"
        )
    if not mebibytes:
        decoder.refuse(f"cache={kind!r} needs cache_size: the most MiB that the cache may take")
    if kind == "gpu" and folder:
        decoder.refuse("cache_folder is for cache='disk', but the cache is in the GPU's memory")
    if bool(folder) != (kind == "disk"):
        decoder.refuse(
            "cache='disk' needs cache_folder, and cache='ram' has none, but cache is "
            f"{kind!r} and cache_folder is {folder!r}"
        )
    return Place(kind, mebibytes, folder and os.path.realpath(folder))


class ImageCache(CacheUser):
    """The cache of one decoder. Threads may use it together.

    The key of an image is a cryptographic hash of its encoded bytes and of all that decides the
    pixels. So a file that has changed is another image, wherever the bytes come from.

    Args:
        place: where the cache lies.
        output, dtype, use_exif, report_blemish: as for `decode.decode`.
        shorter: pixels that the shorter side has at most; 0 for no limit.
        threshold: images of fewer bytes are not stored.
        on_gpu: whether the GPU decodes.
        also: what else decides the pixels. On the CPU, `fit` as for `decode.decode_to_fit`; on the
            GPU, the part of the files for the hardware engine, whose pixels differ from those of
            CUDA cores.

    Attributes:
        dtype: of the images.
    """

    def __init__(
        self,
        place: Place,
        output: str,
        dtype: DType,
        use_exif: bool,
        shorter: int,
        threshold: int,
        report_blemish: Callable[[str], None],
        *,
        on_gpu: bool,
        also: object,
    ) -> None:
        super().__init__(place)
        self.dtype = dtype
        self._output = output
        self._use_exif = use_exif
        self._shorter = shorter
        self._least = max(1, threshold)
        self._report_blemish = report_blemish
        told = output, dtype.str, use_exif, also, shorter, libraries(gpu=on_gpu)
        self._keys = Keys("mixed", *told) if on_gpu else Keys(*told)

    # On the CPU

    def image(self, encoded: Array, empty: Empty, decode: Decode) -> Array | None:
        """Return a whole image, from the cache or decoded and stored.

        Args:
            encoded: the encoded file.
            empty: allocates memory for the image; it may be called twice.
            decode: decodes the image.

        Returns:
            The image, in memory of `empty`; None if the cache does not help.
        """
        if encoded.ndim != 1 or encoded.dtype != np.uint8 or not encoded.flags.c_contiguous:
            return None
        cache = self.cache or self.open()
        assert isinstance(cache, SharedCache)
        key = self._keys.of_file(encoded)
        found = cache.find(key, self.dtype, empty)
        if found is not None:
            self.count(hits=1)
            return found
        header = read_decodable_header(encoded)
        if not self._wants(header, cache):
            return None
        blemishes: list[str] = []
        try:
            image = decode(encoded, empty=empty, report_blemish=blemishes.append)
        except DecodeError:  # the region that is asked for may be intact
            return None
        if blemishes:  # each decode of the file counts
            self._report_blemish(blemishes[0])
        elif cache.store(key, image):
            self.count(stores=1)
        return image

    def _wants(self, header: ImageHeader, cache: SharedCache) -> bool:
        sizes = np.array([header.size(use_exif=self._use_exif)])
        size = shrunk_sizes(sizes, self._shorter)[0].tolist()
        nbytes = prod(size) * channels_of(header.space_of(self._output)) * self.dtype.itemsize
        return is_lasting(header) and nbytes >= self._least and cache.has_room(nbytes)

    # On a GPU

    def find(
        self,
        batch: BatchContext,
        encoded: TensorListCPU,
        lengths: NDArray[np.int64],
        threads: CpuFallback,
    ) -> Hits:
        """Return what the cache has of a batch.

        Args:
            batch: gives host memory.
            encoded: the files.
            lengths: lengths of the files in bytes; 0 for rows that are no files: (batch,).
            threads: that copy.

        Raises:
            PipelineStopped: the pipeline is closed.
        """
        if (cache := self.cache) is None:
            raise PipelineStopped("the pipeline was closed")
        hits = cache.find_rows(self._keys.of_batch(encoded, lengths), self.dtype, batch, threads)
        hits.is_new[lengths == 0] = False
        self.count(hits=len(hits.rows))
        return hits

    def keep(self, hits: Hits, rows: Rows, shapes: NDArray[np.int64]) -> Kept:
        """Choose the images to add; shapes: (rows, 3)."""
        if len(rows):
            sizes = shapes.prod(axis=1) * self.dtype.itemsize
            fits = (sizes <= hits.cache.room) & (sizes < LARGEST) & (sizes >= self._least)
            fits &= hits.is_new[rows]
            rows, shapes = rows[fits], shapes[fits]
        return hits.cache.claim(hits, rows, shapes, self.dtype)


@cache
def libraries(*, gpu: bool) -> tuple[tuple[str, str], ...]:
    """Return the revision of the pixels, and the releases of the libraries that are installed."""
    releases = [("pixels", _PIXELS)]
    for name in _GPU_LIBRARIES if gpu else _DECODING_LIBRARIES:
        try:
            releases.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(releases)
