"""Benchmarks look at what they count: each sample that a turn saw, beside the same sample alone.

A rate says nothing about data. So the consumer of a measured pipeline sums samples, and drops each
batch at once, as training loops do. After the turn the same pipeline runs again with the same seed,
alone, and each batch is summed before the next one is taken: the *reference*. The samples of batch
k and their random numbers follow from the seed, so batch k of the turn must have the sums of batch
k of the reference. A turn with a wrong sample raises an error, so its program records no figure.

    watched = Watched(key, make)          # `make` returns a pipeline with a seed
    common.run_for(watched.run, seconds)  # like `pipeline.run`
    return watched.looked(rate)           # closes the pipeline, and compares

On the GPU, where roundings may differ, means take the place of sums. They are queued on the
consumer's stream, behind the work that it has queued. Nobody waits for them until the turn is over.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ONE_IN = 61
"""One sample of so many is summed on the CPU, and where samples differ in shape. That takes 0.3%
of the time of pipelines that decode, and 2 to 4% of the time of those that only read. The number is
a prime: each row of a batch gets its turn."""

TOLERANCE = 1e-3
"""By how much means may differ on the GPU, relative to the mean. Which files the JPEG engine
decodes, and which the kernels, depends on who is free. Their pixels differ by roundings, up or
down, which change the mean of a photograph by some 1e-4. Other pixels change it by far more."""

ROUNDING = 1e-3
"""By how much they may differ besides, in units of the contrast of photographs. A window of nearly
one color has a small mean once that color is subtracted, and roundings are a larger part of it."""

CONTRAST = 50.0
"""Levels of 255 that are a unit of bytes. Networks get pixels that are divided by about as much."""

LONGER = 1.25
"""The reference has so many times the batches of the first turn, because later turns may be faster.
A turn that has still more batches makes a new reference."""

Take = Callable[[], Sequence[Any]]
"""Returns the outputs of the next batch."""

Sums = tuple[range, list[NDArray[Any]]]
"""Rows of a batch that were summed, and their sums, output by output."""

Opened = Callable[[], AbstractContextManager[Take]]
"""Opens what delivers batches, always the same ones."""


class Looked(NamedTuple):
    """The figure of a turn, and what its consumer saw.

    Attributes:
        figure: such as images a second.
        compared, wrong: samples that were compared with the reference, and those that differ.
        loss: of the last step, where a network trains.
    """

    figure: float
    compared: int = 0
    wrong: int = 0
    loss: float | None = None


class WrongSamplesError(RuntimeError):
    """Samples of a measured pipeline are not those that it delivers alone."""


class Looks:
    """The sums of the samples that a consumer has seen.

    Args:
        one_in: sum one sample of so many, where not all are summed.
        tolerance: by how much sums may differ on the GPU, relative to the sum.
        is_alone: whether to wait for the GPU before and after each batch, as a reference does.
    """

    def __init__(
        self, one_in: int = ONE_IN, tolerance: float = TOLERANCE, *, is_alone: bool = False
    ) -> None:
        self.one_in = one_in
        self.tolerance = tolerance
        self._is_alone = is_alone
        self._samples = 0
        self._batches: list[tuple[range, list[Any]]] = []

    def look(self, outputs: Sequence[Any]) -> None:
        """Sum samples of the next batch; on the GPU, queue the work."""
        if self._is_alone:
            _synchronize(outputs)
        size = len(outputs[0])
        rows = (
            range(size)
            if all(map(_is_quick, outputs))
            else range(-self._samples % self.one_in, size, self.one_in)
        )
        self._batches.append((rows, [_sums(output, rows) for output in outputs]))
        self._samples += size
        if self._is_alone:
            _synchronize(outputs)

    def __len__(self) -> int:
        """Return the number of batches."""
        return len(self._batches)

    def sums(self) -> list[Sums]:
        """Return the sums of each batch, in the host's memory."""
        self._batches = [(rows, list(map(_on_host, found))) for rows, found in self._batches]
        return self._batches


