"""fn.normalize: removes the mean and divides by the standard deviation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.batch import Batch
from ...engine.errors import ArgumentError
from ...engine.layouts import check_exclusive, chosen_axes
from ...engine.operator import Array, BatchOperator, Operator, register
from ...engine.params import ARRAY, BOOL, DTYPE, FLOAT, INT, INTS, STR, param
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.types import DALIDataType, to_numpy_type
from .._rows import empty_rows
from ..numeric.saturation import saturate
from .normalize_batch import normalized, placed
from .standardize_batch import standardized
from .statistics import Reduction

Axes = tuple[int, ...]
Shape = tuple[int, ...]


class _Arguments(Operator):
    """Holds the argument `batch`, whose name is that of the work function as well."""

    batch = param(
        BOOL,
        False,
        "Whether mean and standard deviation are those of the whole batch; the extents of the "
        "axes that are not reduced must be the same then.",
    )


@register
class Normalize(_Arguments, BatchOperator):
    """Computes `scale * (data - mean) / stddev + shift`.

    What is not given of mean and standard deviation is computed along `axes`, for each sample
    or for the batch. A computed deviation of 0 (and `epsilon` 0) makes the result `shift`.

    Inputs:
        data: any numeric samples.

    The result is of type `dtype` and has the layout of the input. The computation is in float32,
    for FLOAT64 results in float64. On the GPU, statistics are summed in another order: results
    agree with those of the CPU to 1e-5 of the largest term, integers to 1.
    """

    name = "normalize"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    axes = param(
        INTS,
        None,
        "Axes that are reduced. By default those where `mean` or `stddev` have the extent 1 if "
        "one is an array, else all.",
    )
    axis_names = param(STR, None, "The axes, as letters of the layout, instead of `axes`.")
    mean = param(
        ARRAY,
        None,
        "What is subtracted: a number, or an array with the sample's number of dimensions and "
        "the extent 1 on axes that are reduced.",
        per_sample=True,
    )
    stddev = param(ARRAY, None, "What is divided by; a number or array as `mean`.", per_sample=True)
    scale = param(FLOAT, 1.0, "Factor of the normalised value.")
    shift = param(FLOAT, 0.0, "What is added last.")
    ddof = param(INT, 0, "The variance is the sum of squares divided by N - ddof, if computed.")
    epsilon = param(FLOAT, 0.0, "What is added to the variance.")
    dtype = param(
        DTYPE,
        DALIDataType.FLOAT,
        "Element type of the result. Integers are rounded, and clamped to the type's range.",
    )

    def prepare(self) -> None:
        self.whole_batch: bool = self.__dict__.pop("batch")  # would hide the work function
        check_exclusive("fn.normalize", self.given, "axes", "axis_names")
        if self.axes == () or self.ddof < 0 or self.epsilon < 0:
            raise ArgumentError(
                f"fn.normalize: axes is {self.axes}, ddof {self.ddof} and epsilon {self.epsilon}; "
                "there must be at least one axis, and neither number may be negative"
            )
        self.target = to_numpy_type(self.dtype)
        self.exact = np.dtype("f8" if self.target == np.float64 else "f4")

    def batch(self, batch: Batch, data: TensorList, *, mean: Any, stddev: Any) -> Any:
        shapes = data.shape()
        means, deviations = self._given(mean, shapes), self._given(stddev, shapes)
        axes = self._all_axes(shapes, means, deviations, batch)
        if means[0] is None:
            means = self._averages(data.rows(), axes, 0)
        out = empty_rows(batch, shapes, self.target)
        centred = [
            np.subtract(data.row(i), mean, dtype=self.exact, casting="unsafe")
            for i, mean in enumerate(means)
        ]
        factors = self._factors(centred, axes, deviations)
        for i, (values, factor) in enumerate(zip(centred, factors, strict=True)):
            values *= factor
            values += self.exact.type(self.shift)
            saturate(values, out[i, ...] if isinstance(out, np.ndarray) else out[i])
        return out

    def gpu(self, batch: Batch, data: TensorListGPU, *, mean: Any, stddev: Any) -> TensorListGPU:
        extents = data.extents()
        kept = np.ones(extents.shape, bool)
        if mean is None and stddev is None:
            kept[:, list(self._axes(data.ndim, None, None))] = False
        else:
            shapes = data.shape()
            means, deviations = self._given(mean, shapes), self._given(stddev, shapes)
            axes = self._all_axes(shapes, means, deviations, batch)
            for reduced in set(axes):
                kept[np.ix_([each == reduced for each in axes], reduced)] = False
        if self.whole_batch and (mean is None or stddev is None):
            good = [row for row in range(batch.size) if row not in batch.errors]
            self._check_alike(set(map(tuple, np.where(kept, extents, 1)[good].tolist())))
        if not data.ndim:
            extents, kept = np.ones((batch.size, 1), np.int64), np.zeros((batch.size, 1), bool)
        spread = self.ddof, self.scale, self.epsilon
        own = mean is None and stddev is None
        if own and not self.whole_batch:
            result = standardized(batch, data, extents, kept, *spread, self.shift, self.target)
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
        self, shapes: list[Shape], means: list[Any], deviations: list[Any], batch: Batch
    ) -> list[Axes]:
        """Return the axes along which each sample is reduced; check what is given."""
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

    def _given(self, value: Any, shapes: list[Shape]) -> list[Any]:
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
            rule = " with batch=True it must be one number" if self.whole_batch else ""
            raise ArgumentError(
                f"{name} has the shape {given.shape}, but a sample of the shape {shape} that is "
                f"reduced along the axes {axes} needs {wanted}, or one number;{rule}"
            )

    def _averages(self, rows: list[Array], axes: list[Axes], lost: int) -> list[Array]:
        """Return for each sample the sum along its axes over their extents less `lost`."""
        sums = [
            row.sum(axis, dtype=np.float64, keepdims=True)
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
                f"batch=True needs samples of the same extents on the axes that are not "
                f"reduced, but there the samples have {sorted(shapes)}"
            )

    def _factors(
        self, centred: list[Array], axes: list[Axes], deviations: list[Any]
    ) -> list[Array]:
        if deviations[0] is not None:
            return self._given_factors(deviations)
        squares = [np.square(values) for values in centred]
        variances = self._averages(squares, axes, self.ddof)
        return [self._factor(variance, True) for variance in variances]

    def _given_factors(self, deviations: list[Array]) -> list[Array]:
        """Return the factors of given deviations; those of one array for all samples once."""
        factors = {
            id(deviation): self._factor(np.square(deviation, dtype=np.float64), False)
            for deviation in {id(each): each for each in deviations}.values()
        }
        return [factors[id(deviation)] for deviation in deviations]

    def _factor(self, variance: Array, computed: bool) -> Array:
        deviation = np.sqrt(variance + self.epsilon)
        if not computed and not deviation.all():
            raise ArgumentError(
                "a value of stddev is 0 and would be divided by; give positive ones, or set epsilon"
            )
        factor = np.zeros_like(deviation, self.exact)
        np.divide(self.scale, deviation, out=factor, where=deviation != 0, casting="same_kind")
        return factor
