"""User functions that Numba compiles: `penstock.plugin.numba.fn.experimental.numba_function`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import MissingDependencyError, install_hint
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import BOOL, CALLABLE, DTYPES, INTS, NO_EFFECT, REQUIRED, param
from ...engine.graph.rules import BatchRules, Input
from ...engine.tensors import TensorList, TensorListCPU
from ...engine.tensors.dtypes import to_numpy_type
from ..common.batch_arguments import empty_rows
from .user_function import guard_rows


@register
class NumbaFunction(BatchOperator):
    """Calls a function that Numba compiles, which writes its results into arrays.

    `run_fn(out0, ..., in0, ...)` gets the arrays of a sample's outputs, and then those of its
    inputs. With `batch_processing` one call serves a batch, and each argument holds the arrays of
    all samples. Numba compiles the function in its mode "nopython", so the function does not hold
    the GIL. It has to write all elements of its outputs.

    `setup_fn(outs, ins)` writes the shapes of the outputs, once a batch: `outs[i][k]` is the shape
    of output i of sample k, and `ins` has the shapes of the inputs. Without it, the outputs have
    the shapes of the inputs. DALI runs the operator on the GPU as well.

    Inputs:
        inputs: one or more, of the declared types and numbers of dimensions.

    Outputs:
        one for each of `out_types`.

    Raises:
        ArgumentError: the data are not what was declared, or the declarations do not agree.
        MissingDependencyError: Numba is not installed.
    """

    name = "_numba_function"
    batches = BatchRules(sample_independent=False)
    called = "plugin.numba.fn.experimental.numba_function"
    inputs = (Input("inputs", many=True, may_change=True),)

    run_fn = param(CALLABLE, REQUIRED, "The function.")
    out_types = param(DTYPES, REQUIRED, "Type of each output.")
    in_types = param(DTYPES, REQUIRED, "Type of each input.")
    outs_ndim = param(INTS, REQUIRED, "Number of dimensions of each output.")
    ins_ndim = param(INTS, REQUIRED, "Number of dimensions of each input.")
    setup_fn = param(CALLABLE, None, "Function that writes the shapes of the outputs.")
    batch_processing = param(BOOL, False, "Call the function once a batch.")
    blocks = param(INTS, None, NO_EFFECT)
    threads_per_block = param(INTS, None, NO_EFFECT)

    def prepare(self) -> None:
        self.preserve = True
        self._out_types = [to_numpy_type(dtype) for dtype in self.out_types]
        self._in_types = [to_numpy_type(dtype) for dtype in self.in_types]
        counts = len(self.layouts), len(self._in_types), len(self.ins_ndim)
        if len(set(counts)) > 1 or len(self._out_types) != len(self.outs_ndim):
            self.refuse(
                f"there are {counts[0]} inputs, {counts[1]} in_types and {counts[2]} ins_ndim, "
                f"{len(self._out_types)} out_types and {len(self.outs_ndim)} outs_ndim; give one "
                "for each input and output"
            )
        same = tuple(self.ins_ndim[: len(self.outs_ndim)]) == tuple(self.outs_ndim)
        if self.setup_fn is None and not same:
            self.refuse(
                "without setup_fn, output i has the shape of input i, but outs_ndim is "
                f"{self.outs_ndim} and ins_ndim is {self.ins_ndim}"
            )
        self._numba = _import_numba()
        self._run = self._compiled(self.run_fn)
        self._setup = None if self.setup_fn is None else self._compiled(self.setup_fn)

    def _compiled(self, function: Any) -> Any:
        """Return a function that Numba compiles when it is called."""
        return function if hasattr(function, "py_func") else self._numba.njit(nogil=True)(function)

    def num_outputs(self) -> int:
        return len(self._out_types)

    def output_layouts(self) -> tuple[str, ...]:
        return ("",) * self.num_outputs()

    def batch(self, batch: BatchContext, *inputs: TensorList) -> tuple[TensorListCPU, ...]:
        self._check(inputs)
        if not batch.size:
            return tuple(TensorListCPU([]) for _ in self._out_types)
        pairs = zip(self._shapes(inputs), self._out_types, strict=True)
        outs = [empty_rows(batch, [*map(tuple, shapes.tolist())], dtype) for shapes, dtype in pairs]
        ins = [[np.ascontiguousarray(row) for row in data.rows()] for data in inputs]
        if self.batch_processing:
            self._run(*map(self._together, (*outs, *ins)))
        else:
            for i in guard_rows(batch, lambda i: self._run(*(rows[i] for rows in (*outs, *ins)))):
                for rows in outs:
                    rows[i][...] = 0
        return tuple(map(TensorListCPU, outs))

    def _check(self, inputs: Sequence[TensorList]) -> None:
        """Raise ArgumentError unless the inputs are as declared."""
        declared = zip(inputs, self._in_types, self.ins_ndim, strict=True)
        for i, (data, dtype, ndim) in enumerate(declared):
            if len(data) and (to_numpy_type(data.dtype), data.ndim) != (dtype, ndim):
                self.refuse(
                    f"input {i} is declared as {dtype} with {ndim} dimensions, but is "
                    f"{to_numpy_type(data.dtype)} with {data.ndim}"
                )

    def _shapes(self, inputs: Sequence[TensorList]) -> list[Int64s]:
        """Return the shapes of each output: (batch, ndim)."""
        given = [data.extents().copy() for data in inputs]
        if self._setup is None:
            return given[: self.num_outputs()]
        made = [np.full((len(inputs[0]), ndim), -1, np.int64) for ndim in self.outs_ndim]
        self._setup(tuple(made), tuple(given))
        for i, shapes in enumerate(made):
            if shapes.size and shapes.min() < 0:
                self.refuse(
                    f"setup_fn did not write the shapes of output {i}, which are {shapes.tolist()} "
                    "now"
                )
        return made

    def _together(self, rows: Array | list[Array]) -> Any:
        """Return the samples of a batch as one array, or as a list that Numba knows."""
        if isinstance(rows, np.ndarray):
            return rows
        return self._numba.typed.List(rows)


def _import_numba() -> Any:
    try:
        import numba
    except ImportError as error:
        raise MissingDependencyError(
            f"numba_function needs Numba ({error}): {install_hint('numba')}", name=error.name
        ) from error
    return numba
