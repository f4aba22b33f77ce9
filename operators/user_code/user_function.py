"""Base of the operators that call a user's function: arguments, outputs, and what it returns."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import ClassVar

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import BatchOperator
from ...engine.graph.params import ANY, CALLABLE, INT, REQUIRED, param
from ...engine.graph.rules import BatchRules, GpuRules, Input
from ...engine.printable import printable
from .user_data import Column, Expected, expectations
from .user_source import GENERATOR, wants_generator


class UserFunction(BatchOperator):
    """Calls a Python function with the data, and passes its results on."""

    devices = ("cpu", "gpu")
    on_gpu = GpuRules(in_order=True)
    batches = BatchRules(sample_independent=False)
    inputs = (Input("inputs", many=True, may_change=True),)
    hands_generators: ClassVar[bool] = False
    """Whether functions with an argument `rng` get random generators."""

    function = param(CALLABLE, REQUIRED, "The function.")
    output_count = param(INT, 1, "Number of outputs.", name="num_outputs", minimum=0)
    declared_layouts = param(
        ANY,
        None,
        "Layout of all outputs, or a list with the layouts of the first outputs.",
        name="output_layouts",
    )

    def prepare(self) -> None:
        layouts = self.declared_layouts
        if isinstance(layouts, list | tuple) and len(layouts) > self.output_count:
            self.refuse(
                f"output_layouts has {len(layouts)} layouts, but num_outputs is {self.output_count}"
            )
        self.expected = expectations(
            self.called, self.output_count, self.declared_layouts, None, None
        )
        self.preserve = True
        self.takes_generator = False
        try:
            signature = inspect.signature(self.function)
            if self.hands_generators and wants_generator(signature.parameters):
                filled = signature.bind_partial(*self.layouts).arguments
                self.takes_generator = GENERATOR not in filled
            signature.bind(*self.layouts, **({GENERATOR: None} if self.takes_generator else {}))
        except TypeError as error:
            raise ArgumentError(
                f"{self.called}: the function cannot be called with {len(self.layouts)} "
                f"inputs: {error}"
            ) from None
        except ValueError:  # some functions in C have no signature
            pass

    def num_outputs(self) -> int:
        return int(self.output_count)

    def output_layouts(self) -> tuple[str, ...]:
        return tuple(expected.layout or "" for expected in self.expected)

    def unpacked(self, returned: object) -> tuple[object, ...]:
        """Return the function's result as one value an output."""
        count = self.output_count
        if count == 0:
            if returned is not None:
                self.refuse(
                    "with num_outputs=0 the function must return None, not "
                    f"{type(returned).__name__}"
                )
            return ()
        if count == 1 and not (isinstance(returned, tuple) and len(returned) == 1):
            if returned is None:
                self.refuse("the function returned None; return an array, or pass num_outputs=0")
            return (returned,)
        if not isinstance(returned, tuple) or len(returned) != count:
            size = f" of {len(returned)}" if isinstance(returned, tuple) else ""
            self.refuse(
                f"with num_outputs={count} the function must return a tuple of {count}, not a "
                f"{type(returned).__name__}{size}"
            )
        return returned


def check_size(column: Column, expected: Expected, batch: BatchContext) -> None:
    """Raise ArgumentError unless an output has a sample for each of the batch."""
    if len(column) != batch.size:
        raise ArgumentError(
            f"{expected.what}: the function returned {len(column)} samples for a batch of "
            f"{batch.size}"
        )


def guard_rows(batch: BatchContext, compute: Callable[[int], None]) -> list[int]:
    """Call `compute` for each good row of a batch, and record the errors of user code.

    Returns the rows without a result. The caller fills these rows with valid data, because
    whole-batch operators of the same segment may use the rows before the engine replaces them.

    Raises:
        Exception: no row has a result, or user code raised StopIteration.
    """
    for i in range(batch.size):
        if i not in batch.errors:
            try:
                compute(i)
            except StopIteration:
                raise
            except Exception as error:
                batch.fail_row(i, error)
    bad = sorted(batch.errors)
    if bad and len(bad) == batch.size:
        first, location = batch.errors[bad[0]], printable(batch.where(bad[0]))
        first.add_note(f"sample {bad[0]} of the batch" + (f", from {location}" if location else ""))
        raise first
    return bad
