"""Decode one file, or a window of it: mixed down, resampled, and in the dtype asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType
from ...engine.errors import DecodeError
from ...signals.amplitude import from_float
from ...signals.resampling import MAX_SAMPLES, resample, resampled_length
from ...signals.sinc import filter_of
from ..errors import decode_error
from .formats.base import AudioHeader, AudioStream

_GUARD = 1e-6
"""Samples that are added before rounding down, because 0.29 * 44100 is 12788.999999999998."""

Empty = Callable[[tuple[int, ...], Any], Array]


class AudioRequest(NamedTuple):
    """Options for the decoding of a file.

    Attributes:
        dtype: float32, int16 or int32.
        downmix: whether to return the mean of the channels, with one dimension.
        rate: to resample to, in Hz; 0 or less for the file's own.
        lobes: lobes of the filter that resamples.
        antialias: whether the filter removes what a lower rate cannot hold.
        offset: where the window starts, in seconds.
        duration: duration of the window in seconds; negative for the rest of the file.
        empty: gives the memory of the result; called once.
        scratch: gives memory for the work.
    """

    dtype: DType
    downmix: bool
    rate: float
    lobes: int
    antialias: bool
    offset: float
    duration: float
    empty: Empty
    scratch: Empty


def decode(stream: AudioStream, request: AudioRequest) -> Array:
    """Return the samples: (samples, channels), or (samples,) with `downmix`.

    Raises:
        DecodeError: the file is damaged, the window starts behind its end, or the result is too
            large.
    """
    header = stream.header
    start, count = window(header, request.offset, request.duration)
    rate = target_rate(header, request.rate)
    length = result_length(header, count, rate)
    mono = request.downmix or header.channels == 1
    shape = (length,) if request.downmix else (length, header.channels)
    out = request.empty(shape, request.dtype)
    as_stored = rate == header.rate and mono == (header.channels == 1)
    if as_stored and (request.dtype.kind == "f" or header.integers):
        stream.read(start, out.reshape(length, header.channels))
        return out
    block = request.scratch((count, header.channels), np.float32)
    stream.read(start, block)
    _finish(_mixed(block, request) if mono else block, header, rate, request, out)
    return out


def target_rate(header: AudioHeader, wanted: float) -> float:
    """Return the rate of the result: the one that is wanted, or the file's own for 0 or less."""
    if not -math.inf < wanted < math.inf:
        raise DecodeError(f"sample_rate is {wanted}: expected Hz, or 0 for the file's own")
    return wanted if wanted > 0 else header.rate


def result_length(header: AudioHeader, count: int, rate: float) -> int:
    """Return the number of samples that `count` samples of a file become at a rate.

    Raises:
        DecodeError: there are too many.
    """
    length = count if rate == header.rate else resampled_length(count, header.rate, rate)
    if max(length, count) * header.channels > MAX_SAMPLES:
        raise decode_error(
            header.format,
            f"{count} samples of {header.channels} channels at {header.rate} Hz, {length} at "
            f"{rate:g} Hz",
            expected=f"{MAX_SAMPLES} at most",
            remedy="Decode windows of it.",
        )
    return length


def window(header: AudioHeader, offset: float, duration: float) -> tuple[int, int]:
    """Return the first sample and the number of samples of a window in seconds.

    Both are rounded down, as DALI does. A window that reaches beyond the end ends with the file.
    """
    if not (0 <= offset < math.inf and -math.inf < duration < math.inf):
        raise DecodeError(
            f"the window has the offset {offset} s and the duration {duration} s: expected numbers "
            "of seconds, and an offset of 0 or more"
        )
    start = int(offset * header.rate + _GUARD)
    if start > header.frames or (start == header.frames and offset > 0):
        raise DecodeError(
            f"{header.format}: the window starts at {offset:g} s, but the file has "
            f"{header.frames / header.rate:g} s ({header.frames} samples at {header.rate} Hz)"
        )
    left = header.frames - start
    return start, left if duration < 0 else min(left, int(duration * header.rate + _GUARD))


def _mixed(block: NDArray[np.float32], request: AudioRequest) -> NDArray[np.float32]:
    """Return the mean of the channels, (samples, 1)."""
    samples, channels = block.shape
    if channels == 1:
        return block
    mixed = request.scratch((samples, 1), np.float32)
    weight = np.float32(1 / channels)
    np.multiply(block[:, :1], weight, out=mixed)
    weighed = request.scratch((samples, 1), np.float32)
    for channel in range(1, channels):
        np.multiply(block[:, channel : channel + 1], weight, out=weighed)
        np.add(mixed, weighed, out=mixed)
    return mixed


def _finish(
    block: NDArray[np.float32],
    header: AudioHeader,
    rate: float,
    request: AudioRequest,
    out: Array,
) -> None:
    """Resample and convert the block into the result."""
    result = out.reshape(len(out), block.shape[1])
    if rate == header.rate:
        from_float(block, result)
        return
    floats = result
    if request.dtype.kind != "f":
        floats = request.scratch(result.shape, np.float32)
    sinc = filter_of(request.lobes, header.rate, rate, antialias=request.antialias)
    for channel in range(block.shape[1]):
        resample(
            block[:, channel],
            header.rate,
            rate,
            sinc,
            floats[:, channel],
            request.scratch,
        )
    if floats is not result:
        from_float(floats, result)
