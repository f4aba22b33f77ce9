"""The operators of conditional execution: truth values, merged data and assertions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, LayoutError
from ..tensors import TensorList, TensorListCPU, TensorListGPU
from ..tensors.chosen_rows import merged, merged_on_device, truth_of
from .context import BatchContext, Workspace
from .operator import Array, SampleOperator, register
from .params import BOOL, REQUIRED, STR, param
from .row_arguments import try_rows
from .rules import Input


@register
class Truth(SampleOperator):
    """The truth value of a number: whether it is not 0."""

    name = "_truth"
    called = "a condition"
    inputs = ("data",)
    light = True
    word = param(STR, REQUIRED, "The statement or expression that needs the value.")
    side = param(STR, "", "Which argument of an expression the data are.")
    negated = param(BOOL, False, "Return whether the number is 0.")
    line = param(STR, REQUIRED, "Line of the user's program.")

    def prepare(self) -> None:
        self._types = "b" if self.side else "biuf"

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(self, workspace: Workspace, data: Array) -> Array:
        return self._truth(data)

    def batch(self, batch: BatchContext, data: TensorListCPU) -> Any:
        if data.is_dense() and batch.size:
            dense = data.dense()
            self._check(dense[0, ...])
            return (dense == 0) == self.negated
        rows: NDArray[np.bool_] = np.zeros(batch.size, bool)

        def compute(i: int) -> None:
            rows[i] = self._truth(data.row(i))

        try_rows(batch, range(batch.size), compute)
        return rows

    def _truth(self, data: Array) -> Array:
        self._check(data)
        return np.asarray((data == 0) == self.negated)

    def _check(self, data: Array) -> None:
        if data.ndim == 0 and data.dtype.kind in self._types:
            return
        got = f"a {data.ndim}-d input" if data.ndim else f"an input of type `{data.dtype}`"
        if self.word in ("if", "assert"):
            text = f"Conditions inside `{self.word}` statements are restricted to"
            where = f"as a condition of the `{self.word}` statement"
        else:
            text = f"Logical expression `{self.word}` is restricted to"
            side = f"as the {self.side} argument " if self.side else ""
            where = f"{side}in logical expression"
        of_bool = " of `bool` type" if self.side else ""
        raise ArgumentError(
            f"{text} scalar (0-d tensors) inputs{of_bool}, that are placed on CPU. Got {got} "
            f"{where}. The data are {data.dtype} of shape {data.shape}, and `{self.word}` is at "
            f"{self.line}; select an element, as in `data[0]`, or compare data, as in `data != 0`"
        )


@register
class Merge(SampleOperator):
    """The data of the branch that each sample has taken."""

    name = "_merge"
    called = "the end of an `if`"
    inputs = (Input("condition", device="cpu"), "if_true", "if_false")
    devices = ("cpu", "gpu")
    light = True
    what = param(STR, "", "What is merged, with the lines that made it, for messages.")

    def prepare(self) -> None:
        first, second = self.layouts[1:]
        if first and second and first != second:
            raise LayoutError(divergent(self.what, f"of layout {first!r}", f"of layout {second!r}"))

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layouts[1] or self.layouts[2],)

    def sample(
        self, workspace: Workspace, condition: Array, if_true: Array, if_false: Array
    ) -> Array:
        return if_true if condition else if_false

    def batch(
        self,
        batch: BatchContext,
        condition: TensorListCPU,
        if_true: TensorListCPU,
        if_false: TensorListCPU,
    ) -> TensorList:
        return merged(self._checked(condition, if_true, if_false), if_true, if_false)

    def batch_gpu(
        self,
        batch: BatchContext,
        condition: TensorListCPU,
        if_true: TensorListGPU,
        if_false: TensorListGPU,
    ) -> TensorList:
        return merged_on_device(self._checked(condition, if_true, if_false), if_true, if_false)

    def rehearse(self, batch: BatchContext, *inputs: object, **arguments: object) -> object:
        return inputs[-1] if inputs else None

    def _checked(
        self, condition: TensorList, if_true: TensorList, if_false: TensorList
    ) -> NDArray[np.bool_]:
        """Return the condition of each sample; check that the data can form one batch."""
        truth = truth_of(condition)
        if truth.any() and not truth.all():
            kinds = [
                _kind(data.row(int(np.argmax(truth == side))))
                for data, side in ((if_true, True), (if_false, False))
            ]
            if kinds[0] != kinds[1]:
                raise ArgumentError(divergent(self.what, *kinds))
        return truth


def _kind(row: Any) -> str:
    return kind_of(row.dtype, row.ndim)


def kind_of(dtype: Any, ndim: int) -> str:
    """Return type and number of dimensions of a sample's data, for messages."""
    return f"{np.dtype(dtype).name} with {ndim} dimension" + ("" if ndim == 1 else "s")


def divergent(what: str, if_true: str, if_false: str) -> str:
    """Return the message for branches whose data cannot form one batch.

    Args:
        what: what is merged, with its lines.
        if_true, if_false: the data of each branch.
    """
    return (
        f"Divergent data found in different branches of `if/else` control flow statement: {what} "
        f"is {if_true} in the `if` branch, but {if_false} in the `else` branch. All paths must "
        "give data of one type, number of dimensions and layout; convert the data in one branch, "
        "such as with fn.cast or fn.reshape"
    )


@register
class Assertion(SampleOperator):
    """Raises AssertionError for samples that do not meet a condition."""

    name = "_assert"
    called = "an assertion"
    inputs = ("condition",)
    outputs = 0
    light = True
    preserve = True
    message = param(STR, "", "Message of the error.")

    def output_layouts(self) -> tuple[str, ...]:
        return ()

    def sample(self, workspace: Workspace, condition: Array) -> tuple[Array, ...]:
        if not condition:
            raise AssertionError(self.message)
        return ()

    def batch(self, batch: BatchContext, condition: TensorListCPU) -> tuple[Any, ...]:
        for i in np.flatnonzero(~truth_of(condition)).tolist():
            batch.fail_row(i, AssertionError(self.message))
        return ()
