"""`fn.coord_transform`: points, vectors and colors under affine maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import ANY_FLOATS, DTYPE, param
from ...engine.graph.row_arguments import array_of, try_rows, values_of
from ...engine.graph.rules import SequenceRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import FLOAT, to_numpy_type
from ..elementwise.promotion import exact_type
from ..elementwise.saturation import saturate
from ..kernels import Pointers, kernel, launch_elements, struct_table

Numbers = Sequence[float] | None
_ONE, _ZERO = np.ones((1, 1)), np.zeros((1, 1))


@register
class CoordTransform(SampleOperator):
    """Maps vectors by p -> M p + T.

    The vectors lie on the last axis, n numbers each. M is a matrix of m rows and n columns, so that
    the results have m numbers. Without M, the vectors are only moved.

    Inputs:
        data: (..., n), numbers of any type.

    Outputs:
        the mapped vectors: (..., m), of type `dtype`; for integers rounded, and limited to the
        range of the type. The layout is that of the input.
    """

    name = "coord_transform"
    devices = ("cpu", "gpu")
    inputs = ("data",)
    sequences = SequenceRules(repeats_inputs=True)

    M = param(
        ANY_FLOATS,
        None,
        "The matrix, row by row; one number is a factor for all components.",
        per_sample=True,
    )
    T = param(
        ANY_FLOATS,
        None,
        "The vector that is added: m numbers, or one for all components.",
        per_sample=True,
    )
    MT = param(
        ANY_FLOATS,
        None,
        "M and T in one matrix of n + 1 columns, as `transforms.*` make it. It excludes M and T; "
        "one number is a factor for all components.",
        per_sample=True,
    )
    dtype = param(DTYPE, FLOAT, "Element type of the result.")

    def prepare(self) -> None:
        if "MT" in self.given and {"M", "T"} & self.given:
            self.refuse("MT excludes M and T; give MT alone, or the others")

    def sample(self, workspace: Workspace, data: Array, **arguments: Numbers) -> Array:
        (matrix,) = _maps(data.shape, 1, **_tables(arguments))
        linear, offset = matrix[:, :-1], matrix[:, -1]
        target, work = to_numpy_type(self.dtype), exact_type(data.dtype)
        out = workspace.empty((*data.shape[:-1], len(linear)), target)
        direct = target == work
        result = out if direct else workspace.scratch(out.shape, work)
        with np.errstate(all="ignore"):  # NaN and infinity go through
            np.matmul(data.astype(work, copy=False), linear.T.astype(work), out=result)
            result += offset.astype(work)
        if not direct:
            saturate(result, out)
        return out

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, **arguments: object
    ) -> TensorListGPU:
        shapes = data.extents()
        points = shapes[:, :-1].prod(axis=1)
        try:
            maps = list(self._maps_together(shapes, arguments))
        except ValueError:  # a sample has an error, or samples differ in their number of values
            maps, failed = self._maps_of_rows(batch, shapes, arguments)
            points[failed] = 0
        return self._launch(batch, data, points, maps)

    def _maps_together(self, shapes: Array, arguments: Mapping[str, object]) -> Array:
        """Return [M T] of all samples: (batch, m, n + 1)."""
        if (shapes[:, -1:] != shapes[0, -1:]).any():
            raise ArgumentError("vectors of different lengths are computed one by one")
        tables = {
            name: None if value is None else array_of(self, name, value, len(shapes))
            for name, value in arguments.items()
        }
        return _maps(shapes[0], len(shapes), **tables)

    def _maps_of_rows(
        self, batch: BatchContext, shapes: Array, arguments: Mapping[str, object]
    ) -> tuple[list[Array], list[int]]:
        """Return [M T] of each sample, and the samples that failed; enter their errors."""
        columns = {
            name: values_of(self, name, value, len(shapes)) for name, value in arguments.items()
        }
        maps: list[Array] = [np.zeros((0, 1))] * len(shapes)

        def make(i: int) -> None:
            own = {name: column[i] for name, column in columns.items()}
            (maps[i],) = _maps(shapes[i], 1, **_tables(own))

        failed = try_rows(batch, range(len(shapes)), make)
        return maps, failed

    def _launch(
        self, batch: BatchContext, data: TensorListGPU, points: Array, maps: list[Array]
    ) -> TensorListGPU:
        """Map `points` vectors of each sample by its [M T]."""
        source, target = to_numpy_type(data.dtype), to_numpy_type(self.dtype)
        work = exact_type(source)
        lengths, sizes = (np.array([value(matrix) for matrix in maps]) for value in (len, np.size))
        shapes = data.extents().copy()
        shapes[:, -1:] = lengths[:, np.newaxis]
        out = batch.device.empty(shapes, target, self.output_layouts()[0])
        table = struct_table(
            "Sample",
            batch.size,
            source=Pointers(data.pointers(), "const In*"),
            out=Pointers(out.pointers(), "Out*"),
            points=points,
            first=np.cumsum(sizes) - sizes,
            in_length=np.array([matrix.shape[1] - 1 for matrix in maps], np.int32),
            length=lengths.astype(np.int32),
        )
        types = {"In": c_type(source), "Out": c_type(target), "Work": c_type(work)}
        function = kernel("transforms/coord_transform", "coord_transform", **types)
        numbers = np.concatenate([matrix.reshape(-1) for matrix in maps]).astype(work)
        uploaded = batch.device.upload(numbers)
        launch_elements(batch.device, function, table, points, uploaded)
        return out


def _tables(arguments: Mapping[str, Numbers]) -> dict[str, Array | None]:
    """Return the arguments of a sample as `_maps` takes them."""
    return {k: None if v is None else np.array([v], np.float64) for k, v in arguments.items()}


def _maps(shape: Sequence[int], count: int, **arguments: Array | None) -> Array:
    """Return [M T] of samples with vectors on the last axis: (count, m, n + 1).

    Args:
        shape: of a sample; the last extent counts.
        count: number of samples.
        arguments: M, T and MT of the operator: (count, numbers), or None.
    """
    m, t, mt = (arguments[name] for name in ("M", "T", "MT"))
    if not len(shape):
        raise ArgumentError("the sample is one number; vectors need an axis of their components")
    n = int(shape[-1])
    if mt is not None and mt.shape[1] != 1:
        return _matrices("MT", mt, n + 1, n)
    factor = mt if mt is not None else m if m is not None else _ONE
    scaled = factor.shape[1] == 1 and n != 1
    diagonal = np.eye(n, dtype=bool)
    linear = (
        np.where(diagonal, factor[..., np.newaxis], 0) if scaled else _matrices("M", factor, n, n)
    )
    offset = _ZERO if t is None else t
    rows, numbers = linear.shape[1], offset.shape[1]
    if numbers not in (1, rows):
        raise ArgumentError(
            f"T has {numbers} values, but M has {rows} rows; give one value for each row, or one "
            "for all"
        )
    maps = np.empty((count, rows, n + 1))
    maps[..., :-1], maps[..., -1] = linear, offset
    return maps


def _matrices(name: str, values: Array, columns: int, n: int) -> Array:
    count, numbers = values.shape
    if not columns or numbers % columns or not numbers:
        raise ArgumentError(
            f"{name} has {numbers} values, which are no matrix of {columns} columns, for "
            f"vectors of {n} components"
        )
    return values.reshape(count, -1, columns)
