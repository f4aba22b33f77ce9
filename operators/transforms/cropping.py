"""`fn.transforms.crop`."""

from __future__ import annotations

import numpy as np

from ...engine.arrays import Float64s
from ...engine.graph.operator import register
from ...engine.graph.params import BOOL, FLOATS, param
from .matrices import affine, diagonal, spread
from .matrix_operator import MatrixOperator


@register
class TransformCrop(MatrixOperator):
    """Makes the matrix that maps one window of coordinates onto another window.

    The corner `from_start` moves to `to_start`, and `from_end` moves to `to_end`. Coordinates of
    points in an image follow a crop so.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.transforms.crop(from_start=(0, 0), from_end=(1, 1), to_end=(200, 100))
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[200.   0.   0.]
     [  0. 100.   0.]]

    Inputs:
        matrix: an affine map (n, n + 1), float32, that is combined with this map.

    Outputs:
        the matrix: float32, shape (n, n + 1). A window without extent gives infinite numbers.
    """

    name = "transforms.crop"
    from_start = param(FLOATS, (0.0,), "Lower corner of the first window.", per_sample=True)
    from_end = param(FLOATS, (1.0,), "Upper corner of the first window.", per_sample=True)
    to_start = param(FLOATS, (0.0,), "Lower corner of the second window.", per_sample=True)
    to_end = param(FLOATS, (1.0,), "Upper corner of the second window.", per_sample=True)
    absolute = param(BOOL, False, "Whether a start above its end changes places with the end.")

    def maps(self, known: int, **corners: Float64s | None) -> Float64s:
        given = {
            name: np.array([self.params[name].default]) if value is None else value
            for name, value in corners.items()
        }
        ndim = max(known, *(value.shape[1] for value in given.values()))
        start, end, to_start, to_end = (
            spread(name, given[name], ndim)
            for name in ("from_start", "from_end", "to_start", "to_end")
        )
        if self.absolute:
            start, end = np.minimum(start, end), np.maximum(start, end)
            to_start, to_end = np.minimum(to_start, to_end), np.maximum(to_start, to_end)
        factors = (to_end - to_start) / (end - start)
        return affine(diagonal(factors), to_start - factors * start)
