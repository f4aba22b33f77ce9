"""How long a program waits for its loader, and how fast it would be with a perfect one.

    from penstock.plugin.pytorch.loader_evaluator import LoaderEvaluator

    loader = LoaderEvaluator(loader)  # then the training, as before
    loader.print_summary()

Training once with `mode="log"` and once with `mode="replay"` tells what a faster loader would gain.
`Pipeline.stats()` tells where a pipeline spends its time.
"""

from __future__ import annotations

import json
import os
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sized
from itertools import cycle, islice
from time import perf_counter
from typing import Any, cast

from ...engine.errors import ArgumentError
from ...engine.run.checkpointing import write_file

__all__ = ["LoaderEvaluator"]

_MODES = ("log", "replay")


class LoaderEvaluator:
    """A loader that measures how long each batch took.

    Args:
        dataloader: any iterable over batches that can be iterated again: PyTorch's `DataLoader`,
            an iterator of Penstock, a list.
        mode: "log" yields the batches of the loader. "replay" takes batches once, when the object
            is made, and yields these over and over, so the loader costs no time. An epoch has as
            many batches as the loader's. Another mode counts as "log", with a warning.
        num_cached_batches: number of batches that "replay" keeps in memory, at most.
        metrics_file: path that `save_metrics` writes without an argument.

    Attributes:
        dataloader, mode, num_cached_batches, metrics_file: as given.
        cached_batches: the batches that "replay" yields.
        cache_ready: whether there are any.

    Raises:
        ArgumentError: `num_cached_batches` is less than 1.

    >>> loader = LoaderEvaluator([[1, 2], [3, 4], [5]], mode="replay", num_cached_batches=2)
    >>> list(loader)
    [[1, 2], [3, 4], [1, 2]]
    >>> loader.get_metrics()["total_batches"]
    3
    """

    def __init__(
        self,
        dataloader: Iterable[object],
        mode: str = "log",
        num_cached_batches: int = 20,
        metrics_file: str | os.PathLike[str] | None = None,
    ) -> None:
        if num_cached_batches < 1:
            raise ArgumentError(f"num_cached_batches must be 1 or more, not {num_cached_batches}")
        if mode not in _MODES:
            warnings.warn(
                f'there is no mode {mode!r}, so the mode "log" is used; the modes are '
                '"log" and "replay"',
                stacklevel=2,
            )
        self.dataloader = dataloader
        self.mode = mode
        self.num_cached_batches = num_cached_batches
        self.metrics_file = metrics_file
        self.cached_batches: deque[object] = deque(maxlen=num_cached_batches)
        self._count: int | None = None  # batches of an epoch, of a loader without a length
        self._times: list[float] = []
        self._started = self._ended = 0.0
        if mode == "replay":
            self._fill_cache()

    def _fill_cache(self) -> None:
        batches = iter(self.dataloader)
        self.cached_batches.extend(islice(batches, self.num_cached_batches))
        if _length(self.dataloader) is None:
            self._count = len(self.cached_batches) + sum(1 for _ in batches)

    @property
    def cache_ready(self) -> bool:
        return bool(self.cached_batches)

    def __len__(self) -> int:
        """Return the number of batches of the loader."""
        if self._count is not None:
            return self._count
        return len(cast("Sized", self.dataloader))  # else its TypeError is the right one

    def __iter__(self) -> Iterator[Any]:
        """Yield an epoch; the metrics are those of the latest epoch."""
        if self.mode == "replay":
            return self._measured(islice(cycle(self.cached_batches), len(self)))
        return self._measured(self.dataloader)

    def _measured(self, source: Iterable[object]) -> Iterator[object]:
        self._times = []
        self._started = self._ended = perf_counter()
        batches = iter(source)
        while True:
            asked = perf_counter()
            try:
                batch = next(batches)
            except StopIteration:
                return
            finally:
                self._ended = perf_counter()
            self._times.append(self._ended - asked)
            yield batch
            self._ended = perf_counter()

    def get_metrics(self) -> dict[str, object]:
        """Return what was measured in the latest epoch, of JSON types; {} before the first batch.

        Returns:
            `mode`; `total_batches`; `total_time` of the epoch so far, the program's own work
            included; `avg_batch_time`, `min_batch_time`, `max_batch_time` and the list
            `batch_times`, of the waits for a batch; `cached_batches`, their number; and
            `cache_ready`. Times are seconds.
        """
        times = self._times
        if not times:
            return {}
        return {
            "mode": self.mode,
            "total_batches": len(times),
            "total_time": self._ended - self._started,
            "avg_batch_time": sum(times) / len(times),
            "min_batch_time": min(times),
            "max_batch_time": max(times),
            "batch_times": list(times),
            "cached_batches": len(self.cached_batches),
            "cache_ready": self.cache_ready,
        }

    def save_metrics(self, filename: str | os.PathLike[str] | None = None) -> None:
        """Write the metrics to a JSON file, by default to `metrics_file`; print what was done."""
        path = self.metrics_file if filename is None else filename
        if path is None:
            print("No filename provided for saving metrics")
            return
        write_file(path, json.dumps(self.get_metrics(), indent=2).encode())
        print(f"Metrics saved to: {path}")

    def print_summary(self) -> None:
        """Print the sizes of the loader and of the cache, and the metrics."""
        lines = {"Mode": self.mode}
        dataset = getattr(self.dataloader, "dataset", None)
        for name, value in (("Dataset size", dataset), ("Number of batches", self)):
            if (length := _length(value)) is not None:
                lines[name] = str(length)
        lines["Cache size"] = f"{len(self.cached_batches)}/{self.num_cached_batches}"
        lines["Cache ready"] = str(self.cache_ready)
        if metrics := self.get_metrics():
            lines["Total batches processed"] = str(metrics["total_batches"])
            lines["Total time"] = f"{metrics['total_time']:.2f}s"
            lines["Average batch time"] = f"{metrics['avg_batch_time']:.4f}s"
            lines["Min batch time"] = f"{metrics['min_batch_time']:.4f}s"
            lines["Max batch time"] = f"{metrics['max_batch_time']:.4f}s"
        print("Loader Evaluator Summary:")
        for name, value in lines.items():
            print(f"  {name}: {value}")


def _length(value: Any) -> int | None:
    try:
        return len(value)
    except TypeError:  # also of loaders that have a length in other cases
        return None
