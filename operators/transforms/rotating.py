"""`fn.transforms.rotation`."""

from __future__ import annotations

from ...engine.arrays import Float64s
from ...engine.graph.operator import register
from ...engine.graph.params import FLOAT, FLOATS, REQUIRED, param
from .matrices import about, plane_rotations, space_rotations, spread
from .matrix_operator import MatrixOperator


@register
class TransformRotation(MatrixOperator):
    """Makes the matrix of a rotation: of the plane, or about an axis in space.

    In the plane the rotation is from the axis x to the axis y, which is clockwise where y points
    down. About an axis the rotation is counter-clockwise to a viewer at whom the axis points.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.transforms.rotation(angle=90))
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(3) + 0)
    [[ 0. -1.  0.]
     [ 1.  0.  0.]]

    Inputs:
        matrix: an affine map (2, 3), or with an axis (3, 4), that is combined with the rotation.

    Outputs:
        the matrix: float32, shape (2, 3), or with an axis (3, 4).
    """

    name = "transforms.rotation"
    angle = param(FLOAT, REQUIRED, "Degrees.", per_sample=True)
    axis = param(
        FLOATS, None, "Direction x, y, z of the axis; of any length but 0.", per_sample=True
    )
    center = param(FLOATS, None, "A point that stays; by default the origin.", per_sample=True)

    def maps(
        self, known: int, *, angle: Float64s, axis: Float64s | None, center: Float64s | None
    ) -> Float64s:
        if axis is None:
            linear = plane_rotations(angle[:, 0])
        elif axis.shape[1] == 3:
            linear = space_rotations(angle[:, 0], axis)
        else:
            self.refuse(f"axis has {axis.shape[1]} values; give x, y and z")
        ndim = linear.shape[1]
        return about(linear, None if center is None else spread("center", center, ndim))
