"""Requests under way together: their result, and their end before it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from ...engine.errors import PipelineStopped
from ...engine.pending import Pending
from ..interrupt import wait_for
from .endpoint import Endpoint
from .retries import persist


class ServiceRequest(NamedTuple):
    """A request.

    Attributes:
        ask: makes one attempt, and yields its answers.
        take: called with each answer; writes into the caller's memory. The next attempt does so
            again.
        what: what is asked for, for error messages.
    """

    ask: Callable[[], Iterable[Any]]
    take: Callable[[Any], None]
    what: str


class Requests(Pending[None]):
    """Requests that threads of an endpoint make. If one fails for good, the others are given up.

    Once `result` has raised, or `cancel` has returned, nothing is written into the caller's memory,
    also if replies are still under way.
    """

    def __init__(self, endpoint: Endpoint, requests: Sequence[ServiceRequest]) -> None:
        self._endpoint = endpoint
        self._future: Future[None] = Future()
        self._state = threading.Condition()
        self._left = self._writing = 0
        self._given_up = False
        self.add(requests)

    def add(self, requests: Sequence[ServiceRequest]) -> None:
        """Start further requests, before the first ones or in `take` of one under way."""
        with self._state:
            self._left += len(requests)
        for request in requests:
            self._endpoint.call(partial(self._make, request))

    def result(self) -> None:
        """Wait for all; any number of threads may."""
        try:
            wait_for(self._future)
        finally:
            self.cancel()

    def is_done(self) -> bool:
        """See `Pending.is_done`."""
        return self._future.done()

    def cancel(self) -> None:
        """Give up what is under way."""
        self._future.cancel()
        with self._state:
            self._given_up = True
            self._state.notify_all()
            self._state.wait_for(lambda: not self._writing)

    def _make(self, request: ServiceRequest) -> None:
        try:
            if self._begin():
                attempt = partial(self._attempt, request)
                persist(attempt, request.what, self._endpoint.limits, self._pause)
                with self._state:
                    self._left -= 1
                    done = not self._left
                if done:
                    self._end(partial(self._future.set_result, None))
        except BaseException as error:
            self._end(partial(self._future.set_exception, error))
            del error  # its traceback refers to this frame

    def _begin(self) -> bool:
        return not self._given_up and not self._future.done()

    def _attempt(self, request: ServiceRequest) -> None:
        for answer in request.ask():
            with self._state:
                self._go_on()
                self._writing += 1
            try:
                request.take(answer)
            finally:
                with self._state:
                    self._writing -= 1
                    self._state.notify_all()

    def _end(self, settle: Callable[[], None]) -> None:
        with suppress(InvalidStateError):  # it was cancelled, or another request failed before
            settle()
        with self._state:
            self._state.notify_all()

    def _pause(self, seconds: float) -> None:
        with self._state:
            self._state.wait_for(lambda: not self._begin(), seconds)
            self._go_on()

    def _go_on(self) -> None:
        if not self._begin():
            raise PipelineStopped("the request was given up")
