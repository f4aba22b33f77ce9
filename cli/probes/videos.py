"""NVIDIA's video decoder, through PyAV: tries to decode a short video."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from ...decoders.video.decoder_pool import DecoderPool, Gpu
from ...decoders.video.frames import FrameReader
from ...decoders.video.on_device import can_decode
from ...engine.errors import MissingDependencyError, install_hint
from ...engine.gpu.cupy_module import import_cupy
from ...formats.media import pyav
from ...formats.video.library import has_gpu_frames
from .finding import Context, Finding, describe

NAME = "hardware video decoder"

_COST = "CPU threads decode videos for the GPU"
_SIZE = 256, 256  # the least that all codecs have in common is 144


def video_decoder(_: Context) -> Finding:
    """Decode a video of a few frames on the GPU."""
    try:
        pyav()
    except MissingDependencyError:
        return Finding(NAME, "missing", "needs PyAV", _COST, install_hint("video"))
    if not has_gpu_frames():
        detail = "this PyAV hands out no frames of the GPU"
        return Finding(NAME, "missing", detail, _COST, "pip install --upgrade av")
    if not can_decode():
        remedy = "install the driver's libnvcuvid; in a container: NVIDIA_DRIVER_CAPABILITIES=all"
        return Finding(NAME, "missing", "no libnvcuvid.so.1", _COST, remedy)
    try:
        where = _decode(film())
    except MissingDependencyError as error:
        return Finding(NAME, "missing", describe(error), _COST)
    except Exception as error:  # whatever a broken installation raises
        return Finding(NAME, "broken", describe(error), _COST)
    if where is None:
        return Finding(NAME, "missing", "it does not decode H.264", _COST)
    return Finding(NAME, "ok", f"decodes H.264 to {where}")


def film() -> bytes:
    """Encode a few frames as H.264."""
    file = io.BytesIO()
    with pyav().open(file, "w", format="mp4") as output:
        stream = output.add_stream("libx264", rate=30)
        stream.height, stream.width = _SIZE
        stream.pix_fmt = "yuv420p"
        for level in range(0, 250, 50):
            image = np.full((*_SIZE, 3), level, np.uint8)
            output.mux(stream.encode(pyav().VideoFrame.from_ndarray(image, format="rgb24")))
        output.mux(stream.encode(None))
    return file.getvalue()


def _decode(data: bytes) -> str | None:
    """Return the format of the frames on the GPU; None if the CPU has decoded the video."""
    device: Any = import_cupy().cuda.Device(0)
    device.use()
    import_cupy().cuda.runtime.free(0)  # starts CUDA
    pool = DecoderPool(Gpu(0, lambda: device))
    reader = FrameReader(io.BytesIO(data), pool=pool)
    if pool.refusal:
        raise OSError(pool.refusal)
    frames = [frame for _, frame in reader.read(range(len(reader.index)))]
    reader.close()
    on_gpu = frames[-1].format.name == "cuda" and frames[-1].sw_format
    return on_gpu.name if on_gpu else None
