"""nvImageCodec: JPEG into device memory.

A decoder serves one CUDA stream and one thread, because the library's decoders are not thread-safe.
The decoder uses the memory of its images again for later batches, so they must be read on that
stream.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....engine.errors import MissingDependencyError, install_hint
from ....engine.gpu.device import Device


def check_installed() -> None:
    """Raise an error that says how to install nvImageCodec if it is missing; does not import it."""
    with suppress(ModuleNotFoundError):  # the package around it is missing
        if find_spec("nvidia.nvimgcodec") is not None:
            return
    raise MissingDependencyError(
        "decoding on the GPU (device='mixed') needs nvImageCodec: "
        f"{install_hint('cuda13')} (cuda12 where `nvidia-smi` reports CUDA 12)"
    )


@cache
def library() -> ModuleType:
    """Import nvImageCodec, which takes time and prints which of its parts are missing."""
    os.environ.setdefault("PYNVIMGCODEC_VERBOSITY", "0")  # errors come back as results
    from nvidia import nvimgcodec

    module: ModuleType = nvimgcodec
    return module


class JpegDecoder:
    """Decodes batches on one stream.

    Args:
        device: the images are decoded on its stream.
        gray: decode to luma instead of RGB.
    """

    def __init__(self, device: Device, gray: bool) -> None:
        self._library = library()
        self._stream = device.stream
        self._decoder = self._open(device)
        formats = self._library.SampleFormat
        self._params = self._library.DecodeParams(
            apply_exif_orientation=False, sample_format=formats.I_Y if gray else formats.I_RGB
        )
        if gray:
            self._params.color_spec = self._library.ColorSpec.GRAY
        self._images: list[list[Any]] = [[], []]  # two sets, in turn
        self._done: list[Any] = [None, None]

    def _open(self, device: Device) -> Any:
        kinds, backend = self._library.BackendKind, self._library.Backend
        return self._library.Decoder(
            device_id=device.id,
            max_num_cpu_threads=device.num_threads,
            backends=[backend(kinds.HYBRID_CPU_GPU), backend(kinds.GPU_ONLY)],
            options=":fancy_upsampling=1",
        )

    def decode(
        self, rows: Sequence[NDArray[np.uint8]], boxes: Sequence[Sequence[int]]
    ) -> list[int]:
        """Decode JPEG files, or parts of them.

        Args:
            rows: the encoded files.
            boxes: boxes of the stored images: (y0, x0, y1, x1), ends excluded.

        Returns:
            the address of each image, HWC uint8 and contiguous; 0 where the library failed. The
            images stay valid until the second call from now.
        """
        region = self._library.Region
        streams = []
        for row, box in zip(rows, boxes, strict=True):
            stream = None
            with suppress(RuntimeError):  # the library refuses this form of JPEG
                stream = self._library.CodeStream(row)
                stream = stream.get_sub_code_stream(region=region(*box))
            streams.append(stream)
        known = [stream for stream in streams if stream is not None]
        addresses = iter(self._decode(known) if known else ())
        return [0 if stream is None else next(addresses) for stream in streams]

    def _decode(self, streams: list[Any]) -> list[int]:
        recycled, done = self._images.pop(0), self._done.pop(0)
        if done is not None:
            done.synchronize()
        options = {"images": recycled[: len(streams)]} if len(recycled) >= len(streams) else {}
        images = self._decoder.decode(
            streams, params=self._params, cuda_stream=self._stream.ptr, **options
        )
        addresses = [0 if image is None else self._address(image) for image in images]
        self._images.append(recycled if options else [i for i in images if i is not None])
        self._done.append(None)
        return addresses

    @staticmethod
    def _address(image: Any) -> int:
        address: int = image.__cuda_array_interface__["data"][0]
        return address

    def read_until(self, event: object) -> None:
        """Keep the images of the last call until `event`, because kernels read them until then."""
        self._done[-1] = event
