"""nvImageCodec, as the image decoders use it: JPEG into device memory.

A decoder serves one CUDA stream and one thread: the library's decoders are not thread-safe. Its
images are used again for later batches, so whoever reads them does so on that stream.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.device import Device
from ..engine.errors import MissingDependencyError


@cache
def library() -> Any:
    """Import nvImageCodec; say how to install it where it is missing."""
    os.environ.setdefault("PYNVIMGCODEC_VERBOSITY", "0")  # errors come back as results
    try:
        from nvidia import nvimgcodec
    except ImportError as error:
        raise MissingDependencyError(
            "decoding on the GPU (device='mixed') needs nvImageCodec: pip install "
            "'penstock[cuda13]' (or 'penstock[cuda12]' where `nvidia-smi` reports CUDA 12)"
        ) from error
    return nvimgcodec


class JpegDecoder:
    """Decodes batches on one stream.

    Args:
        device: whose stream to use.
        grey: decode to luma instead of RGB.
    """

    def __init__(self, device: Device, grey: bool) -> None:
        self._library = library()
        self._stream = device.stream
        self._decoder = self._open(device)
        formats = self._library.SampleFormat
        self._params = self._library.DecodeParams(
            apply_exif_orientation=False, sample_format=formats.I_Y if grey else formats.I_RGB
        )
        if grey:
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
            boxes: of the stored images: (y0, x0, y1, x1), ends excluded.

        Returns:
            the address of each image, HWC uint8 and contiguous; 0 where that failed. What is
            there stays until the second call from now.
        """
        region = self._library.Region
        streams = []
        for row, box in zip(rows, boxes, strict=True):
            stream = None
            with suppress(RuntimeError):  # the library knows no such JPEG
                stream = self._library.CodeStream(row)
                stream = stream.get_sub_code_stream(region=region(*box))
            streams.append(stream)
        known = [stream for stream in streams if stream is not None]
        addresses = iter(self._decode(known) if known else ())
        return [0 if stream is None else next(addresses) for stream in streams]

    def _decode(self, streams: list[Any]) -> list[int]:
        spare, done = self._images.pop(0), self._done.pop(0)
        if done is not None:
            done.synchronize()
        options = {"images": spare[: len(streams)]} if len(spare) >= len(streams) else {}
        images = self._decoder.decode(
            streams, params=self._params, cuda_stream=self._stream.ptr, **options
        )
        addresses = [0 if image is None else self._address(image) for image in images]
        self._images.append(spare if options else [i for i in images if i is not None])
        self._done.append(None)
        return addresses

    @staticmethod
    def _address(image: Any) -> int:
        address: int = image.__cuda_array_interface__["data"][0]
        return address

    def read_until(self, event: Any) -> None:
        """Note that the images of the last call are read until `event`."""
        self._done[-1] = event
