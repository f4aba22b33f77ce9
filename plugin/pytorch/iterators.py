"""The iterators that hand out PyTorch's tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Never, TypeVar

from ...engine.errors import ArgumentError
from ...engine.pipeline.pipeline import Pipeline
from ...engine.tensors import TensorList
from ..base_iterator import VALID, BaseIterator, LastBatchPolicy, check_uniform, of_all
from ..forms import IN_LISTS, Form
from ..options import DESCRIPTION, refuse_unknown
from .sharing import TorchTensor, dense, rows, sparse
from .tensor_options import ARGUMENTS, Names, TensorOptions

__all__ = ["ClassificationIterator", "GenericIterator", "RaggedIterator"]

T = TypeVar("T")


class TorchIterator(BaseIterator[T, Form]):
    """Turns outputs into tensors, as `options` say."""

    described: ClassVar[str] = DESCRIPTION + ARGUMENTS
    options: TensorOptions

    def dense(self, name: str, output: TensorList, count: int, *advice: str) -> TorchTensor:
        """Return the first `count` samples as one tensor."""
        check_uniform(name, output, *advice)
        return self.options.of_batch(name, dense(output, count), output.layout())


class GenericIterator(TorchIterator[TorchTensor, Form]):
    """Yields each output of a pipeline as one tensor of shape (batch, *sample).

    All samples of a batch must have the same shape. For other batches use `RaggedIterator`.

    Args:
        {arguments}
    """

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        output_map: Sequence[str] | None = None,
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy | str = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        with_valid: bool = False,
        *,
        batch_form: Form = IN_LISTS,
        class_labels: Names = None,
        channels_last: bool | Names = False,
        pin_memory: bool = False,
        **unknown: Never,
    ) -> None:
        super().__init__(**of_all(locals()))
        self.options = TensorOptions(self.output_map, class_labels, channels_last, pin_memory)

    def convert(self, name: str, output: TensorList, count: int) -> TorchTensor:
        """Return one tensor of shape (count, *sample), which shares the output's memory."""
        return self.dense(name, output, count)


class ClassificationIterator(GenericIterator[Form]):
    """`GenericIterator` for pipelines with two outputs, which it names "data" and "label".

    Args:
        {arguments}
    """

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy | str = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        with_valid: bool = False,
        *,
        batch_form: Form = IN_LISTS,
        class_labels: bool = False,
        channels_last: bool | Names = False,
        pin_memory: bool = False,
        **unknown: Never,
    ) -> None:
        refuse_unknown(type(self), unknown)
        output_map = ["data", "label"]
        super().__init__(
            **of_all(locals()),
            class_labels="label" if class_labels else None,
            channels_last=channels_last,
            pin_memory=pin_memory,
        )


class RaggedIterator(TorchIterator[Any, Form]):
    """Yields outputs whose samples differ in shape.

    Args:
        {arguments}
        output_types: a tag for each output; the default is `DENSE_TAG` for every output:

            * `DENSE_TAG`: one tensor of shape (batch, *sample), as from `GenericIterator`.
            * `SPARSE_LIST_TAG`: a list with one tensor for each sample, without a copy.
            * `SPARSE_COO_TAG`: one coalesced sparse tensor of shape (batch, *largest extents)
              which holds a copy of all elements of all samples, zeros included. It is never in
              pinned memory.
    """

    DENSE_TAG: ClassVar[str] = "dense"
    SPARSE_LIST_TAG: ClassVar[str] = "sparse_list"
    SPARSE_COO_TAG: ClassVar[str] = "sparse_coo"

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        output_map: Sequence[str] | None = None,
        size: int = -1,
        reader_name: str | None = None,
        output_types: Sequence[str] | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy | str = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        with_valid: bool = False,
        *,
        batch_form: Form = IN_LISTS,
        class_labels: Names = None,
        channels_last: bool | Names = False,
        pin_memory: bool = False,
        **unknown: Never,
    ) -> None:
        super().__init__(**of_all(locals()))
        tags = [self.DENSE_TAG] * len(self.output_map) if output_types is None else output_types
        known = (self.DENSE_TAG, self.SPARSE_LIST_TAG, self.SPARSE_COO_TAG)
        if len(tags) != len(self.output_map) or any(tag not in known for tag in tags):
            raise ArgumentError(
                f"output_types must give one of {', '.join(known)} for each of the outputs "
                f"{self.output_map}, not {output_types!r}"
            )
        self._tags = {VALID: self.DENSE_TAG, **dict(zip(self.output_map, tags, strict=True))}
        tensors = [name for name in self.output_map if self._tags[name] == self.DENSE_TAG]
        self.options = TensorOptions(tensors, class_labels, channels_last, pin_memory)

    def convert(self, name: str, output: TensorList, count: int) -> TorchTensor | list[TorchTensor]:
        """Return one tensor or a list of tensors, as the output's tag says."""
        tag = self._tags[name]
        if tag == self.DENSE_TAG:
            return self.dense(name, output, count, self._list_advice(name))
        if tag == self.SPARSE_LIST_TAG:
            return [self.options.pinned(tensor) for tensor in rows(output, count)]
        return sparse(output, count)

    def _list_advice(self, name: str) -> str:
        tags = [
            f"RaggedIterator.{'SPARSE_LIST' if output == name else tag.upper()}_TAG"
            for output, tag in self._tags.items()
            if output in self.output_map
        ]
        return f"get this output as a list: output_types=[{', '.join(tags)}]"
