"""The speed of a pipeline: its start, and its steady state."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ..commands import CommandFailed
from .others import OtherPrograms
from .pipeline_library import Runnable

Tick = Callable[[str], None]

_SLICE = 0.5  # seconds over which the lowest and the highest rate are measured
_WARM_BATCHES = 4  # more than are computed ahead, so that no measured batch was ready before


@dataclass(frozen=True)
class Speed:
    """What one run of a pipeline showed.

    Attributes:
        first_batch_s: seconds from the definition of the pipeline to its first batch.
        cold: samples a second from the definition to the end of the warm-up.
        steady: samples a second after the warm-up.
        lowest, highest: of `steady`, over half a second each.
        samples, seconds: of the steady part.
        other_cores: how many cores other programs used meanwhile.
        figures: `PipelineStats` of the steady part; None for another library's pipeline.
    """

    first_batch_s: float
    cold: float
    steady: float
    lowest: float
    highest: float
    samples: int
    seconds: float
    figures: Any = None
    other_cores: float = 0.0


def measure(
    open_: Callable[[], Runnable],
    seconds: float,
    tick: Tick = lambda text: None,
    warm_batches: int = _WARM_BATCHES,
) -> Speed:
    """Make a pipeline, run it for a while, and return its speed.

    Args:
        open_: makes the pipeline, of Penstock or DALI. A pipeline of Penstock is closed afterward.
        seconds: to measure, after a warm-up of a fifth of that.
        tick: called with a text after each batch.
        warm_batches: batches of the warm-up, at least.
    """
    started, others = perf_counter(), OtherPrograms()
    pipeline = open_()
    try:
        pipeline.build()
        samples = _run(pipeline)
        first = perf_counter() - started
        tick("warm-up")
        samples += sum(_until(pipeline, perf_counter() + seconds / 5, warm_batches, tick))
        cold = samples / (perf_counter() - started)
        before = _figures(pipeline)
        start = perf_counter()
        rates, total, end = [], 0, start
        while end - start < seconds:
            counts = _until(pipeline, end + min(_SLICE, seconds), 1, tick)
            now = perf_counter()
            rates.append(sum(counts) / (now - end))
            total, end = total + sum(counts), now
        figures = _figures(pipeline).since(before) if before is not None else None
    finally:
        if hasattr(pipeline, "close"):
            pipeline.close()
    steady = total / (end - start)
    return Speed(
        *(first, cold, steady, min(rates), max(rates), total, end - start, figures),
        other_cores=others.cores(),
    )


def _figures(pipeline: object) -> Any:
    return pipeline.stats() if hasattr(pipeline, "stats") else None


def _until(pipeline: Runnable, deadline: float, least: int, tick: Tick) -> list[int]:
    """Run batches until a time; return the number of samples of each."""
    counts: list[int] = []
    while len(counts) < least or perf_counter() < deadline:
        counts.append(_run(pipeline))
        tick("measuring")
    return counts


def _run(pipeline: Runnable) -> int:
    """Run one batch; start external sources over that have ended."""
    try:
        outputs = pipeline.run()
    except StopIteration:
        pipeline.reset()
        outputs = _first_of_epoch(pipeline)
    return len(outputs[0])


def _first_of_epoch(pipeline: Runnable) -> Sequence[Sized]:
    try:
        return pipeline.run()
    except StopIteration:
        raise CommandFailed(
            "the data ended before the time was over, and do not start over: give the external "
            "source cycle='raise', or measure fewer --seconds"
        ) from None
