"""Random numbers from the beta distribution: `random.beta`."""

from __future__ import annotations

import numpy as np

from ...engine.arrays import Float64s
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, register
from ...engine.graph.params import FLOAT, param
from ...engine.order import philox
from .random_numbers import Distribution, columns

_ATTEMPTS = 6
"""An attempt fails at most once in 20 times, so all attempts fail once in 64 million."""


@register
class Beta(Distribution):
    """Draws from the beta distribution: its density is proportional to x^(alpha-1) (1-x)^(beta-1).

    Numbers lie in [0, 1]. If X and Y have gamma distributions, X / (X + Y) has this distribution.
    X and Y are drawn by the method of Marsaglia and Tsang, "A simple method for generating gamma
    variables" (2000).

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.random.beta(alpha=2.0, beta=5.0))
    ...     (result,) = pipe.run()
    ...     print(result.as_array().round(3))
    [0.256 0.313 0.128 0.424]
    """

    name = "random.beta"
    alpha = param(FLOAT, 1.0, "Above 0; the larger, the nearer to 1.", per_sample=True, above=0)
    beta = param(FLOAT, 1.0, "Above 0; the larger, the nearer to 0.", per_sample=True, above=0)

    def _arguments(self, size: int, **arguments: object) -> tuple[Array, ...]:
        both = columns(arguments["alpha"], size), columns(arguments["beta"], size)
        for name, values in zip(("alpha", "beta"), both, strict=True):
            if not (values > 0).all():
                self.refuse(f"{name} must be above 0, not {values.min()}")
        return both

    def _draw(self, batch: BatchContext, rows: slice, count: int, *arguments: Array) -> Array:
        first, second = (
            self._log_gamma(batch, rows, count, shape, which)
            for which, shape in enumerate(arguments)
        )
        with np.errstate(over="ignore"):  # exp is infinite where the result is 0
            result: Array = 1 / (1 + np.exp(second - first))
        return result

    def _log_gamma(
        self, batch: BatchContext, rows: slice, count: int, shape: Array, which: int
    ) -> Float64s:
        """Return logarithms of numbers from the gamma distribution of this shape: (rows, count)."""
        counter = (batch.epoch[rows], batch.position[rows])
        size = (len(counter[0]), count, _ATTEMPTS)
        keys = [philox.mix(self.placement.random_key, which, i) for i in range(3)]
        wanted = count * _ATTEMPTS
        normal = philox.normal(keys[0], *counter, wanted).reshape(size)
        uniform = philox.uniform(keys[1], *counter, wanted).reshape(size)
        boost = 1 - philox.uniform(keys[2], *counter, count)
        # The method needs a shape of at least 1. For a smaller shape, numbers are drawn for
        # shape + 1 and then corrected.
        d = np.where(shape < 1, shape + 1, shape)[:, :, None] - 1 / 3
        v = (1 + normal / np.sqrt(9 * d)) ** 3
        with np.errstate(divide="ignore", invalid="ignore"):  # attempts with v <= 0 are rejected
            fits = np.log(1 - uniform) < normal**2 / 2 + d * (1 - v + np.log(v))
        fits &= v > 0
        chosen = np.take_along_axis(v, fits.argmax(2)[:, :, None], 2)[:, :, 0]
        chosen = np.where(fits.any(2), chosen, 1.0)
        logarithm: Float64s = np.log(d[:, :, 0] * chosen)
        return logarithm + np.where(shape < 1, np.log(boost) / shape, 0.0)
