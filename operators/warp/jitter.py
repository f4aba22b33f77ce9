"""`fn.jitter`."""

from __future__ import annotations

import numpy as np

from ...engine.arrays import Float32s
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import register
from ...engine.graph.params import INT, param
from ..noise.random_bits import KEY_NUMBERS, bits_in_chunks, high_and_low, keys_of
from .displacement import DisplacementOperator


@register
class Jitter(DisplacementOperator):
    """Moves each pixel by a random number of pixels, to the right and down.

    The pixel is one of the input's whose distances in both directions are whole numbers, from
    `-(nDegree // 2)` on, `nDegree` different ones of equal probability. Beyond the border, the
    border pixel is taken. The numbers of a sample are a function of seed, epoch, position and
    operator alone. CPU and GPU agree exactly. DALI has no such operator on the CPU, and draws other
    numbers.

    Inputs:
        images: HW or HWC, or with F in front of them; any type.

    Outputs:
        the changed images: of the input's shape, type and layout.
    """

    name = "jitter"
    kernel_name = "jitter"
    random_count = KEY_NUMBERS
    degree = param(
        INT,
        2,
        "Number of different distances in each direction.",
        name="nDegree",
        minimum=1,
        maximum=1 << 15,
    )

    def positions(self, workspace: Workspace, height: int, width: int) -> Float32s:
        moved = np.empty((2, height * width), np.float32)
        for chunk, bits in bits_in_chunks(keys_of(workspace.random), height * width):
            for axis, numbers in enumerate(high_and_low(bits)):
                distances = (numbers.astype(np.uint64) * np.uint64(self.degree)) >> np.uint64(32)
                moved[axis, chunk] = distances
        moved -= np.float32(self.degree // 2)
        x, y = moved.reshape(2, height, width)
        x += np.arange(width, dtype=np.float32)
        y += np.arange(height, dtype=np.float32)[:, np.newaxis]
        return np.stack([x.clip(0, width - 1), y.clip(0, height - 1)])

    def gpu_arguments(
        self, batch: BatchContext, extents: object
    ) -> tuple[dict[str, object], list[object]]:
        return {"key": keys_of(batch.random(self, KEY_NUMBERS))}, [np.uint32(self.degree)]
