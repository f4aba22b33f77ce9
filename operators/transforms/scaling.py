"""`fn.transforms.scale`."""

from __future__ import annotations

from ...engine.arrays import Float64s
from ...engine.graph.operator import register
from ...engine.graph.params import FLOATS, INT, REQUIRED, param
from .matrices import about, diagonal, spread
from .matrix_operator import MatrixOperator


@register
class TransformScale(MatrixOperator):
    """Makes the matrix that scales about a center: center + scale * (p - center).

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.transforms.scale(scale=(2, 3), center=(10, 10)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[  2.   0. -10.]
     [  0.   3. -20.]]

    Inputs:
        matrix: an affine map (n, n + 1), float32, that is combined with the scaling.

    Outputs:
        the matrix: float32, shape (n, n + 1).
    """

    name = "transforms.scale"
    scale = param(
        FLOATS, REQUIRED, "Factors: one for each dimension, or one for all.", per_sample=True
    )
    center = param(FLOATS, None, "The point that stays; by default the origin.", per_sample=True)
    ndim = param(
        INT, None, "Number of dimensions, if neither `scale` nor an input determines it.", minimum=1
    )

    def maps(self, known: int, *, scale: Float64s, center: Float64s | None) -> Float64s:
        given = scale.shape[1]
        ndim = given if given > 1 else self.ndim or known
        ndim = ndim or (1 if center is None else center.shape[1])
        if self.ndim not in (None, ndim):
            self.refuse(f"ndim is {self.ndim}, but scale has {given} values")
        factors = spread("scale", scale, ndim)
        return about(diagonal(factors), None if center is None else spread("center", center, ndim))
