"""Spectrograms on the GPU, by a Fourier transform in shared memory, in one launch.

A real signal of an even length N is transformed as N / 2 complex numbers. If their number is a
power of 2, the Cooley-Tukey algorithm transforms them. For other numbers, Bluestein's algorithm
turns the transform into a convolution, which transforms of a power of 2 compute:
https://en.wikipedia.org/wiki/Chirp_Z-transform#Bluestein's_algorithm
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import THREADS, Pointers, kernel, struct_table
from .framing import Framing
from .real_fft import bins_of

_COMPLEX_BYTES = 8
_MOST_FRAMES = 8  # windows of a block: adjacent results fill the 32 bytes of a memory sector

MAX_SHARED_BYTES = 160 << 10
"""Shared memory of a block; longer transforms work in global memory."""

USUAL_SHARED_BYTES = 48 << 10
"""Shared memory of a block that still lets several blocks run together."""

MAX_BLOCKS = 1024
"""Blocks of a sample; they loop over the windows beyond."""

MAX_GLOBAL_BLOCKS = 16
"""The same, if each block needs global memory to work in."""


@dataclass(frozen=True)
class Transform:
    """A Fourier transform of windows of a signal.

    Attributes:
        nfft: samples of a transform.
        power: 1 for amplitudes, 2 for power.
        time_first: whether the results are (windows, bins) instead of (bins, windows).
    """

    nfft: int
    power: int
    time_first: bool

    @property
    def points(self) -> int:
        """Complex numbers that stand for the samples."""
        return self.nfft if self.nfft % 2 else self.nfft // 2

    @property
    def size(self) -> int:
        """Complex numbers that are transformed, a power of 2."""
        return fft_size(self.points)


def fft_size(points: int) -> int:
    """Return the size of the transforms that compute one of `points` numbers.

    >>> fft_size(256), fft_size(200)
    (256, 512)
    """
    if points & (points - 1) == 0:
        return points
    return 1 << (2 * points - 2).bit_length()


def transform_batch(
    batch: BatchContext,
    data: TensorListGPU,
    samples: NDArray[np.int64],
    windows: NDArray[np.int64],
    framing: Framing,
    factors: Array,
    transform: Transform,
) -> TensorListGPU:
    """Return the spectra of the windows of signals.

    Args:
        data: the signals.
        samples: number of samples of each signal; -1 for rows without a signal.
        windows: number of windows of each signal; 0 for rows without a result.
        framing: the windows.
        factors: of the samples of a window: (length,) float32.
        transform: the transform.
    """
    bins = np.full_like(windows, bins_of(transform.nfft))
    shapes = np.stack([windows, bins] if transform.time_first else [bins, windows], axis=1)
    out = batch.device.empty(shapes, np.float32, "tf" if transform.time_first else "ft")
    table = struct_table(
        "Signal",
        batch.size,
        source=Pointers(data.pointers(), "const In*"),
        out=Pointers(out.pointers(), "float*"),
        samples=samples,
        windows=windows,
    )
    _launch(batch, table, to_numpy_type(data.dtype), windows, framing, factors, transform)
    return out


def _launch(
    batch: BatchContext,
    table: object,
    source: DType,
    windows: NDArray[np.int64],
    framing: Framing,
    factors: Array,
    transform: Transform,
) -> None:
    bytes_of_window = 2 * transform.size * _COMPLEX_BYTES
    is_global = bytes_of_window > MAX_SHARED_BYTES
    fitting = min(max(USUAL_SHARED_BYTES // bytes_of_window, 1), _MOST_FRAMES)
    frames = 1 if is_global else 1 << (fitting.bit_length() - 1)
    most = int(windows.max(initial=0))
    blocks = min(-(-most // frames), MAX_GLOBAL_BLOCKS if is_global else MAX_BLOCKS)
    numbers = batch.device.own(
        (transform.nfft, factors.tobytes()),
        lambda: batch.device.upload(np.concatenate([constants(transform.nfft), factors])),
    )
    work = batch.device.buffer(blocks * batch.size * bytes_of_window if is_global else 0)
    function = kernel(
        "audio/spectrogram",
        "spectrogram",
        In=c_type(source),
        NFFT=transform.nfft,
        POINTS=transform.points,
        SIZE=transform.size,
        FRAMES=frames,
        TIME_FIRST=transform.time_first,
        GLOBAL=is_global,
    )
    batch.device.launch(
        function,
        (blocks, batch.size),
        (THREADS,),
        table,
        numbers,
        work,
        *(np.int32(number) for number in (framing.length, framing.step, framing.before)),
        np.int32(framing.reflect),
        np.int32(transform.power),
        shared_bytes=0 if is_global else frames * bytes_of_window,
    )


@cache
def constants(nfft: int) -> NDArray[np.float32]:
    """Return the constants of a transform as pairs of float32, in the order that the kernel needs.

    They are `size` roots of unity; `points + 1` factors that separate the spectra of even and odd
    samples; and for Bluestein's algorithm `points` numbers of the chirp, and the `size` numbers of
    its spectrum.
    """
    points = Transform(nfft, 1, False).points
    size = fft_size(points)
    roots = np.exp(-2j * np.pi * np.arange(size) / size)
    split = np.exp(-2j * np.pi * np.arange(points + 1) / nfft)
    tables = [roots, split]
    if size != points:
        square = np.arange(points) ** 2 % (2 * points)
        chirp = np.exp(-1j * np.pi * square / points)
        wave = np.zeros(size, complex)
        wave[:points] = chirp.conj()
        wave[size - points + 1 :] = chirp[:0:-1].conj()
        tables += [chirp, np.fft.fft(wave) / size]
    return np.concatenate(tables).astype(np.complex64).view(np.float32)
