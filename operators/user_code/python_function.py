"""User code in the middle of a pipeline: `python_function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, param
from ...engine.printable import printable
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.tensors.results import BatchRows
from .device_data import device_column
from .user_data import Expected, as_array, as_column, check_alike, copied
from .user_function import UserFunction, check_size

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext


@register
class PythonFunction(UserFunction):
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
    functions. The function is called even if its output is not used.

    If the function raises an exception for one sample, the sample is bad, and the pipeline's
    `on_error` applies. With "raise", and with `batch_processing`, the exception reaches the caller
    of `run` with its own type.
    """

    name = "python_function"
    batch_processing = param(BOOL, False, "Call the function once a batch.")

    def call(self, *arguments: Any) -> Any:
        """Call the function with an array for each input, or with a list of arrays."""
        return self.function(*arguments)

    def batch(self, batch: BatchContext, *inputs: TensorList) -> tuple[TensorListCPU, ...]:
        if self.batch_processing:
            return self._whole(batch, inputs)
        outputs = range(self.output_count)
        results = [BatchRows(batch.size, batch.empty, dense_hint=True) for _ in outputs]
        good: list[int] = []

        def compute(i: int) -> None:
            returned = self.unpacked(self.call(*(data.row(i) for data in inputs)))
            arrays = [as_array(*pair) for pair in zip(returned, self.expected, strict=True)]
            for rows, array, expected in zip(results, arrays, self.expected, strict=True):
                _check_layout(array, expected)
                if good:
                    check_alike([rows.row(good[0]), array], expected.what)
            for rows, array in zip(results, arrays, strict=True):
                rows.store_row(i, array, None)  # copies, because the function may reuse the array
            good.append(i)

        for i in guard_rows(batch, compute):
            for rows in results:
                rows.store_row(i, rows.row(good[0]), None)
        layouts = self.output_layouts()
        return tuple(rows.finish(layout) for rows, layout in zip(results, layouts, strict=True))

    def batch_gpu(self, batch: BatchContext, *inputs: TensorListGPU) -> tuple[TensorListGPU, ...]:
        device = batch.device
        for data in inputs:
            data.used_on(None)  # the default stream of PyTorch and others
        if self.batch_processing:
            returned = self.unpacked(self.call(*(data.rows() for data in inputs)))
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
    ) -> tuple[list[Any], ...]:
        """Call the function for each sample on the GPU; return a list for each output."""
        each: dict[int, tuple[Any, ...]] = {}

        def compute(i: int) -> None:
            each[i] = self.unpacked(self.call(*(data.row(i) for data in inputs)))

        for i in guard_rows(batch, compute):
            each[i] = next(iter(each.values()))
        rows = range(batch.size)
        return tuple([each[i][k] for i in rows] for k in range(self.output_count))

    def _whole(
        self, batch: BatchContext, inputs: tuple[TensorList, ...]
    ) -> tuple[TensorListCPU, ...]:
        returned = self.unpacked(self.call(*(data.rows() for data in inputs)))
        columns = []
        for value, expected in zip(returned, self.expected, strict=True):
            column = as_column(value, expected)
            check_size(column, expected, batch)
            columns.append(copied(column, batch))
        return tuple(columns)


def guard_rows(batch: BatchContext, compute: Callable[[int], None]) -> list[int]:
    """Call `compute` for each good row of a batch, and record the errors of user code.

    Returns the rows without a result. The caller fills these rows with valid data, because
    whole-batch operators of the same segment may use the rows before the engine replaces them.

    Raises:
        Exception: no row has a result, or user code raised StopIteration.
    """
    for i in range(batch.size):
        if i not in batch.errors:
            try:
                compute(i)
            except StopIteration:
                raise
            except Exception as error:
                batch.errors[i] = error
    bad = sorted(batch.errors)
    if bad and len(bad) == batch.size:
        first, location = batch.errors[bad[0]], printable(batch.where(bad[0]))
        first.add_note(f"sample {bad[0]} of the batch" + (f", from {location}" if location else ""))
        raise first
    return bad


def _check_layout(array: Array, expected: Expected) -> None:
    if expected.layout and len(expected.layout) != array.ndim:
        raise ArgumentError(
            f"{expected.what} has the layout {expected.layout!r}, which does not describe a sample "
            f"of shape {array.shape}"
        )
