"""The forms in which an iterator hands out a batch: the argument `batch_form`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from ..engine.errors import ArgumentError

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # has `default`, as typing has since Python 3.13
else:
    from typing import TypeVar

BatchForm: TypeAlias = Literal["list", "dict", "tuple"]
InLists: TypeAlias = Literal["list"]
InDicts: TypeAlias = Literal["dict"]
InTuples: TypeAlias = Literal["tuple"]

# An iterator's class is generic in these, so type checkers know the batches of each form.
if TYPE_CHECKING:
    Form = TypeVar("Form", bound=BatchForm, default=InLists)
    DictForm = TypeVar("DictForm", bound=BatchForm, default=InDicts)
else:
    Form = TypeVar("Form")
    DictForm = TypeVar("DictForm")

IN_LISTS: Any = "list"
"""The default of an argument `batch_form: Form`. No one text is a value of every `Form`."""

IN_DICTS: Any = "dict"
"""The default of an argument `batch_form: DictForm`."""


def check_form(form: object, batches: int) -> None:
    """Raise ArgumentError unless so many dictionaries a step can be handed out in a form."""
    if form not in get_args(BatchForm):
        raise ArgumentError(f'batch_form must be "list", "dict" or "tuple", not {form!r:.80}')
    if form != "list" and batches != 1:
        raise ArgumentError(
            f"batch_form={form!r} needs one pipeline, but there are {batches}; use "
            "batch_form='list', which has a dictionary for each pipeline"
        )


def formed(form: BatchForm, batches: Sequence[Mapping[str, object]]) -> Any:
    """Return the dictionaries of one step in a form."""
    if form == "list":
        return batches
    (batch,) = batches
    return batch if form == "dict" else tuple(batch.values())
