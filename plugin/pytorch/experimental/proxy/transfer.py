"""Inputs of a pipeline on their way from a worker process to the process of the pipeline."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from .....engine.arrays import Array
from .....engine.errors import ArgumentError
from .....engine.tensors import Tensor
from .....engine.tensors.alignment import ALIGNMENT

Bytes = NDArray[np.uint8]

SHARED_FROM = 65536
"""Bytes from which inputs go by shared memory. Fewer bytes fit into a pipe's buffer, and cost less
there than a further file descriptor."""


def as_input(name: str, value: object) -> Any:
    """Return a sample as an external source takes it: an array, a tensor of ours, or numbers.

    Images of Pillow and PyTorch's tensors on the CPU become arrays, the latter without a copy.

    Raises:
        ArgumentError: the value is no array of numbers.
    """
    if isinstance(value, np.ndarray | Tensor | Number):
        return value
    if isinstance(value, torch.Tensor) and value.device.type != "cpu":
        return value
    try:
        array = value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArgumentError(f"input {name!r} of type {type(value).__name__}: {error}") from error
    if array.dtype.kind not in "biufc":
        raise ArgumentError(
            f"input {name!r} is a {type(value).__name__}; expected an array, a tensor, an image or "
            "numbers. Give text and bytes as np.frombuffer(text.encode(), np.uint8)"
        )
    return value if isinstance(value, list | tuple) else array


class _Rows(NamedTuple):
    """Where the samples of an input lie: one array of all samples, or an array for each."""

    dense: bool
    arrays: list[tuple[str, tuple[int, ...], int]]  # dtype, shape and offset


class Parcel:
    """The samples of all inputs of one batch, in one piece of memory that processes share.

    Args:
        columns: the samples of each input, by its name.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._rows: dict[str, _Rows] = {}
        self._pickled: dict[str, bytes] = {}
        placed: list[tuple[int, Array]] = []
        size = 0
        for name, samples in columns.items():
            if not all(_is_plain(sample) for sample in samples):
                self._pickled[name] = pickle.dumps(list(samples))
                continue
            first = samples[0]
            dense = all(s.dtype == first.dtype and s.shape == first.shape for s in samples)
            arrays = []
            for sample in samples:
                arrays.append((sample.dtype.str, sample.shape, size))
                placed.append((size, sample))
                size += sample.nbytes if dense else _aligned(sample.nbytes)
            size = _aligned(size)
            if dense:
                arrays = [(first.dtype.str, (len(samples), *first.shape), arrays[0][2])]
            self._rows[name] = _Rows(dense, arrays)
        self._memory: Bytes | torch.Tensor
        memory: Bytes
        if size < SHARED_FROM:
            self._memory = memory = np.empty(size, np.uint8)
        else:
            self._memory = _shared_memory(size)
            memory = self._memory.numpy()
        for offset, sample in placed:
            np.copyto(_array(memory, sample.dtype.str, sample.shape, offset), sample)

    def columns(self) -> dict[str, Any]:
        """Return the samples by input: an array of all samples, or a list of arrays."""
        memory = self._memory if isinstance(self._memory, np.ndarray) else self._memory.numpy()
        columns: dict[str, Any] = {name: pickle.loads(data) for name, data in self._pickled.items()}
        for name, (dense, rows) in self._rows.items():
            arrays = [_array(memory, *row) for row in rows]
            columns[name] = arrays[0] if dense else arrays
        return columns


def fed(inputs: Parcel | Mapping[str, Sequence[object]]) -> Mapping[str, Any]:
    """Return the inputs of a batch as external sources take them."""
    return inputs.columns() if isinstance(inputs, Parcel) else inputs


def _is_plain(sample: object) -> bool:
    return isinstance(sample, np.ndarray) and sample.dtype.kind in "biufc"


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _array(memory: Bytes, dtype: str, shape: tuple[int, ...], offset: int) -> Array:
    return np.ndarray(shape, dtype, memory, offset)


def _shared_memory(size: int) -> torch.Tensor:
    """Return bytes that PyTorch passes to another process without a copy.

    `Tensor.share_memory_` would make memory that is not shared first, and copy it.
    """
    storage = torch.UntypedStorage._new_shared(size)
    return torch.empty(0, dtype=torch.uint8).set_(storage)
