"""User code in the middle of a pipeline: `python_function`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...engine.batch import Rows
from ...engine.errors import ArgumentError
from ...engine.operator import Array, BatchOperator, register
from ...engine.params import ANY, BOOL, CALLABLE, INT, REQUIRED, Param, param
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from .device_data import device_column
from .user_data import Column, Expected, as_array, as_column, check_alike, copied, expectations

if TYPE_CHECKING:
    from ...engine.batch import Batch


@register
class PythonFunction(BatchOperator):
    """Calls a Python function with the data, and goes on with what it returns.

    The function gets one NumPy array an input, and is called for the samples of a batch one after
    the other, never by two threads at once. With `batch_processing` it is called once a batch, with
    a list of arrays an input. It must not change its arguments.

    It returns an array (or whatever `external_source` takes for a sample), with several outputs
    a tuple of them, with `num_outputs=0` nothing. With `batch_processing` each output is a list
    with one array a sample, or an array whose axis 0 runs over them. What it returns is copied.

    With `device="gpu"` it gets CuPy arrays, and returns CuPy arrays, PyTorch tensors or whatever
    else has `__dlpack__` or `__cuda_array_interface__` on the GPU. It is called when the batch's
    work is launched, with the pipeline's stream as CuPy's current one, and need not wait for
    anything: its launches run after those that make its inputs. Batches come in order.

    While the function runs it holds the interpreter, and no other Python code runs: prefer
    operators where there are any. The operator runs even if its output is not used. What the
    function raises reaches the caller of `run` as it is.
    """

    name = "python_function"
    devices = ("cpu", "gpu")
    in_order = True
    inputs = ("*inputs",)
    function = param(CALLABLE, REQUIRED, "The function.")
    batch_processing = param(BOOL, False, "Call the function once a batch.")

    def prepare(self) -> None:
        # These arguments share their names with methods: move them away.
        layouts = vars(self).pop("output_layouts")
        self._count: int = vars(self).pop("num_outputs")
        if self._count < 0:
            raise ArgumentError("fn.python_function: num_outputs must not be negative")
        self._expected = expectations("fn.python_function", self._count, layouts, None, None)
        self.preserve = True

    def num_outputs(self) -> int:
        return self._count

    def output_layouts(self) -> tuple[str, ...]:
        return tuple(expected.layout or "" for expected in self._expected)

    def batch(self, batch: Batch, *inputs: TensorList) -> tuple[TensorListCPU, ...]:
        if self.batch_processing:
            return self._whole(batch, inputs)
        results = [Rows(batch, dense_hint=True) for _ in range(self._count)]
        for i in range(batch.size):
            returned = self._unpacked(self.function(*(data.row(i) for data in inputs)))
            for rows, value, expected in zip(results, returned, self._expected, strict=True):
                array = as_array(value, expected)
                _check_layout(array, expected)
                if i:
                    check_alike([rows.row(0), array], expected.what)
                rows.put(i, array, None)  # a copy: the function may return the same array again
        layouts = self.output_layouts()
        return tuple(rows.finish(layout) for rows, layout in zip(results, layouts, strict=True))

    def gpu(self, batch: Batch, *inputs: TensorListGPU) -> tuple[TensorListGPU, ...]:
        device = batch.device
        for data in inputs:
            data.used_on(None)  # where PyTorch and others work unless they are told otherwise
        if self.batch_processing:
            returned = self._unpacked(self.function(*(data.rows() for data in inputs)))
        else:
            each = [
                self._unpacked(self.function(*(data.row(i) for data in inputs)))
                for i in range(batch.size)
            ]
            returned = tuple(list(column) for column in zip(*each, strict=True))
            returned = returned or ([],) * self._count
        results = []
        for value, expected in zip(returned, self._expected, strict=True):
            column = device_column(value, expected, device)
            _check_size(column, expected, batch)
            results.append(device.copied(column.rows, column.layout))
            batch.held.append(column.rows)  # until they are copied
        return tuple(results)

    def _whole(self, batch: Batch, inputs: tuple[TensorList, ...]) -> tuple[TensorListCPU, ...]:
        returned = self._unpacked(self.function(*(data.rows() for data in inputs)))
        columns = []
        for value, expected in zip(returned, self._expected, strict=True):
            column = as_column(value, expected)
            _check_size(column, expected, batch)
            columns.append(copied(column, batch))
        return tuple(columns)

    def _unpacked(self, returned: Any) -> tuple[Any, ...]:
        """Return what the function returned as one value an output."""
        count = self._count
        if count == 0:
            if returned is not None:
                raise ArgumentError(
                    "fn.python_function: with num_outputs=0 the function must return None, not "
                    f"{type(returned).__name__}"
                )
            return ()
        if count == 1 and not (isinstance(returned, tuple) and len(returned) == 1):
            if returned is None:
                raise ArgumentError(
                    "fn.python_function: the function returned None; return an array, or say "
                    "num_outputs=0"
                )
            return (returned,)
        if not isinstance(returned, tuple) or len(returned) != count:
            size = f" of {len(returned)}" if isinstance(returned, tuple) else ""
            raise ArgumentError(
                f"fn.python_function: with num_outputs={count} the function must return a tuple of "
                f"{count}, not a {type(returned).__name__}{size}"
            )
        return returned


def _check_size(column: Column, expected: Expected, batch: Batch) -> None:
    if len(column) != batch.size:
        raise ArgumentError(
            f"{expected.what}: the function returned {len(column)} samples for a batch of "
            f"{batch.size}"
        )


def _check_layout(array: Array, expected: Expected) -> None:
    if expected.layout and len(expected.layout) != array.ndim:
        raise ArgumentError(
            f"{expected.what} has the layout {expected.layout!r}, which does not describe a sample "
            f"of shape {array.shape}"
        )


# Declared here because the class has methods of these names.
PythonFunction.params["num_outputs"] = Param(INT, 1, "Number of outputs.")
PythonFunction.params["output_layouts"] = Param(
    ANY, None, "Layout of the outputs, or a list with one for each of the first."
)
