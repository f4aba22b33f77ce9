"""The arguments of iterators over pipelines that return data and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Never, TypeVar

from ..engine.pipeline.pipeline import Pipeline
from .base_iterator import BaseIterator, LastBatchPolicy, of_all
from .forms import IN_LISTS, Form
from .options import refuse_unknown

T = TypeVar("T")


class TwoOutputs(BaseIterator[T, Form]):
    """Names two outputs "data" and "label"; the argument `output_map` falls away."""

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
        **unknown: Never,
    ) -> None:
        refuse_unknown(type(self), unknown)
        output_map = ["data", "label"]
        super().__init__(**of_all(locals()))
