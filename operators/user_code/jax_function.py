"""User functions of JAX's arrays: `penstock.plugin.jax.fn.jax_function`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.errors import MissingDependencyError
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import register
from ...engine.graph.params import ANY, param
from ...engine.graph.rules import Input
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.tensors.device_tensors import LastingExport
from ...engine.tensors.source_info import Names, joined
from .device_data import device_column
from .user_data import Column, as_column, copied
from .user_function import UserFunction


@register
class JaxFunction(UserFunction):
    """Calls a Python function with JAX's arrays, and passes its results on.

    The function gets an array for each input, whose axis 0 runs over the samples. So the samples of
    an input must have one shape. With several outputs, the function returns a tuple of such arrays.
    JAX turns 64-bit numbers into 32 bits, unless its option `jax_enable_x64` is set. The arrays
    must not be used after the function's end.

    By default, output i has the layout of input i, if their samples have as many dimensions. With
    `sharding`, the arrays are global ones, of which this process has one shard.

    On the GPU, JAX's streams wait for the inputs, and the pipeline's stream for the results.
    """

    name = "_jax_function"
    called = "plugin.jax.fn.jax_function"
    inputs = (Input("inputs", many=True),)  # arrays of JAX cannot be changed
    sharding = param(ANY, None, "A `jax.sharding.Sharding` with one device of this process.")

    def prepare(self) -> None:
        preserve = self.preserve
        super().prepare()
        self.preserve = preserve
        self._jax = _import_jax()
        sharding = self.sharding
        if sharding is None:
            return
        if not isinstance(sharding, self._jax.sharding.Sharding):
            self.refuse(
                f"sharding is {type(sharding).__name__} data; it must be a jax.sharding.Sharding"
            )
        if len(sharding.addressable_devices) != 1:
            self.refuse(
                f"the sharding has {len(sharding.addressable_devices)} devices of this process; it "
                "must have one: run a process for each device"
            )

    def batch(self, batch: BatchContext, *inputs: TensorList) -> tuple[TensorListCPU, ...]:
        if not batch.size:
            return tuple(TensorListCPU([]) for _ in self.expected)
        jax = self._jax
        device = jax.local_devices(backend="cpu")[0]
        arrays = [jax.device_put(self._copied(data, batch), device) for data in inputs]
        results = []
        for i, value in enumerate(self._results(arrays)):
            column = as_column(np.asarray(value), self.expected[i])
            self._check_size(i, column, batch)
            result = copied(self._described(i, column, inputs), batch)
            results.append(result.with_source_info(_joined_names(inputs)))
        return tuple(results)

    def batch_gpu(self, batch: BatchContext, *inputs: TensorListGPU) -> tuple[TensorListGPU, ...]:
        if not batch.size:
            return tuple(batch.device.copied([], "") for _ in self.expected)
        for data in inputs:
            self._dense(data)
        arrays = [self._jax.dlpack.from_dlpack(LastingExport(data)) for data in inputs]
        results = []
        for i, value in enumerate(self._results(arrays)):
            column = device_column(value, self.expected[i], batch.device)
            self._check_size(i, column, batch)
            column = self._described(i, column, inputs)
            result = batch.device.copied(column.rows, column.layout)
            results.append(result.with_source_info(_joined_names(inputs)))
        return tuple(results)

    def _dense(self, data: TensorList) -> Any:
        """Return an input as one array."""
        if not data.is_dense_tensor():
            shapes = ", ".join(map(str, list(dict.fromkeys(data.shape()))[:4]))
            self.refuse(
                f"the function takes arrays, but got a batch of samples with different shapes "
                f"({shapes} ...); resize, crop or pad them to one shape before"
            )
        return data.dense()

    def _copied(self, data: TensorList, batch: BatchContext) -> Any:
        """Return an input as an array that JAX may keep: aligned, so that JAX copies no more."""
        dense = self._dense(data)
        copy = batch.empty(dense.shape, dense.dtype)
        np.copyto(copy, dense)
        return copy

    def _results(self, arrays: list[Any]) -> tuple[Any, ...]:
        """Call the function; return the array of each output, in which all work is done."""
        if self.sharding is not None:
            arrays = [self._of_all_processes(array) for array in arrays]
        returned = self.function(*arrays)
        if isinstance(returned, list):
            returned = tuple(returned)
        if isinstance(returned, tuple) and len(returned) != self.output_count == 1:
            self.refuse(
                "the function must return (a tuple of) `num_outputs=1` outputs, but returned "
                f"{len(returned)}"
            )
        values = self.unpacked(returned)
        if self.sharding is not None:
            values = tuple(self._of_this_process(value) for value in values)
        done: tuple[Any, ...] = self._jax.block_until_ready(values)
        return done

    def _of_all_processes(self, array: Any) -> Any:
        shape = (len(self.sharding.device_set) * array.shape[0], *array.shape[1:])
        return self._jax.make_array_from_single_device_arrays(shape, self.sharding, [array])

    def _of_this_process(self, value: Any) -> Any:
        shards = value.addressable_shards
        if len(shards) != 1:
            self.refuse(
                f"the function returned an array with {len(shards)} shards of this process; it "
                "must have one"
            )
        return shards[0].data

    def _check_size(self, number: int, column: Column, batch: BatchContext) -> None:
        if len(column) != batch.size:
            shape = " x ".join(map(str, column.rows.shape))
            self.refuse(
                f"axis 0 of results must have the current batch size of {batch.size}, but the "
                f"output at index {number} has the shape {shape}"
            )

    def _described(self, number: int, column: Column, inputs: tuple[TensorList, ...]) -> Column:
        """Return an output with its layout: declared, or of the input with its number."""
        if self.expected[number].layout is not None or number >= len(inputs):
            return column
        same_ndim = inputs[number].ndim == column.rows.ndim - 1
        return Column(column.rows, inputs[number].layout() if same_ndim else "")


def _joined_names(inputs: Sequence[TensorList]) -> Names:
    all_names = [data.names for data in inputs]
    return joined(lambda row: [names[row] for names in all_names if names], len(inputs[0]))


def _import_jax() -> Any:
    try:
        import jax
        import jax.dlpack
        import jax.sharding
    except ImportError as error:
        raise MissingDependencyError(
            f"jax_function needs JAX ({error}): pip install jax, or 'jax[cuda13]' for the GPU",
            name=error.name,
        ) from error
    return jax
