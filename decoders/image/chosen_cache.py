"""The cache of whole decoded images that a decoder on the GPU asks for."""

from __future__ import annotations

from ...engine.tensors.dtypes import to_numpy_type
from ..cache.keys import Keys
from .cached import CachingDecoder, check_size, libraries, place_of
from .gpu_images import GpuImages
from .mixed_cache import MixedCache
from .shared_images import ImagesInRam, ImagesOnDisk


def mixed_cache(decoder: CachingDecoder, load: float | None) -> MixedCache | None:
    """Return the cache that a decoder on the GPU asks for; it opens when it is used.

    As in DALI, `cache_size` alone asks for a cache in the GPU's memory.

    Args:
        decoder: the decoder.
        load: the part of the files for the hardware engine, whose pixels differ from those of CUDA
            cores; None if the part varies.

    Raises:
        ArgumentError: the arguments contradict one another.
    """
    kind = decoder.cache or ("gpu" if decoder.cache_size else None)
    if kind is None:
        return None
    dtype, threshold = to_numpy_type(decoder.dtype), decoder.cache_threshold
    shorter = decoder.shrink_shorter
    output, upright = decoder.output_type.name, decoder.adjust_orientation
    keys = Keys("mixed", output, dtype.str, upright, load, shorter, libraries(gpu=True))
    if kind != "gpu":
        shared = ImagesInRam if kind == "ram" else ImagesOnDisk
        return shared(place_of(decoder), keys, dtype, threshold)
    check_size(decoder)
    if decoder.cache_folder:
        decoder.refuse("cache_folder is for cache='disk', but the cache is in the GPU's memory")
    return GpuImages(decoder.cache_size, keys, dtype, threshold)
