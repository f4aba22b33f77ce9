"""User functions of PyTorch's tensors: `penstock.plugin.pytorch.fn.torch_python_function`."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ...engine.errors import MissingDependencyError, install_hint
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import register
from ...engine.tensors import TensorListGPU
from .dl_tensor_function import each_sample, shareable
from .python_function import PythonFunction


@register
class TorchPythonFunction(PythonFunction):
    """Calls a Python function with PyTorch's tensors, and passes its results on.

    The function gets one tensor for each input. With `batch_processing`, it gets a list of tensors
    for each input, and returns a list of tensors, or a tensor whose axis 0 runs over the samples.
    On the GPU PyTorch's current stream is the pipeline's. All else is as in `fn.python_function`.
    """

    name = "_torch_python_function"
    called = "plugin.pytorch.fn.torch_python_function"

    def prepare(self) -> None:
        super().prepare()
        self._torch = _import_torch()

    def call(self, *arguments: object, **generator: Any) -> Any:
        tensors = (each_sample(self._tensor_of, given) for given in arguments)
        returned = self.function(*tensors, **generator)
        return each_sample(self._without_gradient, returned)

    def _tensor_of(self, row: Any) -> object:
        return self._torch.from_dlpack(shareable(row))

    def _without_gradient(self, value: Any) -> Any:
        return value.detach() if isinstance(value, self._torch.Tensor) else value

    def batch_gpu(self, batch: BatchContext, *inputs: TensorListGPU) -> tuple[TensorListGPU, ...]:
        with self._on_stream(batch.device.stream.ptr):
            return super().batch_gpu(batch, *inputs)

    def _on_stream(self, handle: int) -> AbstractContextManager[Any]:
        """Return a context in which PyTorch works on a stream; 0 is the stream it works on."""
        cuda = self._torch.cuda
        context: AbstractContextManager[Any] = nullcontext()
        return cuda.stream(cuda.ExternalStream(handle)) if handle else context


def _import_torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingDependencyError(
            f"torch_python_function needs PyTorch ({error}): {install_hint('torch')}",
            name=error.name,
        ) from error
    return torch
