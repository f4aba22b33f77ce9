"""`EvalContext`: the threads, the device and the operators of calls."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from types import TracebackType
from typing import Any, Protocol

from ...engine.closing import close_after
from ...engine.eager.eager import EagerOperator
from ...engine.eager.eager_runner import EagerRunner
from .checkpoints import Checkpoint
from .cuda_streams import Stream, get_default_stream, stream
from .devices import Device
from .thread_pools import ThreadPool

_OPERATORS_KEPT = 256  # of a context, for later calls with the same arguments


class Evaluated(Protocol):
    """Work that may be under way."""

    def results(self) -> Any:
        """Do the work, unless it is done."""


class EvalContext:
    """What calls of operators need: threads, a device, and the operators of earlier calls.

    Each thread has a context of its own. A `with` block sets another one, for this thread.
    Contexts with the same number of threads share the threads.

    Args:
        num_threads: threads of the CPU's work; by default `get_num_threads()`.
        device_id: CUDA device; by default the current one.
        cuda_stream: has no effect, because the work is complete when a call returns.
        thread_pool: gives the number of threads, instead of `num_threads`.

    Attributes:
        device_id: number of the CUDA device; None without one.
        checkpoint: a `Checkpoint` for the readers and generators of this context's work.

    Raises:
        ValueError: `num_threads` and `thread_pool` are both given, or their devices differ.
    """

    def __init__(
        self,
        *,
        num_threads: int | None = None,
        device_id: int | None = None,
        cuda_stream: object = None,
        thread_pool: ThreadPool | None = None,
    ) -> None:
        if thread_pool is not None and num_threads is not None:
            raise ValueError("`thread_pool` and `num_threads` cannot be specified together")
        self._device = Device.current() if device_id is None else Device("gpu", device_id)
        self.device_id = self._device.device_id
        if thread_pool is not None and thread_pool.device_id not in (None, self.device_id):
            raise ValueError(
                f"thread_pool is of the device {thread_pool.device_id}, the context of "
                f"{self.device_id}"
            )
        if num_threads is not None:
            thread_pool = ThreadPool(num_threads, device_id=self.device_id)
        self._thread_pool = thread_pool
        self._stream = stream(stream=cuda_stream, device_id=device_id)
        self.checkpoint = Checkpoint()
        self._operators: OrderedDict[Hashable, EagerOperator] = OrderedDict()
        self._pid = os.getpid()  # of the operators
        self._pending: weakref.WeakSet[Evaluated] = weakref.WeakSet()
        self._lock = threading.RLock()
        close_after(self, _close_all, self._operators)

    @property
    def thread_pool(self) -> ThreadPool:
        """The number of threads, as a `ThreadPool`."""
        return self._thread_pool or ThreadPool(device_id=self.device_id)

    @property
    def num_threads(self) -> int:
        """Number of threads of the CPU's work."""
        return self.thread_pool.num_threads

    @property
    def cuda_stream(self) -> Stream | None:
        """The stream that was given, or set for the thread or for all; None without one."""
        return self._stream or (None if self.device_id is None else get_default_stream())

    @staticmethod
    def current() -> EvalContext:
        """Return the context of the innermost block of this thread, or its default context."""
        return _state.stack[-1] if _state.stack else EvalContext.default()

    @staticmethod
    def default() -> EvalContext:
        """Return the default context of this thread, for the current device."""
        number = Device.current().device_id
        if number not in _state.defaults:
            _state.defaults[number] = EvalContext(device_id=number)
        return _state.defaults[number]

    def evaluate_all(self) -> None:
        """Do the work that was deferred and whose results are still referred to."""
        for work in list(self._pending):
            work.results()
        self._pending.clear()

    def defer(self, work: Evaluated) -> None:
        """Have `evaluate_all` do the work, unless its results are dropped before."""
        self._pending.add(work)

    def run(
        self,
        key: Hashable,
        make: Callable[[EagerRunner], EagerOperator],
        call: Callable[[EagerOperator], object],
    ) -> Any:
        """Call an operator, and keep the operator for calls with the same key.

        Args:
            key: what distinguishes the operator; None for an operator that is not kept.
            make: returns the operator.
            call: returns the operator's results.
        """
        if self._pid != os.getpid():  # a fork, in which the operators' threads are missing
            self._pid, self._operators = os.getpid(), OrderedDict()
        operator = self._operators.pop(key, None) if key is not None else None
        if operator is None:
            operator = make(_runner(self.num_threads, self.device_id))
        results = call(operator)  # an operator whose call failed is not used again
        if key is None:
            operator.close()
        else:
            self._operators[key] = operator
            while len(self._operators) > _OPERATORS_KEPT:
                self._operators.popitem(last=False)[1].close()
        return results

    def __enter__(self) -> EvalContext:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("An EvalContext cannot be active in two threads simultaneously.")
        self._device.__enter__()
        _state.stack.append(self)
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None and _state.stack.count(self) == 1:
                self.evaluate_all()
        finally:
            _state.stack.pop()
            self._device.__exit__(error_type, error, trace)
            self._lock.release()


class _ThreadContexts(threading.local):
    def __init__(self) -> None:
        self.stack: list[EvalContext] = []
        self.defaults: dict[int | None, EvalContext] = {}


_state = _ThreadContexts()
_runners: dict[tuple[int, int, int | None], EagerRunner] = {}
_making = threading.Lock()


def _runner(threads: int, device_id: int | None) -> EagerRunner:
    """Return the threads, memory and stream of all contexts of a kind in this process."""
    key = os.getpid(), threads, device_id
    with _making:
        if key not in _runners:
            runner = _runners[key] = EagerRunner(threads, device_id)
            close_after(_making_runner, runner.close)
        return _runners[key]


def _making_runner() -> None:
    """Live until the interpreter ends, when runners close."""


def _close_all(operators: OrderedDict[Hashable, EagerOperator]) -> None:
    while operators:
        operators.popitem()[1].close()


def set_current_stream(cuda_stream: object, /) -> None:
    """Set the stream of this thread's default context for the current device; None sets none."""
    context = EvalContext.default()
    context._stream = stream(stream=cuda_stream, device_id=context.device_id)


def get_current_stream() -> Stream | None:
    """Return the stream of this thread's default context."""
    return EvalContext.default().cuda_stream
