"""Numbers of events of a Poisson distribution, each as a function of 64 random bits and its mean.

Small means take the smallest number whose probability of no more events exceeds a uniform number.
Other means take the expansion of the same quantile in a normal number (M. Giles, "Algorithm 955",
ACM Transactions on Mathematical Software, 2016), whose probabilities are wrong by 1e-4 in sum at
most. kernels/random.cuh computes the same in the same order.
"""

from __future__ import annotations

import numpy as np

from ...engine.arrays import Float64s
from ...engine.graph.operator import Array
from .random_bits import precise_normal

EVENTS_AT_ONCE = 1 << 14  # their arrays of float64 stay in the cache of a core
LARGE_MEAN = 12.0  # from here on, the expansion
_MOST_EVENTS = 64  # of small means: more have a probability below 1e-24
_TOGETHER = 4  # steps until elements that are done are left out; divides the line above
_STEP = 2.0**-53


def events(bits: Array, means: Float64s) -> Float64s:
    """Return numbers of events.

    Args:
        bits: uint64: (count,).
        means: of the distributions, finite and not negative: (count,).
    """
    small = means < LARGE_MEAN
    if small.all():
        return _counted(bits, means)
    if not small.any():
        return _expanded(bits, means)
    result = np.empty(len(means))
    for chosen, compute in ((small, _counted), (~small, _expanded)):
        result[chosen] = compute(bits[chosen], means[chosen])
    return result


def _counted(bits: Array, means: Float64s) -> Float64s:
    """Subtract the probabilities of 0, 1, 2 ... events from a uniform number while it is positive.

    Elements that are done are left out after every few steps.
    """
    result: Float64s = np.zeros(len(means))
    counts: Float64s = np.zeros(len(means))
    terms: Float64s = np.exp(-means)
    left: Float64s = (bits >> np.uint64(11)) * _STEP - terms
    rows: Array = np.arange(len(means))
    more: Array = left >= 0
    for number in range(1, _MOST_EVENTS + 1):
        counts += more
        terms *= means * (1 / number)
        left -= terms
        more = left >= 0
        if number % _TOGETHER == 0:
            result[rows] = counts
            kept = np.flatnonzero(more)
            if not len(kept):
                break
            rows, counts, more = rows[kept], counts[kept], more[kept]
            means, terms, left = means[kept], terms[kept], left[kept]
    return result


def _expanded(bits: Array, means: Float64s) -> Float64s:
    z, roots = precise_normal(bits), np.sqrt(means)
    squares, inverse = z * z, 1 / roots
    result = squares * (1 / 270)
    result += 7 / 810
    result *= squares
    result -= 8 / 405
    result *= inverse
    result += (squares * (-1 / 72) - 1 / 36) * z
    result *= inverse
    squares *= 1 / 6
    result += squares
    result += 1 / 3
    roots *= z
    result += roots
    result += means
    np.floor(result, out=result)
    return np.maximum(result, 0, out=result)
