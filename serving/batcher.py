"""Batches of the requests that wait: formed by the event loop, taken by a thread.

A batch begins once the pipeline has room for one more, or a thread without work. The batch gets the
requests that wait, in the order of their arrival. If they do not fill the batch, it may wait for
more of them. While the pipeline works, further requests come together by themselves, so batches
grow with the load.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from ..engine.errors import PipelineStopped
from .model import Model, Outputs, WholeBatchError
from .model_statistics import ModelStatistics, Moments
from .requests import BROKEN, RequestError, RequestSamples


@dataclass(eq=False)
class _Waiting:
    """A request without an answer.

    Attributes:
        samples: of the request.
        answer: its outputs, or its error.
        arrived, begun: when it came, and when its batch began, in ns.
        alone: whether it must have a batch of its own.
    """

    samples: RequestSamples
    answer: asyncio.Future[Outputs]
    arrived: int
    begun: int = 0
    alone: bool = False


class Batcher:
    """Answers requests in batches. All methods are for the thread of the event loop.

    Args:
        model: computes the batches.
        max_delay: seconds for which a batch that is not full waits for more requests.

    Attributes:
        broken: a future that fails if the model does.
    """

    def __init__(self, model: Model, max_delay: float) -> None:
        self._model = model
        self._max_delay_ns = int(max_delay * 1e9)
        self._loop = asyncio.get_running_loop()
        self._queue: deque[_Waiting] = deque()
        self._under_way: deque[list[_Waiting]] = deque()
        self._samples = 0  # under way
        self._is_closed = False
        self._timer: asyncio.TimerHandle | None = None
        self.statistics = ModelStatistics()
        self.broken: asyncio.Future[None] = self._loop.create_future()
        self._taker = threading.Thread(target=self._take, name="penstock-answers", daemon=True)
        self._taker.start()

    async def answer(self, samples: RequestSamples) -> Outputs:
        """Return the outputs of a request.

        Raises:
            RequestError: of the request, or of the server.
        """
        if self.broken.done():
            raise RequestError("the model is broken: see the server's log", BROKEN)
        waiting = _Waiting(samples, self._loop.create_future(), perf_counter_ns())
        self._queue.append(waiting)
        self._begin_batches()
        return await waiting.answer

    @property
    def seconds_of_oldest(self) -> float:
        """For how long the oldest batch under way has been computed; 0 without one."""
        if not self._under_way:
            return 0.0
        return (perf_counter_ns() - self._under_way[0][0].begun) * 1e-9

    def close(self) -> None:
        """Close the model, and wait for the thread; any thread may call this."""
        self._is_closed = True
        self._model.close()
        self._taker.join()

    def _begin_batches(self) -> None:
        """Begin as many batches as wait and have room."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._has_room() and (requests := self._due_requests()):
            begun = perf_counter_ns()
            for request in requests:
                request.begun = begun
            self._under_way.append(requests)
            self._samples += sum(request.samples.size for request in requests)
            try:
                self._model.feed([request.samples for request in requests])
            except Exception as error:
                self._break(error)

    def _has_room(self) -> bool:
        batches = len(self._under_way)
        return batches < self._model.ahead or self._samples < self._model.threads

    def _due_requests(self) -> list[_Waiting]:
        """Return the requests of the next batch, in order; none if the batch has to wait."""
        chosen: list[_Waiting] = []
        count = 0
        is_full = False
        while self._queue and not is_full:
            first = self._queue[0]
            if first.answer.done():  # its client is gone
                self._queue.popleft()
                continue
            size = count + first.samples.size
            is_full = size > self._model.max_batch_size or (first.alone and count > 0)
            if not is_full:
                chosen.append(self._queue.popleft())
                count = size
                is_full = first.alone or count == self._model.max_batch_size
        if not chosen or is_full:
            return chosen
        left_ns = chosen[0].arrived + self._max_delay_ns - perf_counter_ns()
        if left_ns <= 0:
            return chosen
        self._queue.extendleft(reversed(chosen))
        self._timer = self._loop.call_later(left_ns * 1e-9, self._begin_batches)
        return []

    # The thread that takes batches

    def _take(self) -> None:
        while True:
            try:
                results = self._model.take()
            except Exception as error:
                if not (self._is_closed and isinstance(error, PipelineStopped)):
                    self._tell(self._break, error)
                return
            self._tell(self._finish, results)
            del results  # or this thread would hold the batch's memory while it waits

    def _tell(self, function: Callable[[Any], None], news: object) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(function, news)

    # Its news, in the event loop

    def _finish(self, results: Sequence[Outputs | RequestError]) -> None:
        if self.broken.done():
            return
        requests = self._under_way.popleft()
        done = perf_counter_ns()
        size = sum(request.samples.size for request in requests)
        self._samples -= size
        self.statistics.count_batch(size, done - requests[0].begun)
        again = []
        for request, result in zip(requests, results, strict=True):
            if request.answer.done():
                continue
            if isinstance(result, WholeBatchError):
                if request.alone:
                    self._queue.append(request)
                    self._break(result)
                    return
                request.alone = True
                again.append(request)
                continue
            moments = Moments(request.arrived, request.begun, done)
            is_good = not isinstance(result, RequestError)
            self.statistics.count_request(request.samples.size, moments, is_good=is_good)
            if isinstance(result, RequestError):
                request.answer.set_exception(result)
            else:
                request.answer.set_result(result)
        self._queue.extendleft(reversed(again))
        self._begin_batches()

    def _break(self, error: Exception) -> None:
        """Fail all requests: the pipeline computes no more batches."""
        if not self.broken.done():
            self.broken.set_exception(error)
        for request in (*self._queue, *(one for batch in self._under_way for one in batch)):
            if not request.answer.done():
                request.answer.set_exception(RequestError(f"the model is broken: {error}", BROKEN))
        self._queue.clear()
        self._under_way.clear()
