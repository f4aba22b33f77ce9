"""`fn.transforms.shear`."""

from __future__ import annotations

import numpy as np

from ...engine.arrays import Float64s
from ...engine.errors import ArgumentError
from ...engine.graph.operator import register
from ...engine.graph.params import FLOATS, param
from ...geometry.layouts import check_exclusive
from .matrices import about, radians_of, shears, spread
from .matrix_operator import MatrixOperator


@register
class TransformShear(MatrixOperator):
    """Makes the matrix of a shear: x + shear_xy * y, and so on.

    A factor says how far the first axis moves for a step along the second axis. In the plane the
    factors are xy, yx. In space the factors are xy, xz, yx, yz, zx, zy. Give `shear` or `angles`.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.transforms.shear(shear=(0.5, 0)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1.  0.5 0. ]
     [0.  1.  0. ]]

    Inputs:
        matrix: an affine map (n, n + 1), float32, that is combined with the shear.

    Outputs:
        the matrix: float32, shape (2, 3) or (3, 4).
    """

    name = "transforms.shear"
    shear = param(FLOATS, None, "The factors: 2, or 6 in space.", per_sample=True)
    angles = param(
        FLOATS, None, "Degrees from -90 to 90, whose tangents are the factors.", per_sample=True
    )
    center = param(FLOATS, None, "A point that stays; by default the origin.", per_sample=True)

    def prepare(self) -> None:
        check_exclusive(self.called, self.given, "shear", "angles")
        if not {"shear", "angles"} & self.given:
            raise ArgumentError(f"{self.called} needs shear or angles; give one of them")

    def maps(
        self,
        known: int,
        *,
        shear: Float64s | None,
        angles: Float64s | None,
        center: Float64s | None,
    ) -> Float64s:
        if angles is not None:
            if not (np.abs(angles) <= 90).all():
                self.refuse("angles must be from -90 to 90 degrees")
            shear = np.tan(radians_of(angles))
        assert shear is not None
        linear = shears(shear)
        return about(linear, None if center is None else spread("center", center, linear.shape[1]))
