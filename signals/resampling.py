"""Signals at another rate, on the CPU: the sums of `SincFilter` as products of matrices.

If the rates are as M to L, the weights repeat after L output samples. So the output samples of
all periods that have the same number in their period form the product of a strided view of the
input and one column of weights. Neighboring columns go into one product. The library releases the
GIL. 12 s from 48 to 16 kHz take 0.5 ms on one core, where soxr's "HQ" takes 1.2 ms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from numpy.typing import NDArray

from ..engine.arrays import Array
from ..engine.errors import ArgumentError
from .sinc import PER_UNIT, SincFilter

if TYPE_CHECKING:
    from fractions import Fraction

Scratch = Callable[[tuple[int, ...], Any], Array]
"""`scratch(shape, dtype)` returns uninitialized memory."""

_ROUNDING = 2**-24
"""Of float32, the type of rates: ratios that differ by less are the same, such as 0.9 and 9/10."""

MAX_PERIOD = 1024
"""Output samples after which weights must repeat to be kept."""

MAX_WEIGHTS = 1 << 20
"""Weights of a period that are kept."""

COLUMNS = 16
"""Output samples of one product."""

MAX_PRODUCTS = 1 << 18
"""Multiply-adds of one product; OpenBLAS starts threads of its own above."""

CHUNK_SAMPLES = 1024
"""Output samples that are computed together where weights do not repeat."""


MAX_SAMPLES = 2**30
"""Most samples of all channels of a signal, because a larger claim is taken for damage."""


def resampled_length(length: int, in_rate: float, out_rate: float) -> int:
    """Return the number of samples at `out_rate`, as DALI does: rounded up.

    >>> resampled_length(1001, 16000, 8000), resampled_length(1001, 16000, 16000)
    (501, 1001)
    """
    return math.ceil(length * out_rate / in_rate)


def check_length(length: int, channels: int) -> None:
    """Raise ArgumentError for a signal that is too long to be meant."""
    if length * max(1, channels) > MAX_SAMPLES:
        raise ArgumentError(
            f"a signal of {length} samples in {channels} channels: at most {MAX_SAMPLES} are "
            "resampled at once; check the rates, or work on windows"
        )


def resample(
    samples: NDArray[np.float32],
    in_rate: float,
    out_rate: float,
    sinc: SincFilter,
    out: NDArray[np.float32],
    scratch: Scratch = np.empty,
) -> None:
    """Write a signal at another rate to `out`.

    Output sample n is at the input's position `n * in_rate / out_rate`. Before its first and after
    its last sample the signal counts as 0.

    Args:
        samples: one channel, float32 (n,), possibly strided.
        in_rate, out_rate: sampling rates in any unit, above 0.
        sinc: the filter, see `filter_of`.
        out: float32 (m,), possibly strided.
        scratch: gives memory for copies of input and output.
    """
    if not len(out):
        return
    ratio = step_between(in_rate, out_rate)
    repeats = ratio.denominator <= min(len(out), MAX_PERIOD)
    if repeats and ratio.denominator * 2 * sinc.reach <= MAX_WEIGHTS:
        _resample_periods(samples, _periods(ratio, sinc), out, scratch)
    else:
        _resample_chunks(samples, float(ratio), sinc, out, scratch)


@lru_cache(maxsize=1024)
def step_between(in_rate: float, out_rate: float) -> Fraction:
    """Return the distance of two output samples in input samples, for rates above 0.

    Of the distances that differ by less than rates are rounded, this is the one after the fewest
    samples of which positions repeat, if these are few.

    >>> step_between(1.0, np.float32(0.9)), step_between(48000.0, 16000.0)
    (Fraction(10, 9), Fraction(3, 1))
    """
    from fractions import Fraction  # takes 2 ms

    exact = Fraction(float(in_rate)) / Fraction(float(out_rate))
    simple = exact.limit_denominator(MAX_PERIOD)
    return simple if abs(simple - exact) <= exact * Fraction(_ROUNDING) else exact


class _Columns(NamedTuple):
    """Neighboring output samples of a period.

    Attributes:
        first: number of the first one in its period.
        offset: input sample, from the period's start less `reach`, of the first weights.
        weights: float32 (inputs, outputs).
    """

    first: int
    offset: int
    weights: NDArray[np.float32]


class _Periods(NamedTuple):
    """The weights of one ratio, and how far they reach.

    Attributes:
        reach: number of input samples on each side that the filter weighs.
        outputs, inputs: samples of a period.
        needed: input samples, from the period's start less `reach`, that a period needs.
        columns: all output samples of a period.
    """

    reach: int
    outputs: int
    inputs: int
    needed: int
    columns: tuple[_Columns, ...]


@lru_cache(maxsize=32)
def _periods(ratio: Fraction, sinc: SincFilter) -> _Periods:
    step, taps = float(ratio), 2 * sinc.reach
    width = max(1, min(COLUMNS, int(taps / step)))
    span = math.ceil(width * step) + taps + 1
    # Rows of a view must not overlap, or no library multiplies them: a period has a span's inputs.
    repeats = max(math.ceil(span / ratio.numerator), math.ceil(width / ratio.denominator))
    outputs, inputs = repeats * ratio.denominator, repeats * ratio.numerator
    numbers = np.arange(outputs, dtype=np.int64) * ratio.numerator
    nexts = -(-numbers // ratio.denominator)
    weights = sinc.taps(nexts - numbers / ratio.denominator)
    borders = [*range(0, outputs, width), outputs]
    columns = tuple(_columns(weights, nexts, first, end) for first, end in pairwise(borders))
    return _Periods(sinc.reach, outputs, inputs, int(nexts[-1]) + taps, columns)


def _columns(taps: NDArray[np.float32], nexts: NDArray[np.int64], first: int, end: int) -> _Columns:
    starts = nexts[first:end] - nexts[first]
    weights = np.zeros((int(starts[-1]) + taps.shape[1], end - first), np.float32)
    rows = starts[:, np.newaxis] + np.arange(taps.shape[1])
    weights[rows, np.arange(end - first)[:, np.newaxis]] = taps[first:end]
    return _Columns(first, int(nexts[first]), weights)


def _resample_periods(
    samples: NDArray[np.float32], plan: _Periods, out: NDArray[np.float32], scratch: Scratch
) -> None:
    count = -(-len(out) // plan.outputs)
    padded = _padded(samples, plan.reach, (count - 1) * plan.inputs + plan.needed, scratch)
    direct = out.flags.c_contiguous and len(out) == count * plan.outputs
    memory = out if direct else scratch((count * plan.outputs,), np.float32)
    results = memory.reshape(count, plan.outputs)
    with np.errstate(all="ignore"):  # NaNs of the signal are not worth a warning
        for columns in plan.columns:
            _multiply(padded, plan.inputs, columns, results)
    if not direct:
        np.copyto(out, memory[: len(out)])


def _multiply(
    padded: NDArray[np.float32], stride: int, columns: _Columns, results: NDArray[np.float32]
) -> None:
    inputs, outputs = columns.weights.shape
    view = as_strided(
        padded[columns.offset :],
        (len(results), inputs),
        (stride * padded.itemsize, padded.itemsize),
        writeable=False,
    )
    target = results[:, columns.first : columns.first + outputs]
    step = max(1, MAX_PRODUCTS // columns.weights.size)
    for start in range(0, len(results), step):
        rows = slice(start, start + step)
        np.matmul(view[rows], columns.weights, out=target[rows])


def _resample_chunks(
    samples: NDArray[np.float32],
    step: float,
    sinc: SincFilter,
    out: NDArray[np.float32],
    scratch: Scratch,
) -> None:
    taps = 2 * sinc.reach
    last = math.ceil((len(out) - 1) * step)
    padded = _padded(samples, sinc.reach, last + taps, scratch)
    windows = sliding_window_view(padded, taps)
    # Between two entries of its table, the filter is linear, and so are the taps without a cutoff.
    table = sinc.taps(np.arange(PER_UNIT + 1) / PER_UNIT) if sinc.cutoff == 1 else None
    chunk = max(1, CHUNK_SAMPLES * COLUMNS * 2 // taps)
    with np.errstate(all="ignore"):
        for start in range(0, len(out), chunk):
            positions = np.arange(start, min(len(out), start + chunk)) * step
            nexts = np.ceil(positions)
            fractions = nexts - positions
            inputs = windows[nexts.astype(np.intp)]
            target = out[start : start + len(positions)]
            if table is None:
                np.einsum("ij,ij->i", inputs, sinc.taps(fractions), out=target)
            else:
                _weigh(inputs, fractions, table, target)


def _weigh(
    inputs: NDArray[np.float32],
    fractions: NDArray[np.float64],
    table: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:
    """Write the sums of weighed rows of inputs; `table` has the taps of even fractions."""
    entries = fractions * PER_UNIT
    whole = entries.astype(np.intp)
    low = np.einsum("ij,ij->i", inputs, table[whole])
    high = np.einsum("ij,ij->i", inputs, table[np.minimum(whole + 1, PER_UNIT)])
    np.copyto(out, low + (entries - whole).astype(np.float32) * (high - low))


def _padded(
    samples: NDArray[np.float32], before: int, length: int, scratch: Scratch
) -> NDArray[np.float32]:
    """Return a copy of the signal with zeros around it, `before` of them first, or cut off."""
    padded = scratch((length,), np.float32)
    used = max(0, min(len(samples), length - before))
    padded[:before] = 0
    padded[before : before + used] = samples[:used]
    padded[before + used :] = 0
    return padded
