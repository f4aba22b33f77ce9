"""`fn.water`."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from ...engine.arrays import Float32s
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import register
from ...engine.graph.params import FLOAT, param
from ...formats.ragged import bounds_of
from .displacement import DisplacementOperator

_FREQUENCY = 2 * pi / 128  # of a wave of 128 pixels


@register
class Water(DisplacementOperator):
    """Moves pixels as waves on water do.

    The pixel at (x, y) is the input's at `x + ampl_x * sin(freq_x * y + phase_x)` and
    `y + ampl_y * cos(freq_y * x + phase_y)`. As in DALI, x and y count from the center of the first
    pixel, and positions from its corner: with INTERP_LINEAR, results lie half a pixel further on.
    CPU and GPU agree exactly, with INTERP_LINEAR within 1 in integers and 1e-5 of the range in
    floats.

    Inputs:
        images: HW or HWC, or with F in front of them; any type.

    Outputs:
        the moved images: of the input's shape, type and layout.
    """

    name = "water"
    kernel_name = "water"
    ampl_x = param(FLOAT, 10.0, "Amplitude of the wave in the direction of x, in pixels.")
    ampl_y = param(FLOAT, 10.0, "Amplitude of the wave in the direction of y, in pixels.")
    freq_x = param(FLOAT, _FREQUENCY, "Angular frequency of that wave along y, per pixel.")
    freq_y = param(FLOAT, _FREQUENCY, "Angular frequency of that wave along x, per pixel.")
    phase_x = param(FLOAT, 0.0, "Phase of the wave in the direction of x, in radians.")
    phase_y = param(FLOAT, 0.0, "Phase of the wave in the direction of y, in radians.")

    def _waves(self, height: int, width: int) -> tuple[Float32s, Float32s]:
        """Return how far each line moves to the right, and each column down."""
        lines, columns = (np.arange(count, dtype=np.float32) for count in (height, width))
        across = lines * np.float32(self.freq_x) + np.float32(self.phase_x)
        down = columns * np.float32(self.freq_y) + np.float32(self.phase_y)
        return np.float32(self.ampl_x) * np.sin(across), np.float32(self.ampl_y) * np.cos(down)

    def positions(self, workspace: Workspace, height: int, width: int) -> Float32s:
        across, down = self._waves(height, width)
        x = np.arange(width, dtype=np.float32) + across[:, np.newaxis]
        y = np.arange(height, dtype=np.float32)[:, np.newaxis] + down
        return self.index_at(np.stack([x, y]))

    def gpu_arguments(
        self, batch: BatchContext, extents: Any
    ) -> tuple[dict[str, object], list[object]]:
        sizes, numbers = np.unique(extents, axis=0, return_inverse=True)
        across, down = self._waves(*sizes.max(axis=0).tolist())
        waves = [part for h, w in sizes.tolist() for part in (across[:h], down[:w])]
        first = bounds_of(sizes.sum(axis=1))
        memory = batch.device.upload(np.concatenate([*waves, np.zeros(1, np.float32)]))
        return {"first_wave": first[numbers.reshape(-1)]}, [memory]