class Watched:
    """A pipeline whose consumer looks at the samples.

    Args:
        key: of the pipeline's settings. Turns with the same key share a reference.
        make: returns the pipeline, of Penstock or DALI, with a seed.
        one_in, tolerance: see `Looks`; fewer than usual for samples that come slowly, and more for
            operators that turn a rounding into another contrast.
    """

    def __init__(
        self,
        key: Hashable,
        make: Callable[[], Any],
        one_in: int = ONE_IN,
        tolerance: float = TOLERANCE,
    ) -> None:
        self._key = key
        self._make = make
        self._looks = Looks(one_in, tolerance)
        self.pipeline = make()
        self.pipeline.build()

    def run(self) -> Any:
        """Take a batch, look at it, and return it."""
        outputs = self.pipeline.run()
        self.look(outputs)
        return outputs

    def look(self, outputs: Sequence[Any]) -> None:
        """Look at a batch that was taken from the pipeline itself, in its turn."""
        self._looks.look(outputs)

    def looked(self, figure: float) -> Looked:
        """Close the pipeline, and compare what was seen with the reference.

        Raises:
            WrongSamplesError: if a sample differs.
        """
        close(self.pipeline)
        del self.pipeline
        compared, wrong = compare(self._looks, self._key, partial(_opened, self._make))
        return checked(Looked(figure, compared, wrong), self._key)


def compare(looks: Looks, key: Hashable, opened: Opened) -> tuple[int, int]:
    """Return how many samples were compared with the reference of a key, and how many differ.

    Args:
        looks: at the batches of a turn, from the first one on.
        key: turns with the same key share a reference.
        opened: opens what delivers the same batches; called if no reference is long enough.
    """
    if len(_references.get(key, ())) < len(looks):
        _references[key] = _reference(opened, ceil(LONGER * len(looks)), looks.one_in)
    return counts(zip(looks.sums(), _references[key], strict=False), looks.tolerance)


def counts(pairs: Iterable[tuple[Sums, Sums]], tolerance: float = TOLERANCE) -> tuple[int, int]:
    """Return how many samples there are in pairs of the same batch, and how many differ.

    What differs is described in a line of the error output: the faults of memory that is in use are
    large, and roundings small.
    """
    compared = wrong = 0
    largest: list[float] = []  # of each pair of batches that differ
    for (rows, seen), (same_rows, expected) in pairs:
        compared += len(rows)
        if rows != same_rows:
            wrong += len(rows)
            continue
        alike = [_alike(*pair, tolerance) for pair in zip(seen, expected, strict=True)]
        differ = len(rows) - int(np.logical_and.reduce(alike).sum())
        wrong += differ
        if differ:
            pairs_of_batch = zip(seen, expected, strict=True)
            largest.append(max(float(np.abs(1.0 * a - b).max()) for a, b in pairs_of_batch))
    if largest:
        print(
            f"samples differ in {len(largest)} batches, by up to {min(largest):.2g} to "
            f"{max(largest):.2g}",
            file=sys.stderr,
        )
    return compared, wrong


def checked(looked: Looked, what: object) -> Looked:
    """Return what a turn found.

    Raises:
        WrongSamplesError: if samples differ, none was compared, or a network's loss is no number.
    """
    if looked.wrong or not looked.compared:
        raise WrongSamplesError(
            f"{what}: {looked.wrong} of {looked.compared} samples differ from those that the same "
            "pipeline delivers alone, so there is no figure"
        )
    if looked.loss is not None and not np.isfinite(looked.loss):
        raise WrongSamplesError(f"{what}: the loss is {looked.loss}, so there is no figure")
    return looked


def close(pipeline: Any) -> None:
    """End the work ahead. DALI's pipeline ends when the last reference to it goes."""
    if hasattr(pipeline, "close"):
        pipeline.close()


_references: dict[Hashable, list[Sums]] = {}


def _reference(opened: Opened, batches: int, one_in: int) -> list[Sums]:
    looks = Looks(one_in, is_alone=True)
    with opened() as take:
        for _ in range(batches):
            looks.look(take())
    return looks.sums()


@contextmanager
def _opened(make: Callable[[], Any]) -> Iterator[Take]:
    pipeline = make()
    pipeline.build()
    try:
        yield pipeline.run
    finally:
        close(pipeline)


def _alike(seen: NDArray[Any], expected: NDArray[Any], tolerance: float) -> NDArray[np.bool_]:
    if seen.dtype.kind != "f":
        equal: NDArray[np.bool_] = seen == expected
        return equal
    close_to: NDArray[np.bool_] = np.isclose(
        seen, expected, rtol=tolerance, atol=ROUNDING, equal_nan=True
    )
    return close_to


