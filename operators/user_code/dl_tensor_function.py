"""User functions of DLPack capsules: `dl_tensor_python_function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import register
from ...engine.graph.params import BOOL, param
from ...engine.tensors import TensorListGPU
from .python_function import PythonFunction

_HOST, _GPU = (1, 0), (2, 0)  # DLPack's devices


@register
class DLTensorPythonFunction(PythonFunction):
    """Calls a Python function with DLPack capsules, and passes its results on.

    One call serves a batch. The function gets a list of capsules for each input, such as
    `torch.utils.dlpack.from_dlpack` takes, and returns a list for each output: of capsules, or of
    any other samples that `fn.python_function` accepts. With `batch_processing=False`, it is
    called for each sample, with one capsule for each input. All else is as in
    `fn.python_function`.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.dl_tensor_python_function([1, 2], function=lambda x: x))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2]
    """

    name = "dl_tensor_python_function"
    batch_processing = param(BOOL, True, "Call the function once a batch.")
    synchronize_stream = param(
        BOOL,
        True,
        "On the GPU, wait for the inputs before each batch's calls. With False the function has to "
        "work on the pipeline's stream, CuPy's current one.",
    )

    def call(self, *arguments: object, **generator: Any) -> Any:
        capsules = (each_sample(_capsule_of, given) for given in arguments)
        returned = self.function(*capsules, **generator)
        return each_sample(self._wrapped, returned)

    def _wrapped(self, value: object) -> object:
        if type(value).__name__ != "PyCapsule":
            return value
        return _Exported(value, _GPU if self.device == "gpu" else _HOST)

    def batch_gpu(self, batch: BatchContext, *inputs: TensorListGPU) -> tuple[TensorListGPU, ...]:
        if self.synchronize_stream:
            batch.device.synchronize()
        return super().batch_gpu(batch, *inputs)


class _Exported:
    """A capsule as an object that libraries import."""

    def __init__(self, capsule: object, device: tuple[int, int]) -> None:
        self._capsule, self._device = capsule, device

    def __dlpack__(self, **_: object) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def each_sample(convert: Callable[[Any], object], data: object) -> object:
    """Return samples in nested lists and tuples, each converted."""
    if isinstance(data, list | tuple):
        return type(data)(each_sample(convert, value) for value in data)
    return convert(data)


def shareable(row: object) -> Any:
    """Return an array that DLPack exports: a copy, if the array must not be changed."""
    return row.copy() if isinstance(row, np.ndarray) and not row.flags.writeable else row


def _capsule_of(row: Any) -> object:
    return shareable(row).__dlpack__()
