"""A pipeline whose batches are computed by actors of Ray."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import ray

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from ...engine.pipeline.pipeline import Pipeline
from ...engine.tensors import TensorList

_GROUP = 4
"""Batches of a task. A helper goes to another place of the order for each task, and drops what its
pipeline has prepared further on."""

_TASKS = 2
"""Tasks of a helper that are under way, so that none waits for the trainer."""


class RayReader:
    """The batches of a pipeline, computed by actors of Ray, its *helpers*.

    All helpers compute the same order, and the number of a batch says which samples it has. So the
    batches have the same bytes in the same order for any number of helpers. If a helper dies, Ray
    starts another one, which computes the batches of its tasks again.

    Each batch is a tuple with an array (batch, \\*sample) for each output of the pipeline; if its
    samples differ in shape, with a list of arrays. Arrays of helpers lie in Ray's shared memory,
    and cannot be written.

    Args:
        define: returns the pipeline, with the same seed at each call. Ray pickles this function.
        helpers: number of actors; with 0, this process computes the batches.
        ray_remote_args: of the actors, such as {"num_cpus": 4}.

    Raises:
        ArgumentError: there are fewer helpers than 0, or the data come from external sources.
    """

    def __init__(
        self,
        define: Callable[[], Pipeline],
        helpers: int = 2,
        *,
        ray_remote_args: Mapping[str, object] | None = None,
    ) -> None:
        if helpers < 0:
            raise ArgumentError(f"helpers={helpers}: expected 0 or more")
        self._pipeline = define()
        self._pipeline.checkpoint(ahead=1)  # an error for external sources
        options = {"max_restarts": -1, "max_task_retries": -1} | dict(ray_remote_args or {})
        kind: Any = ray.remote(_Helper)
        self._helpers = [kind.options(**options).remote(define) for _ in range(helpers)]
        self._restart()

    def _restart(self) -> None:
        self._taken = 0  # batches of helpers since the place of the pipeline
        self._asked = 0  # tasks
        self._tasks: deque[Any] = deque()
        self._ready: deque[tuple[Any, ...]] = deque()

    def __iter__(self) -> Iterator[tuple[Array | list[Array], ...]]:
        return self

    def __next__(self) -> tuple[Array | list[Array], ...]:
        """Return the next batch. There is no end: `Pipeline.epoch_size` tells how long epochs are.

        Raises:
            ray.exceptions.RayTaskError: a helper could not compute a batch.
        """
        if not self._helpers:
            return _arrays(self._pipeline.run())
        while len(self._tasks) < _TASKS * len(self._helpers):
            helper = self._helpers[self._asked % len(self._helpers)]
            place = self._pipeline.checkpoint(ahead=self._asked * _GROUP)
            self._tasks.append(helper.batches.remote(place, _GROUP))
            self._asked += 1
        if not self._ready:
            self._ready.extend(ray.get(self._tasks.popleft()))
        self._taken += 1
        return self._ready.popleft()

    def checkpoint(self) -> bytes:
        """Return where the run stands: what `Pipeline.checkpoint` returns after this batch."""
        return self._pipeline.checkpoint(ahead=self._taken)

    def restore(self, checkpoint: bytes) -> None:
        """Go on from a checkpoint of the same pipeline, made with any number of helpers."""
        self._pipeline.restore(checkpoint)
        self._restart()

    def close(self) -> None:
        """End the helpers, once their tasks are done, and the pipeline of this process."""
        self._restart()
        self._helpers.clear()  # Ray ends actors that nobody can call
        self._pipeline.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Helper:
    """An actor with a pipeline of its own."""

    def __init__(self, define: Callable[[], Pipeline]) -> None:
        self._pipeline = define()

    def batches(self, place: bytes, count: int) -> list[tuple[Any, ...]]:
        """Return the batches from a place of the order on."""
        self._pipeline.restore(place)
        return [_arrays(self._pipeline.run()) for _ in range(count)]


def _arrays(outputs: tuple[TensorList, ...]) -> tuple[Any, ...]:
    on_host = [output.as_cpu() for output in outputs]
    return tuple(o.dense() if o.is_dense_tensor() else list(o.rows()) for o in on_host)
