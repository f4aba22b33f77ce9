"""`fn.coord_transform`: points, vectors and colors under affine maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import ANY_FLOATS, DTYPE, param
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import FLOAT, to_numpy_type
from ..common.batch_arguments import try_rows, values_of
from ..elementwise.saturation import saturate
from ..kernels import Pointers, kernel, launch_elements, struct_table

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

Numbers = Sequence[float] | None


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
            raise ArgumentError(f"{self.called}: MT excludes M and T; give MT alone, or the others")

    def sample(self, workspace: Workspace, data: Array, **arguments: Numbers) -> Array:
        linear, offset = _map(data.shape, **arguments)
        target, work = to_numpy_type(self.dtype), _work_type(data.dtype)
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
        self, batch: BatchContext, data: TensorListGPU, **arguments: Any
    ) -> TensorListGPU:
        columns = {
            name: values_of(self, name, value, batch.size) for name, value in arguments.items()
        }
        shapes = data.extents()
        maps: list[Array] = [np.zeros((0, 1))] * batch.size

        def make(i: int) -> None:
            own = {name: column[i] for name, column in columns.items()}
            maps[i] = np.column_stack(_map(shapes[i], **own))

        failed = try_rows(batch, range(batch.size), make)
        points = shapes[:, :-1].prod(axis=1)
        points[failed] = 0
        return self._launch(batch, data, points, maps)

    def _launch(
        self, batch: BatchContext, data: TensorListGPU, points: Array, maps: list[Array]
    ) -> TensorListGPU:
        """Map `points` vectors of each sample by its [M T]."""
        source, target = to_numpy_type(data.dtype), to_numpy_type(self.dtype)
        work = _work_type(source)
        lengths, sizes = (np.array([value(each) for each in maps]) for value in (len, np.size))
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
            in_length=np.array([each.shape[1] - 1 for each in maps], np.int32),
            length=lengths.astype(np.int32),
        )
        types = {"In": c_type(source), "Out": c_type(target), "Work": c_type(work)}
        function = kernel("coord_transform", "coord_transform", **types)
        numbers = np.concatenate([each.reshape(-1) for each in maps]).astype(work)
        uploaded = batch.device.upload(numbers)
        launch_elements(batch.device, function, table, points, uploaded)
        return out


def _work_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of the sums: float64 for numbers of 32 bits or more that are no float32."""
    wide = dtype.itemsize == 8 or (dtype.itemsize == 4 and dtype.kind != "f")
    return np.dtype(np.float64 if wide else np.float32)


def _map(shape: Sequence[int], **arguments: Numbers) -> tuple[Array, Array]:
    """Return M, (m, n), and T, (m,), for vectors on the last axis of a shape.

    Args:
        shape: of the sample.
        arguments: M, T and MT of the operator.
    """
    m, t, mt = (arguments[name] for name in ("M", "T", "MT"))
    if not len(shape):
        raise ArgumentError("the sample is one number; vectors need an axis of their components")
    n = int(shape[-1])
    if mt is not None and len(mt) != 1:
        both = _matrix("MT", mt, n + 1, n)
        return both[:, :-1], both[:, -1]
    factor = mt if mt is not None else m if m is not None else (1.0,)
    linear = np.eye(n) * factor[0] if len(factor) == 1 and n != 1 else _matrix("M", factor, n, n)
    offset = (0.0,) if t is None else t
    if len(offset) not in (1, len(linear)):
        raise ArgumentError(
            f"T has {len(offset)} values, but M has {len(linear)} rows; give one value for each "
            "row, or one for all"
        )
    return linear, np.broadcast_to(np.array(offset, np.float64), (len(linear),))


def _matrix(name: str, values: Sequence[float], columns: int, n: int) -> Array:
    if not columns or len(values) % columns or not len(values):
        raise ArgumentError(
            f"{name} has {len(values)} values, which are no matrix of {columns} columns, for "
            f"vectors of {n} components"
        )
    return np.array(values, np.float64).reshape(-1, columns)
