"""A consumer on the CPU that keeps some batches, drops others at once, and reads in other threads.

The samples of a pipeline are summed twice: alone, where each batch is copied before the next one is
asked for, and as a `HostConsumer` sees them. The sums must be equal, because a batch stays right
for as long as anybody holds a view of it.

    batch k     k+1     k+2      k+3            the pipeline has closed
    ├ read at once, then written over
    ├ its TensorLists are kept ── read
    ├ views of its samples are kept ── read ............ or read
    ├ one view of one sample is kept ── read
    ├ a thread waits ─────────── and reads
    └ a thread copies a half ─── and then the other half
"""

from __future__ import annotations

import importlib.util
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any

import numpy as np

from penstock.benchmarks.looking import sum_of_words

KEPT = 4
"""Batches that come before one that was kept is read."""

LATER = 2
"""Batches that come before a thread reads."""

Sums = list[list[int | None]]
"""The sums of one batch: output by output, sample by sample. None of a sample that was not read."""


def _dense(whole: Callable[[Any], Any], one: Callable[[Any], Any], output: Any) -> list[Any]:
    """Return the rows of one view of the batch, if its samples have one shape, or views of each."""
    if output.is_dense_tensor():
        return list(whole(output))
    return [one(output[i]) for i in range(len(output))]


def views() -> list[Callable[[Any], list[Any]]]:
    """Return functions that share the memory of a batch with other libraries, sample by sample."""
    chosen: list[Callable[[Any], list[Any]]] = [
        lambda output: [output.at(i) for i in range(len(output))],
        partial(_dense, np.asarray, np.asarray),
        partial(_dense, np.from_dlpack, np.from_dlpack),
        lambda output: [np.asarray(output[i]) for i in range(len(output))],
        lambda output: [np.from_dlpack(output[i]) for i in range(len(output))],
    ]
    if importlib.util.find_spec("torch"):
        import torch

        chosen.append(partial(_dense, torch.from_dlpack, torch.from_dlpack))
        chosen.append(lambda output: [torch.from_dlpack(output[i]) for i in range(len(output))])
    if importlib.util.find_spec("jax"):
        import jax

        chosen.append(partial(_dense, jax.dlpack.from_dlpack, jax.dlpack.from_dlpack))
    return chosen


def alone(
    take: Callable[[], Sequence[Any]], batches: int, view: Callable[[Any], list[Any]] | None = None
) -> list[Sums]:
    """Return the sums of samples that are copied at once, taken through the first of `views`."""
    view = view or views()[0]
    return [
        _sums([[_array(sample).copy() for sample in view(output)] for output in take()])
        for _ in range(batches)
    ]


