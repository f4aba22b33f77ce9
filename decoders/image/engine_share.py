"""The shares of a batch that the hardware JPEG engine and CUDA cores decode.

The engine decodes what it can, because it takes nothing from other work on the GPU. CUDA cores
decode more files from batch to batch where the engine limits a pipeline, and where lanes do: a lane
waits for the engine, and not for CUDA cores. They decode fewer files again if lanes wait for
batches, or if the consumer does not wait for the pipeline. So their share follows the rates of
both, and of all else that limits the pipeline.

A model whose steps are launched ahead of the GPU waits for batches, too, while the GPU still has
work. So the help grows with the square of the part of the time that the consumer waits: fast for a
consumer that only waits, and hardly for one that trains.

Where a process has few connections to the device, streams of the engine share one with the model's,
and wait for the model's work. CUDA cores then decode nearly all at once, if the consumer waits.

Training on photographs of many sizes on an H100, batches of 256, images a second: 20,400 if CUDA
cores help until the engine is busy for 60 to 75% of the time, 24,700 if they help to the most
(medians of 4 runs, 19,500 to 23,800 and 18,900 to 29,400).
"""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

ENGINE_BUSY: tuple[float, float] = (0.6, 0.75)
"""Parts of the time that the engine is busy: below the first the help may shrink, above the second
it grows."""

LANES_WAIT: tuple[float, float] = (0.15, 0.3)
"""Parts of the time that lanes wait for batches: below the first the help grows, above the second
it may shrink."""

CONSUMER_WAITS = 0.05
"""Part of the time that the consumer waits for batches, below which the help shrinks. A model that
trains at its full rate loses what CUDA cores decode: 256 photographs take them 5 ms of an H200."""

SHARE_STEP = 0.03
"""Part of the files by which the help grows or shrinks with a batch."""

HELD_UP = 1 / 3
"""The engine's rate, as a part of its highest one, below which others hold it up."""

LEAST_JUDGED_BYTES = 16 << 20
"""Bytes of pixels in a call whose rate is judged: few files do not use all parts of the engine."""

NEWEST_WEIGHT = 0.3
"""Weight of the newest batch in the running means of the times of engine and lanes."""

NEWEST_WAIT = 0.1
"""The same for the consumer's time: a consumer that trains waits for some batches, and not for
others."""


class EngineShare:
    """Shares out the files of batches; several threads may use it for different batches.

    Args:
        fixed: the part of each batch's files for the engine; None to adapt to the rates.
    """

    def __init__(self, fixed: float | None) -> None:
        self._fixed = fixed
        self._lock = Lock()
        self._busy = 0.0  # part of the time that the engine decodes
        self._starved = 1.0  # part of the time that lanes wait for batches
        self._awaited = 0.0  # part of the time that the consumer waits
        self._help = 0.0  # part of the files that CUDA cores decode
        self._highest = 0.0  # bytes of pixels a second

    def of_engine(self, lengths: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the numbers of the files for the engine.

        CUDA cores get the smallest files, because one file takes them as long as its bytes do.

        Args:
            lengths: lengths of the files in bytes.
        """
        if self._fixed is None:
            helped = int(self._help * len(lengths))  # not all, or nothing would be noted any more
        else:
            helped = round((1 - self._fixed) * len(lengths))
        return np.argsort(lengths, kind="stable")[helped:]

    def note_engine(
        self, nbytes: int, seconds: float, idle: float, starved: float, awaited: float
    ) -> None:
        """Note a call of the engine.

        Args:
            nbytes: bytes of the pixels.
            seconds: seconds that the call took.
            idle: seconds without work between the call before and this one.
            starved: part of the time since the lane's call before in which the lane waited for
                batches.
            awaited: part of that time in which the consumer waited.
        """
        with self._lock:
            self._busy += NEWEST_WEIGHT * (seconds / (seconds + idle) - self._busy)
            self._starved += NEWEST_WEIGHT * (starved - self._starved)
            self._awaited += NEWEST_WAIT * (awaited - self._awaited)
            is_held_up = self._is_held_up(nbytes, seconds)
            least, most = ENGINE_BUSY
            few, many = LANES_WAIT
            if self._awaited < CONSUMER_WAITS or (self._busy < least and self._starved > many):
                self._help = max(self._help - SHARE_STEP, 0.0)
            elif is_held_up:
                self._help = 1 - SHARE_STEP
            elif self._busy > most or self._starved < few:
                self._help = min(self._help + SHARE_STEP * self._awaited**2, 1 - SHARE_STEP)

    def _is_held_up(self, nbytes: int, seconds: float) -> bool:
        """Whether the engine was far slower in a call than it can be."""
        if nbytes < LEAST_JUDGED_BYTES:
            return False
        rate = nbytes / seconds
        self._highest = max(self._highest, rate)
        return rate < HELD_UP * self._highest
