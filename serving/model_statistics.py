"""What a server has answered so far, in the form of Triton's extension for statistics."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import NamedTuple


class Moments(NamedTuple):
    """When a request came, its batch began, and its batch was done, in ns of one clock."""

    arrived: int
    begun: int
    done: int


class ModelStatistics:
    """Counts and times of the requests of one model."""

    def __init__(self) -> None:
        self._last_ms = 0  # since 1970
        self._samples = 0
        self._times: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))  # count and ns
        self._batches: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))  # by size

    def count_request(self, samples: int, moments: Moments, *, is_good: bool) -> None:
        """Count a request whose batch is done."""
        self._add("success" if is_good else "fail", moments.done - moments.arrived)
        if is_good:
            self._last_ms = time.time_ns() // 1_000_000
            self._samples += samples
            self._add("queue", moments.begun - moments.arrived)
            self._add("compute_infer", moments.done - moments.begun)

    def count_batch(self, samples: int, elapsed_ns: int) -> None:
        """Count a batch that is done."""
        count, total = self._batches[samples]
        self._batches[samples] = count + 1, total + elapsed_ns

    def _add(self, name: str, elapsed_ns: int) -> None:
        count, total = self._times[name]
        self._times[name] = count + 1, total + elapsed_ns

    def as_json(self, model: str) -> dict[str, object]:
        """Return the entry of a model in the statistics."""
        names = ("success", "fail", "queue", "compute_input", "compute_infer", "compute_output")
        return {
            "name": model,
            "version": "1",
            "last_inference": self._last_ms,
            "inference_count": self._samples,
            "execution_count": sum(count for count, _ in self._batches.values()),
            "inference_stats": {name: _duration(*self._times[name]) for name in names},
            "batch_stats": [
                {"batch_size": size, "compute_infer": _duration(*self._batches[size])}
                for size in sorted(self._batches)
            ],
        }


def _duration(count: int, total_ns: int) -> dict[str, int]:
    return {"count": count, "ns": total_ns}
