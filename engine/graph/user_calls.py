"""Users' code that processes of a pipeline call for an operator.

An operator whose `python_callee` returns a `Callee` has it sent to each of these processes, the
*Python workers*. The operator then finds them in its `placement`, and hands them calls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from ..arrays import Array
from ..pending import Pending

InputRows = Array | list[Array]
"""The samples of one input: an array over samples, or their arrays."""

Rows = Array | list[Array | None]
"""The samples of one output: the same, or None for a bad sample."""


class Returned(NamedTuple):
    """The outcome of a call.

    Attributes:
        columns: the samples of each output.
        errors: the error of each sample that has no result, by the sample's row in the call.
        state: what the callee tells of itself, of JSON types.
    """

    columns: list[Rows]
    errors: dict[int, BaseException]
    state: Any = None


class Callee(ABC):
    """What Python workers call for one operator.

    A worker gets the object's pickle, in which `user` is None, and sets `user` from a pickle of its
    own. Users choose the pickler of `user`.

    Attributes:
        what: the operator as users write it, for messages.
        user: the function or source of the user's program.
        is_stateful: whether one worker has to make all calls, in their order.
    """

    what: str
    user: Any
    is_stateful: bool = False

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"user": None}

    @abstractmethod
    def start(self) -> None:
        """Get ready in a worker, once `user` is there."""

    @abstractmethod
    def run(
        self, request: Any, inputs: Sequence[InputRows], begin: Callable[[int], None]
    ) -> Returned:
        """Call the user's code.

        Args:
            request: what the operator has passed to `CallingProcesses.call`.
            inputs: the samples of each input.
            begin: to be called with the row of a sample before the work on the sample.
        """


class CallingProcesses(Protocol):
    """The processes of a pipeline that call users' code.

    Attributes:
        count: number of processes.
        empty: `empty(shape, dtype)` returns memory of the pipeline.
    """

    count: int
    empty: Callable[..., Array]

    def call(
        self,
        ordinal: int,
        request: object,
        inputs: Sequence[InputRows],
        targets: Sequence[Array | None],
        empty: Callable[..., Array],
        describe: Callable[[int], str],
    ) -> Pending[Returned]:
        """Have the callee of an operator called; return the outcome to come.

        The errors of the call come with the result: what the callee raised, a WorkerError if the
        process died, or PipelineStopped.

        Args:
            ordinal: number of the operator's node.
            request: a small object for the callee.
            inputs: the samples of each input.
            targets: for each output, memory for the rows of the call; None where their shape is
                not known. Rows of another shape or dtype get memory of their own.
            empty: returns that memory, as the attribute does; called in another thread.
            describe: names the sample in a row of the call, or with -1 the call, for messages.
        """
