"""The end of a pipeline: steps that run once, in reverse order, also after an interrupt."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..closing import close_soon
from ..errors import PipelineStopped


class Shutdown:
    """Steps that free what a pipeline holds.

    A step leaves the list when it has returned. A step that raises an exception leaves the list,
    too, unless the step may be repeated. An interrupt leaves the step in the list, so another call
    of the object continues there. A forked child has no threads of its parent, and locks that other
    threads held stay locked there. So a call does nothing in a child once `bind` was called.

    Attributes:
        reason: why the pipeline was stopped; None before that.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self._steps: list[tuple[Callable[[], None], bool]] = []
        self._lock = threading.RLock()
        self._process: int | None = None

    def add(self, step: Callable[[], None], *, repeatable: bool = False) -> None:
        """Run `step` at the end, before all steps that were added earlier."""
        self._steps.append((step, repeatable))

    def bind(self) -> None:
        """Belong to this process alone from now on."""
        self._process = os.getpid()

    def check(self) -> None:
        """Raise PipelineStopped if the pipeline was stopped, or belongs to another process."""
        if self.reason is not None:
            raise PipelineStopped(self.reason)
        if self._process not in (None, os.getpid()):
            raise PipelineStopped(
                "this pipeline was started before the process was forked, and threads do not "
                "survive a fork; build the pipeline in the child process"
            )

    def stop(self, reason: str) -> None:
        """Run all steps, and let `check` raise from now on; the first reason counts."""
        if self.reason is None:
            self.reason = reason
        self()

    def stop_after(self, error: BaseException) -> None:
        """Stop because of an error, which the caller raises."""
        try:
            self.stop(f"an earlier error stopped the pipeline: {type(error).__name__}: {error}")
        except Exception as second:
            error.add_note(f"then the pipeline could not be closed properly: {second!r}")

    @contextmanager
    def after_errors(self) -> Iterator[None]:
        """Stop if the block raises an error, an interrupt among them."""
        try:
            yield
        except BaseException as error:
            self.stop_after(error)
            raise

    def __call__(self) -> None:
        """Run all steps, also if one of them raises; raise the first error at the end."""
        if self._process not in (None, os.getpid()):
            return
        with self._lock:
            first = self._run_steps()
        if first is not None:
            raise first

    def run_soon(self) -> None:
        """Have another thread run the steps, if there are any; for finalizers, at any line."""
        if self._steps:
            close_soon(self)

    def _run_steps(self) -> BaseException | None:
        first: BaseException | None = None
        for entry in reversed(list(self._steps)):
            step, repeatable = entry
            try:
                step()
            except Exception as error:
                first = first or error
                if repeatable:
                    continue
            self._steps.remove(entry)
        return first
