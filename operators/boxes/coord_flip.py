"""`fn.coord_flip`: points and vectors mirrored about a center."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.arrays import DType
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import ANY_FLOAT, INT, LAYOUT, param
from ...engine.graph.row_arguments import array_of
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..common.whole_batches import JoinedRows, compute_joined
from .checks import check_float32
from .gpu_flip import FlippedForm, flip_columns


@register
class CoordFlip(SampleOperator):
    """Mirrors the coordinates of points about a center: 2 * center - coordinate.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.coord_flip(np.float32([[0.25, 0.5]]), flip_y=1))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[0.75 0.5 ]]

    Inputs:
        points: float32, shape (points, coordinates), with one to three coordinates.

    The result has the shape of the input. CPU and GPU give the same numbers.
    """

    name = "coord_flip"
    devices = ("cpu", "gpu")
    inputs = ("points",)
    light = True

    layout = param(
        LAYOUT, "", 'Order of the coordinates, such as "yx"; "x", "xy" or "xyz" by default.'
    )
    flip_x = param(INT, 1, "Mirror x unless 0.", per_sample=True)
    flip_y = param(INT, 0, "Mirror y unless 0.", per_sample=True)
    flip_z = param(INT, 0, "Mirror z unless 0.", per_sample=True)
    center_x = param(ANY_FLOAT, 0.5, "Center on the axis x.", per_sample=True)
    center_y = param(ANY_FLOAT, 0.5, "Center on the axis y.", per_sample=True)
    center_z = param(ANY_FLOAT, 0.5, "Center on the axis z.", per_sample=True)

    def prepare(self) -> None:
        if not set(self.layout) <= set("xyz"):
            self.refuse(f"layout is {self.layout!r}, but may have the letters x, y and z")

    def sample(self, workspace: Workspace, points: Array, **arguments: Any) -> Array:
        layout = self._layout(points.shape, points.dtype)
        out = workspace.empty(points.shape, points.dtype)
        np.copyto(out, points)
        for column, axis in enumerate(layout):
            if arguments[f"flip_{axis}"]:
                twice = np.float32(2) * np.float32(arguments[f"center_{axis}"])
                np.subtract(twice, points[:, column], out=out[:, column])
        return out

    def batch(self, batch: BatchContext, points: TensorList, **arguments: Any) -> Any:
        """Mirror the points of a whole batch at once."""

        def mirror(joined: JoinedRows) -> tuple[Any]:
            for column, axis in enumerate(self.layout or "xyz"[: joined.table.shape[1]]):
                flip, center = (
                    array_of(self, name, arguments[name], len(points))[:, 0]
                    for name in (f"flip_{axis}", f"center_{axis}")
                )
                twice = joined.each(np.float32(2) * center.astype(np.float32))
                mirrored = twice - joined.table[:, column]
                np.copyto(joined.table[:, column], mirrored, where=joined.each(flip != 0))
            return (joined.samples(),)

        return compute_joined(self, batch, [points], arguments, self._layout, mirror)[0]

    def batch_gpu(
        self, batch: BatchContext, points: TensorListGPU, **arguments: object
    ) -> TensorListGPU:
        layouts = {self._layout(shape, to_numpy_type(points.dtype)) for shape in points.shape()}
        if len(layouts) > 1:
            self.refuse("samples differ in their number of coordinates")

        def values(name: str, axis: str) -> Array:
            return array_of(self, f"{name}_{axis}", arguments[f"{name}_{axis}"], len(points))[:, 0]

        layout = layouts.pop()
        flipped = np.stack([values("flip", axis) != 0 for axis in layout], 1)
        centers = np.stack([values("center", axis) for axis in layout], 1).astype(np.float32)
        return flip_columns(batch, points, FlippedForm.POINTS, flipped, 2 * centers)

    def _layout(self, shape: tuple[int, ...], dtype: DType) -> str:
        layout = self.layout or "xyz"[: shape[-1] if shape else 0]
        if len(shape) != 2 or not 0 < shape[1] == len(layout):
            wanted = f"(points, {len(self.layout)})" if self.layout else "(points, 1 to 3)"
            self.refuse(f"the points must have the shape {wanted}, but have {shape}")
        check_float32(self.called, "points", dtype)
        return layout
