"""Random numbers: `random.uniform`, `random.normal`, `random.coin_flip`.

Every number is a function of the pipeline's seed, the operator, the epoch and the sample's
position (see `engine/order/philox.py`). Batch size and number of threads change nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from ...engine.arrays import Float64s, Shape
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, Operator, register
from ...engine.graph.params import DTYPE, FLOAT, FLOATS, INTS, param
from ...engine.graph.row_arguments import try_rows
from ...engine.graph.rules import BatchRules, Input
from ...engine.order import philox
from ...engine.tensors import TensorList, TensorListCPU
from ...engine.tensors.dtypes import FLOAT as FLOAT32
from ...engine.tensors.dtypes import INT32, to_numpy_type
from ...geometry.layouts import check_exclusive
from ..common.batch_arguments import padded_numbers
from ..common.number_arguments import check_numbers
from ..common.whole_batches import UploadedOperator
from ..elementwise.saturation import saturate

_CHUNK = 1 << 17  # numbers to compute at once: 1 MiB of float64 stays in the cache


def wanted_shapes(
    operator: Operator, batch: BatchContext, shape_like: TensorList | None, shape: Any
) -> list[Shape]:
    """Return the shape of each sample's output; a sample with a negative extent gets an error."""
    if shape_like is not None:
        return shape_like.shape()
    if isinstance(shape, TensorList):
        shapes = [tuple(map(int, row.reshape(-1).tolist())) for row in shape.rows()]
    else:
        shapes = [shape or ()] * batch.size
    negative = [row for row, wanted in enumerate(shapes) if min(wanted, default=0) < 0]

    def check(row: int) -> None:
        check_numbers(operator, {"shape": shapes[row]})

    for row in try_rows(batch, negative, check):
        shapes[row] = (0,) * len(shapes[row])
    return shapes


