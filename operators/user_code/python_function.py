"""User code in the middle of a pipeline: `python_function`."""

from __future__ import annotations

from typing import Any

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import register
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.tensors.results import BatchRows
from .device_data import device_column
from .function_calls import WorkerFunction, begin_batch, begin_rows
from .user_data import as_array, as_column, copied
from .user_function import check_size, guard_rows


@register
class PythonFunction(WorkerFunction):
    """Calls a Python function with the data, and passes its results on.

    The function gets one NumPy array for each input. One thread at a time calls the function, for
    the samples of a batch in order. With `batch_processing`, one call serves a batch, with a list
    of arrays for each input. The function may change its arguments: they are copies, if others read
    the same data.

    The function returns an array, or another sample that `external_source` accepts. With several
    outputs, it returns a tuple; with `num_outputs=0`, None. With `batch_processing`, each output is
    a list with one array a sample, or an array whose axis 0 runs over the samples. The pipeline
    copies the results.

    With `device="gpu"` the function gets CuPy arrays. It returns CuPy arrays, PyTorch tensors or
    other arrays on the GPU with `__dlpack__` or `__cuda_array_interface__`. The call happens when
    the batch's work is launched, with the pipeline's stream as CuPy's current stream. Launches of
    the function run after the launches that make its inputs. Batches come in order.

    The function holds the GIL while it runs, so no other Python code runs: prefer operators to
    functions. With `parallel=True` Python workers call the function instead: `py_num_workers`
    processes of the pipeline, which share out the samples of a batch, or the batches with
    `batch_processing`. Each worker has its own copy of the function and of all modules. The
    function must copy the arguments that it keeps. `docs/your_python.md` says how the function gets
    into the workers. The function is called even if its output is not used.

    A function with an argument `rng`, which no input fills, gets a `numpy.random.Generator` of its
    own for each sample; with `batch_processing`, a list with one generator a sample. The generator
    follows from the pipeline's seed, the epoch, the sample's position in the epoch and the operator
    alone. Workers, batch size and checkpoints change nothing.

    If the function raises an exception for one sample, the sample is bad, and the pipeline's
    `on_error` applies. With "raise", and with `batch_processing`, the exception reaches the caller
    of `run` with its own type.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.python_function([3, 1, 2], function=np.sort))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2 3]
    """

    name = "python_function"

    def batch(self, batch: BatchContext, *inputs: TensorList) -> Any:
        """Return the results; from Python workers, the function that waits for them."""
        workers = self.placement.python_workers
        if workers is not None and batch.size:
            if self.batch_processing:
                return begin_batch(self, workers, batch, inputs)
            return begin_rows(self, workers, batch, inputs)
        if self.batch_processing:
            return self._whole(batch, inputs)
        outputs = range(self.output_count)
        results = [BatchRows(batch.size, batch.empty, dense_hint=True) for _ in outputs]
        good: list[int] = []

        def compute(i: int) -> None:
            rows = (data.row(i) for data in inputs)
            returned = self.unpacked(self.call(*rows, **self.generator(batch, i)))
            arrays = [as_array(*pair) for pair in zip(returned, self.expected, strict=True)]
            first = [result.row(good[0]) for result in results] if good else None
            self.check_arrays(arrays, first)
            for result, array in zip(results, arrays, strict=True):
                result.store_row(i, array, None)  # copies: the function may reuse the array
            good.append(i)

        for i in guard_rows(batch, compute):
            for result in results:
                result.store_row(i, result.row(good[0]), None)
        return self.finished(results)

    def batch_gpu(self, batch: BatchContext, *inputs: TensorListGPU) -> tuple[TensorListGPU, ...]:
        device = batch.device
        for data in inputs:
            data.used_on(None)  # the default stream of PyTorch and others
        if self.batch_processing:
            rows = (data.rows() for data in inputs)
            returned = self.unpacked(self.call(*rows, **self.generators(batch)))
        else:
            returned = self._by_sample(batch, inputs)
        results = []
        for value, expected in zip(returned, self.expected, strict=True):
            column = device_column(value, expected, device)
            check_size(column, expected, batch)
            results.append(device.copied(column.rows, column.layout))
        return tuple(results)

    def _by_sample(
        self, batch: BatchContext, inputs: tuple[TensorListGPU, ...]
    ) -> tuple[list[object], ...]:
        """Call the function for each sample on the GPU; return a list for each output."""
        results: dict[int, tuple[Any, ...]] = {}

        def compute(i: int) -> None:
            rows = (data.row(i) for data in inputs)
            results[i] = self.unpacked(self.call(*rows, **self.generator(batch, i)))

        for i in guard_rows(batch, compute):
            results[i] = next(iter(results.values()))
        rows = range(batch.size)
        return tuple([results[i][k] for i in rows] for k in range(self.output_count))

    def _whole(
        self, batch: BatchContext, inputs: tuple[TensorList, ...]
    ) -> tuple[TensorListCPU, ...]:
        rows = (data.rows() for data in inputs)
        returned = self.unpacked(self.call(*rows, **self.generators(batch)))
        columns = []
        for value, expected in zip(returned, self.expected, strict=True):
            column = as_column(value, expected)
            check_size(column, expected, batch)
            columns.append(copied(column, batch))
        return tuple(columns)
