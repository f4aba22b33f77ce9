"""Batches as NumPy arrays, for machines without a deep-learning framework."""

from __future__ import annotations

from ..engine.arrays import Array
from ..engine.tensors import TensorList
from .base_iterator import BaseIterator, LastBatchPolicy, check_uniform
from .forms import Form
from .two_outputs import TwoOutputs

__all__ = ["ClassificationIterator", "GenericIterator", "LastBatchPolicy"]


class GenericIterator(BaseIterator[Array, Form]):
    """Yields each output of a pipeline as one array of shape (batch, *sample).

    An array shares the memory of the pipeline's output. The pipeline uses this memory again only
    after the array and all views of the array are gone. Outputs on the GPU are copied to the host.
    All samples of a batch must have the same shape.

    Args:
        {arguments}
    """

    def convert(self, name: str, output: TensorList, count: int) -> Array:
        """Return an array of shape (count, *sample), which shares the output's memory."""
        check_uniform(name, output)
        array: Array = output.as_cpu().dense()[:count]
        return array


class ClassificationIterator(TwoOutputs[Array, Form], GenericIterator[Form]):
    """`GenericIterator` for pipelines with two outputs, which it names "data" and "label".

    Args:
        {arguments}
    """