class HostConsumer:
    """Takes batches in all manners by turns, and sums their samples.

    Args:
        take: returns the outputs of the next batch.
        close: ends the pipeline. Some batches are read after that.
        views: each shares the memory of an output, sample by sample; they take turns, too.
    """

    def __init__(
        self,
        take: Callable[[], Sequence[Any]],
        close: Callable[[], object],
        views: Sequence[Callable[[Any], list[Any]]],
    ) -> None:
        self._take = take
        self._close = close
        self._views = views
        self._found: dict[int, Sums] = {}
        self._kept: deque[tuple[int, Callable[[], Sums]]] = deque()
        self._futures: dict[int, Future[Sums]] = {}

    def sums(self, batches: int) -> list[Sums]:
        """Take so many batches, close the pipeline, and return the sums."""
        self._taken = [Event() for _ in range(batches + LATER)]
        manners = (
            *(self._read_at_once, self._keep, self._keep_views),
            *(self._keep_one, self._read_in_a_thread, self._copy_in_a_thread),
        )
        with ThreadPoolExecutor(8) as self._threads:
            try:
                for k in range(batches):
                    outputs = self._take()
                    self._taken[k].set()
                    # Each view meets each manner: the turns of views begin anew after each round.
                    view = self._views[(k + k // len(manners)) % len(self._views)]
                    manners[k % len(manners)](k, outputs, view)
                    del outputs
                    if len(self._kept) > KEPT:
                        self._read_oldest()
            finally:
                self._close()
                for event in self._taken:
                    event.set()
        while self._kept:
            self._read_oldest()
        self._found |= {k: future.result() for k, future in self._futures.items()}
        return [self._found[k] for k in range(batches)]

    def _read_oldest(self) -> None:
        k, read = self._kept.popleft()
        self._found[k] = read()

    def _read_at_once(self, k: int, outputs: Any, view: Any) -> None:
        """Read, and write over the batch, as code does that normalizes in place."""
        self._found[k] = _sums([view(output) for output in outputs])
        for output in outputs:
            for sample in map(_array, view(output)):
                if sample.flags.writeable and sample.flags.c_contiguous:
                    sample.reshape(-1).view(np.uint8).fill(165)

    def _keep(self, k: int, outputs: Any, view: Any) -> None:
        self._kept.append((k, lambda: _sums([view(output) for output in outputs])))

    def _keep_views(self, k: int, outputs: Any, view: Any) -> None:
        self._kept.append((k, partial(_sums, [view(output) for output in outputs])))

    def _keep_one(self, k: int, outputs: Any, view: Any) -> None:
        """Keep a sample of one output, which may share memory with others that are dropped."""
        held = [view(output) for output in outputs]
        sizes = [len(samples) for samples in held]
        number, row = k % len(held), k % len(held[0])
        sample = held[number][row]

        def read() -> Sums:
            found: Sums = [[None] * size for size in sizes]
            found[number][row] = _sum(sample)
            return found

        self._kept.append((k, read))

    def _read_in_a_thread(self, k: int, outputs: Any, view: Any) -> None:
        held = [view(output) for output in outputs]
        self._futures[k] = self._threads.submit(self._read_later, self._taken[k + LATER], held)

    @staticmethod
    def _read_later(moment: Event, held: list[list[Any]]) -> Sums:
        moment.wait()
        return _sums(held)

    def _copy_in_a_thread(self, k: int, outputs: Any, view: Any) -> None:
        held = [view(output) for output in outputs]
        self._futures[k] = self._threads.submit(self._copy_later, self._taken[k + LATER], held)

    @staticmethod
    def _copy_later(moment: Event, held: list[list[Any]]) -> Sums:
        targets = [[_like(sample) for sample in samples] for samples in held]
        for samples, own in zip(held, targets, strict=True):
            for sample, target in zip(samples[::2], own[::2], strict=True):
                _copy(sample, target)
        moment.wait()
        for samples, own in zip(held, targets, strict=True):
            for sample, target in zip(samples[1::2], own[1::2], strict=True):
                _copy(sample, target)
        return _sums(targets)


def assert_same(seen: list[Sums], expected: list[Sums]) -> None:
    """Check that a consumer has seen what the pipeline delivers alone; name what differs."""
    wrong = [
        f"batch {k}, output {number}, row {row}"
        for k, (batch, other) in enumerate(zip(seen, expected, strict=True))
        for number, (samples, others) in enumerate(zip(batch, other, strict=True))
        for row, (one, right) in enumerate(zip(samples, others, strict=True))
        if one is not None and one != right
    ]
    assert not wrong, f"{len(wrong)} samples differ: {'; '.join(wrong[:5])}"


def _array(sample: Any) -> Any:
    """Return a sample as an array of NumPy, without a copy."""
    return sample.numpy() if hasattr(sample, "numpy") else np.asarray(sample)


def _sum(sample: Any) -> int:
    return sum_of_words(_array(sample))


def _sums(outputs: Sequence[Sequence[Any]]) -> Sums:
    return [[_sum(sample) for sample in samples] for samples in outputs]


def _like(sample: Any) -> Any:
    if hasattr(sample, "new_empty"):
        return sample.new_empty(sample.shape)
    return np.empty_like(_array(sample))


def _copy(sample: Any, target: Any) -> None:
    if hasattr(target, "copy_"):
        target.copy_(sample, non_blocking=True)
    else:
        np.copyto(target, _array(sample))