def _is_quick(output: Any) -> bool:
    """Return whether one call sums all samples of an output."""
    if hasattr(output, "is_cuda"):
        return True
    return _is_on_gpu(output) and bool(output.is_dense_tensor())


def _is_on_gpu(samples: Any) -> bool:
    return type(samples).__name__ == "TensorListGPU"


def _sums(output: Any, rows: range) -> Any:
    """Return the sums of some samples of PyTorch's tensor, or of a batch of either library."""
    if hasattr(output, "is_cuda"):
        return _sums_of_tensor(output, rows)
    if _is_on_gpu(output):
        return _sums_on_gpu(output, rows)
    return np.array([sum_of_words(output.at(row)) for row in rows], np.uint64)


def sum_of_words(array: Any) -> int:
    """Return the sum of an array's memory as words of 64 bits, modulo 2^64.

    The CPU computes the same bits every time, so the sums are equal.

    >>> sum_of_words(np.array([1, 2, 3], np.uint64)), sum_of_words(np.ones(9, np.uint8)) % 256
    (6, 2)
    """
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = flat.size // 8 * 8
    words = flat[:whole].view(np.uint64).sum(dtype=np.uint64)
    return (int(words) + int(flat[whole:].sum(dtype=np.uint64))) % 2**64


def _sums_of_tensor(tensor: Any, rows: range) -> Any:
    """Queue the means of the magnitudes of a tensor's samples, in float64; of integers the sums."""
    import torch

    chosen = tensor[rows.start : rows.stop : rows.step]
    chosen = chosen if chosen.ndim > 1 else chosen[:, None]
    dims = tuple(range(1, chosen.ndim))
    if chosen.dtype in (torch.int32, torch.int64):  # such as labels, which have no roundings
        return chosen.sum(dim=dims)
    chosen = chosen if chosen.is_floating_point() else chosen.float() / CONTRAST
    elements = max(1, chosen[0].numel() if len(chosen) else 0)
    return torch.linalg.vector_norm(chosen, 1, dim=dims, dtype=torch.float64) / elements


def _sums_on_gpu(samples: Any, rows: range) -> Any:
    """Queue the means of the magnitudes of samples, in float64, on CuPy's current stream."""
    import cupy

    with cupy.cuda.Device(samples.device_id()):
        found: Any
        if len(rows) == len(samples):
            found = sums_of_rows(cupy.from_dlpack(samples.as_tensor()))
        else:
            found = [sums_of_rows(cupy.from_dlpack(samples.at(row))[None]) for row in rows]
        if not hasattr(samples, "used_on"):
            # DALI takes the memory back when its objects are gone, whatever is queued.
            cupy.cuda.get_current_stream().synchronize()
        return found


def sums_of_rows(array: Any) -> Any:
    """Queue the means of the magnitudes of an array's rows, in float64; of integers the sums."""
    rows = array.reshape(len(array), -1)
    if rows.dtype.kind == "i":  # such as labels, which have no roundings
        return rows.sum(axis=1)
    unit = CONTRAST if rows.dtype.kind == "u" else 1.0
    return _sum_of_magnitudes()(rows, axis=1) / (max(1, rows.shape[1]) * unit)


@cache
def _sum_of_magnitudes() -> Any:
    """Return a kernel that reads samples once, and needs no memory for magnitudes."""
    import cupy

    return cupy.ReductionKernel(
        "T x", "float64 y", "fabs((double)x)", "a + b", "y = a", "0", "sum_of_magnitudes"
    )


def _on_host(found: Any) -> NDArray[Any]:
    """Return sums in the host's memory."""
    if isinstance(found, np.ndarray):
        return found
    if isinstance(found, list):
        return np.array([one.get()[0] for one in found])
    return np.asarray(found.cpu().numpy() if hasattr(found, "cpu") else found.get())


def _synchronize(outputs: Sequence[Any]) -> None:
    """Wait for all work on the GPUs of a batch."""
    for output in outputs:
        if _is_on_gpu(output):
            import cupy

            cupy.cuda.Device(output.device_id()).synchronize()
        elif getattr(output, "is_cuda", False):
            import torch

            torch.cuda.synchronize(output.device)
