"""Batches as PyTorch tensors, without a copy.

    from penstock.plugin.pytorch import GenericIterator

    train = GenericIterator(pipeline, ["image", "label"], reader_name="Reader", batch_form="dict")
    for batch in train:
        loss = model(batch["image"], batch["label"])

A tensor shares the memory of the pipeline's output. The pipeline uses this memory again only after
the tensor and all views of the tensor are gone. So a program may keep batches for any time.

Outputs on the CPU are copied if their pipeline also works on a GPU, and they have 32 KiB or more.
The memory of these is pinned, and PyTorch must own pinned memory to wait for copies out of it.

Kernels that read a tensor on the GPU may wait in a stream long after Python has dropped the tensor.
Before the memory is used again, the GPU finishes the work that PyTorch's current stream had been
given by then. For work on another stream, let the stream on which the batch was taken wait for the
other stream (`wait_stream`) before the tensor is dropped. `Tensor.record_stream` has no effect,
because PyTorch's allocator does not own this memory.
"""

from __future__ import annotations

from typing import Any

from ...engine.errors import MissingDependencyError, install_hint
from ...engine.tensors.dtypes import ELEMENT_TYPES, to_numpy_type
from ..base_iterator import LastBatchPolicy
from . import fn as fn

try:
    import torch
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.pytorch needs PyTorch ({error}): {install_hint('torch')}", name=error.name
    ) from error

from .batch_dataset import BatchDataset
from .iterators import ClassificationIterator, GenericIterator, RaggedIterator
from .sharing import feed_ndarray

__all__ = [
    "BatchDataset",
    "ClassificationIterator",
    "DALIClassificationIterator",
    "DALIGenericIterator",
    "DALIRaggedIterator",
    "GenericIterator",
    "LastBatchPolicy",
    "RaggedIterator",
    "TorchPythonFunction",
    "feed_ndarray",
    "to_torch_type",
]

DALIGenericIterator = GenericIterator
DALIClassificationIterator = ClassificationIterator
DALIRaggedIterator = RaggedIterator

to_torch_type = {dtype: getattr(torch, to_numpy_type(dtype).name) for dtype in ELEMENT_TYPES}
"""PyTorch's dtype of each `DALIDataType`."""


class TorchPythonFunction:
    """`fn.torch_python_function` as a class, as those of `ops`."""

    def __init__(
        self,
        function: object,
        num_outputs: int = 1,
        device: str = "cpu",
        batch_processing: bool = False,
        **arguments: object,
    ) -> None:
        self._arguments = {
            "function": function,
            "num_outputs": num_outputs,
            "device": device,
            "batch_processing": batch_processing,
            **arguments,
        }

    @property
    def device(self) -> str:
        """As given."""
        return str(self._arguments["device"])

    @property
    def preserve(self) -> bool:
        """As given; False by default."""
        return bool(self._arguments.get("preserve", False))

    def __call__(self, *inputs: object, **arguments: object) -> Any:
        """Add the operator to the graph being defined and return its output or outputs."""
        return fn.torch_python_function(*inputs, **self._arguments, **arguments)
