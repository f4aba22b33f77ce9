"""`fn.normalize`: subtract the mean of samples, and divide by their standard deviation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.arrays import Shape
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import ARRAY, BOOL, DTYPE, FLOAT, INT, INTS, STR, param
from ...engine.graph.rules import BatchRules, GpuRules
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import DALIDataType, to_numpy_type
from ...geometry.layouts import check_exclusive, chosen_axes
from ..common.batch_arguments import empty_rows
from ..elementwise.saturation import saturate
from .gpu_normalize import normalized, placed
from .gpu_standardize import Spread, standardized
from .gpu_statistics import Reduction
from .unit_range import UnitRange

Axes = tuple[int, ...]


@register
class Normalize(BatchOperator):
    """Computes `scale * (data - mean) / stddev + shift`.

    Without `mean` or `stddev`, the operator computes the missing statistic along `axes`, for each
    sample or for the batch. If a computed deviation and `epsilon` are 0, the result is `shift`.

    Inputs:
        data: any numeric samples.

    Outputs:
        the results: of dtype `dtype` and the layout of the input.

    The operator computes in float32, and for results of FLOAT64 in float64. The GPU adds in another
    order than the CPU. The results of the two differ by at most 1e-5 of the largest term, and for
    integer dtypes by at most 1.
    """

    name = "normalize"
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(rehearses=True)
    inputs = ("data",)

    whole_batch = param(
        BOOL,
        False,
        "Compute mean and standard deviation over the whole batch. All samples must then have "
        "the same extents on the axes that are not reduced.",
        name="batch",
    )
    axes = param(
        INTS,
        None,
        "Axes to reduce. Default: the axes on which an array `mean` or `stddev` has the extent 1, "
        "and all axes if neither is an array.",
    )
    axis_names = param(STR, None, "The axes, as letters of the layout, instead of `axes`.")
    mean = param(
        ARRAY,
        None,
        "Mean to subtract: a number, or an array with the sample's number of dimensions and the "
        "extent 1 on reduced axes.",
        per_sample=True,
    )
    stddev = param(
        ARRAY, None, "Standard deviation: a number or an array, like `mean`.", per_sample=True
    )
    scale = param(FLOAT, 1.0, "Factor of the normalized value.")
    shift = param(FLOAT, 0.0, "Number to add last.")
    ddof = param(INT, 0, "A computed variance is the sum of squares divided by N - ddof.")
    epsilon = param(FLOAT, 0.0, "Number to add to the variance.")
    dtype = param(
        DTYPE,
        DALIDataType.FLOAT,
        "Dtype of the result. Integers are rounded, and clamped to the dtype's range.",
    )

    def prepare(self) -> None:
        check_exclusive(self.called, self.given, "axes", "axis_names")
        if self.axes == () or self.ddof < 0 or self.epsilon < 0:
            self.refuse(
                f"axes is {self.axes}, ddof is {self.ddof} and epsilon is {self.epsilon}; give at "
                "least one axis, and no negative numbers"
            )
        self.batches = BatchRules(sample_independent=not self.whole_batch)
        self.target = to_numpy_type(self.dtype)
        self.exact = np.dtype("f8" if self.target == np.float64 else "f4")
        self._unit_range = UnitRange(self, "mean", "stddev")

    def batch(self, batch: BatchContext, data: TensorList, *, mean: Any, stddev: Any) -> Any:
        shapes = data.shape()
        if not shapes:
            return empty_rows(batch, shapes, self.target)
        self._unit_range.look_at(to_numpy_type(data.dtype))
        means, deviations = self._given(mean, shapes), self._given(stddev, shapes)
        axes = self._all_axes(shapes, means, deviations, batch)
        if means[0] is None:
            means = self._averages(data.rows(), axes, 0)
        out = empty_rows(batch, shapes, self.target)
        results = [
            out[i, ...] if isinstance(out, np.ndarray) else out[i] for i in range(len(shapes))
        ]
        in_place = self.target == self.exact
        centered = [
            np.subtract(
                data.row(i),
                mean,
                out=results[i] if in_place else None,
                dtype=self.exact,
                casting="unsafe",
            )
            for i, mean in enumerate(means)
        ]
        factors = self._factors(centered, axes, deviations)
        for i, (values, factor) in enumerate(zip(centered, factors, strict=True)):
            values *= factor
            values += self.exact.type(self.shift)
            if not in_place:
                saturate(values, results[i])
        return out

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, *, mean: Any, stddev: object
    ) -> TensorListGPU:
        self._unit_range.look_at(to_numpy_type(data.dtype))
        extents = data.extents()
        kept = np.ones(extents.shape, bool)
        if mean is None and stddev is None:
            kept[:, list(self._axes(data.ndim, None, None))] = False
        else:
            shapes = data.shape()
            means, deviations = self._given(mean, shapes), self._given(stddev, shapes)
            axes = self._all_axes(shapes, means, deviations, batch)
            for reduced in set(axes):
                kept[np.ix_([chosen == reduced for chosen in axes], reduced)] = False
        if self.whole_batch and (mean is None or stddev is None):
            good = [row for row in range(batch.size) if row not in batch.errors]
            self._check_alike(set(map(tuple, np.where(kept, extents, 1)[good].tolist())))
        if not data.ndim:
            extents, kept = np.ones((batch.size, 1), np.int64), np.zeros((batch.size, 1), bool)
        spread = self.ddof, self.scale, self.epsilon
        own = mean is None and stddev is None
        if own and not self.whole_batch:
            whole = Spread(*spread, self.shift)
            result = standardized(batch, data, extents, kept, whole, self.target)
            if result is not None:
                return result
        reduction = Reduction(batch, data, extents, kept, self.exact, self.whole_batch)
        if own:
            return normalized(batch, data, *reduction.both(*spread), self.shift, self.target)
        subtracted = reduction.means() if mean is None else placed(batch, means)
        if stddev is None:
            factors = reduction.factors(subtracted, *spread)
        else:
            factors = placed(batch, self._given_factors(deviations))
        return normalized(batch, data, subtracted, factors, self.shift, self.target)

    def _all_axes(
        self, shapes: list[Shape], means: list[Any], deviations: list[Any], batch: BatchContext
    ) -> list[Axes]:
        """Return the axes to reduce in each sample; check the given means and deviations."""
        axes_of: dict[Any, Axes] = {}
        checked: set[Any] = set()
        result = []
        for row, (shape, m, s) in enumerate(zip(shapes, means, deviations, strict=True)):
            given = len(shape), *(None if a is None else a.shape for a in (m, s))
            if given not in axes_of:
                axes_of[given] = self._axes(len(shape), m, s)
            result.append(axes_of[given])
            if (shape, given) not in checked and row not in batch.errors:
                self._check("mean", m, shape, result[-1])
                self._check("stddev", s, shape, result[-1])
                checked.add((shape, given))
        return result

    def _given(self, value: object, shapes: list[Shape]) -> list[Any]:
        """Return a mean or deviation for each sample: an array, or None to compute it."""
        if not isinstance(value, TensorList):
            return [None if value is None else np.asarray(value, self.exact)] * len(shapes)
        return [np.asarray(value.row(i), self.exact) for i in range(len(shapes))]

    def _axes(self, ndim: int, mean: Array | None, stddev: Array | None) -> Axes:
        if self.axes is not None or self.axis_names is not None:
            return chosen_axes(self.layouts[0], ndim, self.axes, self.axis_names)
        for given in (mean, stddev):
            if given is not None and given.size > 1:
                return tuple(axis for axis, extent in enumerate(given.shape) if extent == 1)
        return tuple(range(ndim))

    def _check(self, name: str, given: Array | None, shape: Shape, axes: Axes) -> None:
        if given is None or given.size == 1:
            return
        wanted = tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))
        if given.shape != wanted or self.whole_batch:
            rule = "; with batch=True it must be one number" if self.whole_batch else ""
            raise ArgumentError(
                f"{name} has the shape {given.shape}, but a sample of the shape {shape} that is "
                f"reduced along the axes {axes} needs {wanted}, or one number{rule}"
            )

    def _averages(
        self,
        rows: list[Array],
        axes: list[Axes],
        lost: int,
        terms: Callable[[Array], Array] = np.asarray,
    ) -> list[Array]:
        """Return each sample's sum along its axes, divided by the number of terms minus `lost`."""
        sums = [
            terms(row).sum(axis, dtype=np.float64, keepdims=True)
            for row, axis in zip(rows, axes, strict=True)
        ]
        counts = [
            row.size // total.size if total.size else 0
            for row, total in zip(rows, sums, strict=True)
        ]
        if self.whole_batch:
            self._check_alike({total.shape for total in sums})
            sums, counts = [sum(sums[1:], sums[0])] * len(rows), [sum(counts)] * len(rows)
        return [
            total / (count - lost) if count > lost else np.zeros_like(total)
            for total, count in zip(sums, counts, strict=True)
        ]

    def _check_alike(self, shapes: set[Shape]) -> None:
        if self.whole_batch and len(shapes) > 1:
            raise ArgumentError(
                "with batch=True all samples need the same extents on the axes that are not "
                f"reduced, but they have {sorted(shapes)}"
            )

    def _factors(
        self, centered: list[Array], axes: list[Axes], deviations: list[Any]
    ) -> list[Array]:
        if deviations[0] is not None:
            return self._given_factors(deviations)
        memory = np.empty(max(values.size for values in centered), self.exact)

        def squared(values: Array) -> Array:
            return np.square(values, out=memory[: values.size].reshape(values.shape))

        variances = self._averages(centered, axes, self.ddof, squared)
        return [self._factor(variance, True) for variance in variances]

    def _given_factors(self, deviations: list[Array]) -> list[Array]:
        """Return the factors of given deviations; compute an array's factor only once."""
        factors = {
            id(deviation): self._factor(np.square(deviation, dtype=np.float64), False)
            for deviation in {id(array): array for array in deviations}.values()
        }
        return [factors[id(deviation)] for deviation in deviations]

    def _factor(self, variance: Array, computed: bool) -> Array:
        deviation = np.sqrt(variance + self.epsilon)
        if not computed and not deviation.all():
            raise ArgumentError(
                "a value of stddev is 0, but stddev is a divisor; give positive values, or set "
                "epsilon"
            )
        factor = np.zeros_like(deviation, self.exact)
        np.divide(self.scale, deviation, out=factor, where=deviation != 0, casting="same_kind")
        return factor
