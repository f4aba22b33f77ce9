"""`fn.sphere`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.arrays import Float32s
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import register
from .displacement import DisplacementOperator


@register
class Sphere(DisplacementOperator):
    """Shows images as if they were drawn on a sphere.

    A pixel at the vector v from the middle is the input's at `v * |v| / r`, where r is half of the
    longer side, without its fraction. CPU and GPU agree exactly, with INTERP_LINEAR within 1 in
    integers and 1e-5 of the range in floats.

    Inputs:
        images: HW or HWC, or with F in front of them; any type.

    Outputs:
        the changed images: of the input's shape, type and layout.
    """

    name = "sphere"
    kernel_name = "sphere"

    def positions(self, workspace: Workspace, height: int, width: int) -> Float32s:
        middles = np.array([width, height], np.float32)[:, np.newaxis, np.newaxis] * np.float32(0.5)
        lines, columns = np.indices((height, width), np.float32)
        vectors = np.stack([columns, lines]) + np.float32(0.5) - middles
        squares = vectors * vectors
        distance = np.sqrt(squares[0] + squares[1]) / np.float32(_radius(height, width))
        return self.index_at(middles + distance * vectors)

    def gpu_arguments(
        self, batch: BatchContext, extents: Any
    ) -> tuple[dict[str, object], list[object]]:
        return {"radius": _radius(extents[:, 0], extents[:, 1]).astype(np.float32)}, []


def _radius(height: Any, width: Any) -> Any:
    """Return the distance from the middle at which pixels stay."""
    return np.maximum(np.maximum(height, width) // 2, 1)
