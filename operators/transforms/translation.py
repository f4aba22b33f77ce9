"""`fn.transforms.translation`."""

from __future__ import annotations

import numpy as np

from ...engine.arrays import Float64s
from ...engine.graph.operator import register
from ...engine.graph.params import FLOATS, REQUIRED, param
from .matrices import affine
from .matrix_operator import MatrixOperator


@register
class TransformTranslation(MatrixOperator):
    """Makes the matrix of a translation: p + offset.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.transforms.translation(offset=(10, 20)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[ 1.  0. 10.]
     [ 0.  1. 20.]]

    Inputs:
        matrix: an affine map (n, n + 1), float32, that is combined with the translation.

    Outputs:
        the matrix: float32, shape (n, n + 1).
    """

    name = "transforms.translation"
    aliases = ("transform_translation",)
    offset = param(
        FLOATS, REQUIRED, "The vector, with a number for each dimension.", per_sample=True
    )

    def maps(self, known: int, *, offset: Float64s) -> Float64s:
        count, ndim = offset.shape
        return affine(np.broadcast_to(np.eye(ndim), (count, ndim, ndim)), offset)