def chunks(counts: Sequence[int]) -> Iterator[slice]:
    """Divide the rows, which have `counts` numbers each, into slices to compute at once."""
    rows = max(1, _CHUNK // max(1, max(counts, default=1)))
    for start in range(0, len(counts), rows):
        yield slice(start, min(start + rows, len(counts)))


def columns(values: object, size: int) -> Array:
    """Return a constant argument, or an argument with one scalar a sample, as (size, 1)."""
    if not isinstance(values, TensorList):
        return np.full((size, 1), values)
    if any(prod(shape) != 1 for shape in values.shape()):
        raise ArgumentError(
            f"expected one number a sample, but got samples of shape {set(values.shape())}"
        )
    return np.array([values.row(i).item() for i in range(size)]).reshape(size, 1)


class Distribution(UploadedOperator, ABC):
    """Base of operators that draw numbers from a distribution, which subclasses define."""

    inputs = (Input("shape_like", optional=True, device="any"),)
    is_random = True
    batches = BatchRules(sample_independent=True)
    shape = param(
        INTS,
        None,
        "Shape of a sample's output; by default one number, of shape ().",
        per_sample=True,
        minimum=0,
    )
    dtype = param(
        DTYPE,
        None,
        "Dtype of the output. For integer dtypes numbers are rounded, halves away from zero, and "
        "clamped to the dtype's range.",
    )
    _default = FLOAT32
    _kept: tuple[int, tuple[Array, ...]] | None = None

    def prepare(self) -> None:
        self._type = to_numpy_type(self._default if self.dtype is None else self.dtype)
        if self.layouts and "shape" in self.given:
            self.refuse("give either shape or the input shape_like")

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def batch(
        self,
        batch: BatchContext,
        shape_like: TensorList | None = None,
        *,
        shape: Any,
        **arguments: Any,
    ) -> TensorListCPU:
        shapes = wanted_shapes(self, batch, shape_like, shape)
        count_of = {wanted: prod(wanted) for wanted in set(shapes)}
        counts = [count_of[wanted] for wanted in shapes]
        widest = max(counts, default=0)
        per_row = self._rows_of(batch.size, arguments)
        numbers = batch.empty((batch.size, widest), self._type)
        for rows in chunks(counts):
            drawn = self._draw(batch, rows, widest, *(a[rows] for a in per_row))
            self._store(drawn, numbers[rows], *(a[rows] for a in per_row))
        if len(count_of) == 1:
            return TensorListCPU(numbers.reshape(batch.size, *shapes[0]))
        return TensorListCPU(
            [
                numbers[i, :count].reshape(wanted)
                for i, (count, wanted) in enumerate(zip(counts, shapes, strict=True))
            ]
        )

    def _rows_of(self, size: int, arguments: dict[str, object]) -> tuple[Array, ...]:
        """Return what `_arguments` returns; keep constant arguments for batches of this size."""
        if any(isinstance(value, TensorList) for value in arguments.values()):
            return self._arguments(size, **arguments)
        kept = self._kept
        if kept is None or kept[0] != size:
            kept = self._kept = size, self._arguments(size, **arguments)
        return kept[1]

    @abstractmethod
    def _arguments(self, size: int, **arguments: object) -> tuple[Array, ...]:
        """Return the distribution's arguments as arrays whose axis 0 runs over samples."""

    @abstractmethod
    def _draw(self, batch: BatchContext, rows: slice, count: int, *arguments: Array) -> Array:
        """Return the numbers of these rows: (rows, count)."""

    def _store(self, drawn: Array, out: Array, *arguments: Array) -> None:
        saturate(drawn, out)

    def _uniform(self, batch: BatchContext, rows: slice, count: int) -> Float64s:
        return philox.uniform(
            self.placement.random_key, batch.epoch[rows], batch.position[rows], count
        )


@register
class Uniform(Distribution):
    """Draws from a continuous uniform distribution, or from given values with equal probability.

    The numbers are below the end of the range. Rounding to an integer dtype can reach the end.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.random.uniform(range=(-1.0, 1.0)))
    ...     (result,) = pipe.run()
    ...     print(result.as_array().round(3))
    [ 0.426  0.992  0.232 -0.035]

    Inputs:
        shape_like: samples with the shape of the output, instead of `shape`.

    Outputs:
        the numbers: of dtype `dtype` (by default float32), without a layout.

    Raises:
        ArgumentError: the range is empty, or there are no values.
    """

    name = "random.uniform"
    aliases = ("uniform",)
    range = param(
        FLOATS,
        (-1.0, 1.0),
        "Numbers are drawn from [range[0], range[1]). Excludes `values`.",
        per_sample=True,
    )
    values = param(
        FLOATS,
        None,
        "The numbers to draw from, all equally likely. Excludes `range`.",
        per_sample=True,
    )

    def prepare(self) -> None:
        super().prepare()
        check_exclusive(self.called, self.given, "range", "values")
        self._discrete = "values" in self.given
        source = "values" if self._discrete else "range"
        if source not in self.per_sample:
            self._arguments(1, **{source: getattr(self, source)})  # raises for an empty range

    def _arguments(self, size: int, **arguments: object) -> tuple[Array, ...]:
        if self._discrete:
            return _table(self, arguments["values"], size)
        limits, lengths = _table(self, arguments["range"], size)
        if (lengths != 2).any():
            self.refuse("range must hold two numbers, [min, max)")
        bad = ~(limits[:, 0] < limits[:, 1])
        if bad.any():
            low, high = limits[bad][0]
            self.refuse(f"the range [{low}, {high}) is empty")
        return (limits[:, :1], limits[:, 1:])

    def _draw(self, batch: BatchContext, rows: slice, count: int, *arguments: Array) -> Array:
        numbers = self._uniform(batch, rows, count)
        if self._discrete:
            table, lengths = arguments
            picked: Array = np.take_along_axis(table, (numbers * lengths).astype(np.intp), 1)
            return picked
        low, high = arguments
        numbers *= high - low
        numbers += low
        return numbers

    def _store(self, drawn: Array, out: Array, *arguments: Array) -> None:
        super()._store(drawn, out)
        if out.dtype.kind == "f" and not self._discrete:
            ends = arguments[1].astype(out.dtype)
            np.minimum(out, np.nextafter(ends, out.dtype.type(-np.inf)), out=out)


def _table(operator: Operator, values: object, size: int) -> tuple[Array, Array]:
    """Return (size, longest) numbers, and the number of values of each row: (size, 1)."""
    table, lengths = padded_numbers(values, size)
    if not lengths.all():
        operator.refuse("values must hold at least one number")
    return table, lengths[:, np.newaxis]


@register
class Normal(Distribution):
    """Draws from a normal distribution.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.random.normal(mean=10.0, stddev=2.0))
    ...     (result,) = pipe.run()
    ...     print(result.as_array().round(3))
    [10.716 15.607 10.161 10.008]

    Inputs:
        shape_like: samples with the shape of the output, instead of `shape`.

    Outputs:
        the numbers: of dtype `dtype` (by default float32), without a layout.
    """

    name = "random.normal"
    aliases = ("normal_distribution",)
    mean = param(FLOAT, 0.0, "Mean.", per_sample=True)
    stddev = param(FLOAT, 1.0, "Standard deviation.", per_sample=True, minimum=0)

    def _arguments(self, size: int, **arguments: object) -> tuple[Array, ...]:
        stddev = columns(arguments["stddev"], size)
        if not (stddev >= 0).all():
            self.refuse(f"stddev must be at least 0, not {stddev.min()}")
        return columns(arguments["mean"], size), stddev

    def _draw(self, batch: BatchContext, rows: slice, count: int, *arguments: Array) -> Array:
        mean, stddev = arguments
        numbers = philox.normal(
            self.placement.random_key, batch.epoch[rows], batch.position[rows], count
        )
        numbers *= stddev
        numbers += mean
        return numbers


@register
class CoinFlip(Distribution):
    """Draws 1 with the given probability, else 0.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.random.coin_flip(probability=0.5))
    ...     (result,) = pipe.run()
    ...     print(result.as_array().tolist())
    [0, 0, 0, 1]

    Inputs:
        shape_like: samples with the shape of the output, instead of `shape`.

    Outputs:
        the numbers: of dtype `dtype` (by default int32), without a layout.

    Raises:
        ArgumentError: a probability is below 0 or above 1.
    """

    name = "random.coin_flip"
    aliases = ("coin_flip",)
    probability = param(
        FLOAT, 0.5, "Probability of 1, from 0 to 1.", per_sample=True, minimum=0, maximum=1
    )
    _default = INT32

    def _arguments(self, size: int, **arguments: object) -> tuple[Array, ...]:
        probability = columns(arguments["probability"], size)
        if not ((probability >= 0) & (probability <= 1)).all():
            self.refuse(
                f"the probabilities are {probability.min()} to {probability.max()}, but a "
                "probability must be from 0 to 1"
            )
        return (probability,)

    def _draw(self, batch: BatchContext, rows: slice, count: int, *arguments: Array) -> Array:
        flips: Array = self._uniform(batch, rows, count) < arguments[0]
        return flips

    def _store(self, drawn: Array, out: Array, *arguments: Array) -> None:
        np.copyto(out, drawn)  # every dtype holds 0 and 1
