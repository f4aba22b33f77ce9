"""Batches as NumPy arrays, for machines without a deep-learning framework."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ..engine.tensors import TensorList
from .base_iterator import BaseIterator, LastBatchPolicy, check_uniform

if TYPE_CHECKING:
    from ..engine.pipeline import Pipeline

__all__ = ["ClassificationIterator", "GenericIterator", "LastBatchPolicy"]


class GenericIterator(BaseIterator[NDArray[Any]]):
    """Yields each output of a pipeline as one array of shape (batch, *sample).

    An array shares the memory of the pipeline's output, which is used again only after the array
    and all views of it are gone. Outputs on the GPU are copied to the host. All samples of
    a batch must have the same shape.
    """

    def _convert(self, name: str, output: TensorList, rows: int) -> NDArray[Any]:
        check_uniform(name, output)
        return output.as_cpu().as_array()[:rows]


class ClassificationIterator(GenericIterator):
    """`GenericIterator` for pipelines with two outputs, which it names "data" and "label"."""

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        super().__init__(
            pipelines,
            ["data", "label"],
            size,
            reader_name,
            auto_reset,
            fill_last_batch,
            last_batch_padded,
            last_batch_policy,
            prepare_first_batch,
        )
