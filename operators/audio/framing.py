"""The windows of a signal: their number, and the samples that they cover."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array
from ..indexing.extract import source_index


@dataclass(frozen=True)
class Framing:
    """Windows that start `step` samples apart.

    Attributes:
        length: samples of a window.
        step: samples from one window to the next.
        centered: whether window t has its center, sample `length // 2`, at `t * step`. Otherwise
            the first window starts at sample 0, and all windows lie within the signal.
        reflect: whether samples beyond the ends mirror the signal, with its last sample as the
            mirror; otherwise they are 0.
    """

    length: int
    step: int
    centered: bool
    reflect: bool

    @property
    def before(self) -> int:
        """Number of samples before the signal that the first window covers."""
        return self.length // 2 if self.centered else 0

    def count(self, samples: int) -> int:
        """Return the number of windows of a signal.

        >>> Framing(400, 160, centered=True, reflect=True).count(16000)
        101

        Raises:
            ArgumentError: the signal has no window.
        """
        (count,) = self.counts(np.array([samples])).tolist()
        if count:
            return int(count)
        if not samples:
            raise ArgumentError("the signal is empty; give at least one sample")
        raise ArgumentError(
            f"the signal has {samples} samples, but a window has {self.length}; set "
            "center_windows=True, or extend short signals with fn.pad"
        )

    def counts(self, samples: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of windows of several signals, 0 for signals without a window."""
        if self.centered:
            return np.where(samples > 0, samples // self.step + 1, 0)
        inside = samples - self.length
        return np.where((inside >= 0) & (samples > 0), inside // self.step + 1, 0)

    def extended(self, workspace: Workspace, signal: Array, windows: int) -> Array:
        """Return the samples that the windows cover, as float32."""
        samples = len(signal)
        out = workspace.scratch(((windows - 1) * self.step + self.length,), np.float32)
        start = self.before
        inside = out[start : start + samples]
        inside[...] = signal[: len(inside)]
        for beyond in (np.arange(-start, 0), np.arange(samples, len(out) - start)):
            mirrored = source_index(beyond, samples, "reflect_101")
            out[start + beyond] = signal[mirrored] if self.reflect else 0
        return out
