"""Whole decoded images out of a cache, for the operators that decode images."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import prod
from threading import Lock
from typing import Any, NoReturn, Protocol

import numpy as np

from ...engine.errors import DecodeError
from ...engine.graph.operator import Array
from ...engine.tensors.dtypes import to_numpy_type
from ...engine.tensors.results import Empty
from ..cache.keys import Keys
from ..cache.places import Place, close_cache, open_cache
from ..cache.shared_cache import SharedCache
from .color import channels_of
from .formats.base import ImageHeader
from .shrink import shrunk_sizes
from .table import is_lasting, read_decodable_header

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


class CachingDecoder(Protocol):
    """The attributes of an image decoder that a cache depends on: see `ImageDecoder`."""

    device: str
    is_windowed: bool
    cache: Any
    cache_size: Any
    cache_folder: Any
    cache_threshold: Any
    shrink_shorter: Any
    output_type: Any
    dtype: Any
    adjust_orientation: Any

    def refuse(self, problem: str) -> NoReturn:
        """Raise ArgumentError."""


def image_cache(
    decoder: CachingDecoder,
    fit: tuple[int, int] | None,
    report_blemish: Callable[[str], None],
) -> ImageCache:
    """Return the cache that a decoder on the CPU asks for; it opens when it is used.

    Raises:
        ArgumentError: the arguments contradict one another.
    """
    if decoder.cache == "gpu":
        decoder.refuse(
            f"cache='gpu' keeps images in the GPU's memory, but device is {decoder.device!r}; "
            "decode with device='mixed', or pass cache='ram'"
        )
    if fit is not None and decoder.is_windowed:
        decoder.refuse(
            "with fit, the size of a decoded image depends on its window, so there is no whole "
            "image to cache; leave out fit or cache"
        )
    return ImageCache(
        place_of(decoder),
        decoder.output_type.name,
        to_numpy_type(decoder.dtype),
        decoder.adjust_orientation,
        fit,
        decoder.shrink_shorter,
        decoder.cache_threshold,
        report_blemish,
    )


def place_of(decoder: CachingDecoder) -> Place:
    """Return the place of a decoder's cache, which is not "gpu".

    Raises:
        ArgumentError: the arguments contradict one another.
    """
    kind, folder = decoder.cache, decoder.cache_folder
    check_size(decoder)
    if bool(folder) != (kind == "disk"):
        decoder.refuse(
            "cache='disk' needs cache_folder, and cache='ram' has none, but cache is "
            f"{kind!r} and cache_folder is {folder!r}"
        )
    return Place(kind, decoder.cache_size, folder and os.path.realpath(folder))


def check_size(decoder: CachingDecoder) -> None:
    """Raise ArgumentError for a cache without a size."""
    if not decoder.cache_size:
        decoder.refuse(
            f"cache={decoder.cache!r} needs cache_size: the most MiB that the cache may take"
        )


class Tally:
    """Counts what comes from a cache, and what is stored there. Threads may use it together.

    Attributes:
        damaged: images that were damaged, and dropped.
    """

    def __init__(self) -> None:
        self.damaged = 0
        self._hits = self._stores = 0
        self._lock = Lock()

    def add(self, *, hits: int = 0, stores: int = 0) -> None:
        """Count images that came from the cache, and images that were stored."""
        with self._lock:
            self._hits += hits
            self._stores += stores

    def event_counts(self) -> dict[str, int]:
        """See `Operator.event_counts`."""
        counts = {
            "images from the cache": self._hits,
            "images stored in the cache": self._stores,
            "damaged images dropped from the cache": self.damaged,
        }
        return {event: number for event, number in counts.items() if number}


class PlacedCache:
    """A cache of the host that one decoder opens and leaves. Threads may use it together.

    Args:
        place: where the cache lies.
        tally: counts for the decoder.

    Attributes:
        shared: the cache; None before `open` and after `close`.
    """

    def __init__(self, place: Place, tally: Tally) -> None:
        self.shared: SharedCache | None = None
        self._place = place
        self._tally = tally
        self._lock = Lock()
        self._fill = ""

    def open(self) -> SharedCache:
        """Open the cache; idempotent."""
        if self.shared is None:
            with self._lock:
                if self.shared is None:
                    self.shared = open_cache(self._place)
        return self.shared

    def event_counts(self) -> dict[str, int]:
        """See `Operator.event_counts`."""
        if self.shared is not None:
            self._tally.damaged = self.shared.damaged
        return self._tally.event_counts()

    def remark(self) -> str:
        """See `Operator.remark`."""
        if (shared := self.shared) is not None:
            used, size = shared.used / 1e6, shared.nbytes / 1e6
            self._fill = f"cache: {used:.1f} of {size:.1f} MB are taken"
        return self._fill

    def close(self) -> None:
        """Leave the cache, and keep what `event_counts` and `remark` tell; idempotent."""
        self.event_counts()
        self.remark()
        if self.shared is not None:
            self.shared = None
            close_cache(self._place)


class ImageCache(PlacedCache):
    """The cache of one decoder. Threads may use it together.

    The key of an image is a cryptographic hash of its encoded bytes and of all that decides the
    pixels. So a file that has changed is another image, wherever the bytes come from.

    Args:
        place: where the cache lies.
        output, dtype, use_exif: as for `decode.decode`.
        fit: as for `decode.decode_to_fit`; None for images of full size.
        shorter: pixels that the shorter side has at most; 0 for no limit.
        threshold: images of fewer bytes are not stored.
        report_blemish: as for `decode.decode`.
    """

    def __init__(
        self,
        place: Place,
        output: str,
        dtype: np.dtype[Any],
        use_exif: bool,
        fit: tuple[int, int] | None,
        shorter: int,
        threshold: int,
        report_blemish: Callable[[str], None],
    ) -> None:
        super().__init__(place, Tally())
        self._output = output
        self._dtype = dtype
        self._use_exif = use_exif
        self._shorter = shorter
        self._threshold = threshold
        self._report_blemish = report_blemish
        self._keys = Keys(output, dtype.str, use_exif, fit, shorter, libraries(gpu=False))

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
        shared = self.open()
        key = self._keys.of_file(encoded)
        found = shared.find(key, self._dtype, empty)
        if found is not None:
            self._tally.add(hits=1)
            return found
        header = read_decodable_header(encoded)
        if not self._wants(header, shared):
            return None
        blemishes: list[str] = []
        try:
            image = decode(encoded, empty=empty, report_blemish=blemishes.append)
        except DecodeError:  # the region that is asked for may be intact
            return None
        if blemishes:  # each decode of the file counts
            self._report_blemish(blemishes[0])
        elif shared.store(key, image):
            self._tally.add(stores=1)
        return image

    def _wants(self, header: ImageHeader, shared: SharedCache) -> bool:
        sizes = np.array([header.size(use_exif=self._use_exif)])
        size = shrunk_sizes(sizes, self._shorter)[0].tolist()
        nbytes = prod(size) * channels_of(header.space_of(self._output)) * self._dtype.itemsize
        return is_lasting(header) and nbytes >= self._threshold and shared.has_room(nbytes)


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
