"""A reader: a source, and the sampler that says in which order it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.batch import Batch
from ..engine.errors import ArgumentError, PipelineStopped
from ..engine.operator import Array, InputOperator
from ..engine.params import BOOL, FLOAT, INT, NO_EFFECT, OPTIONS, param
from ..engine.sampler import Blocks, Draw, Sampler, SamplerState
from ..engine.tensors import TensorList, TensorListCPU
from .batch_groups import BatchGroups
from .block_reads import BlockReads
from .interrupt import Interrupt
from .read_ahead import ReadAhead
from .source import Allocate, Column, Source, UnavailableError
from .storage.urls import is_url

_REMOTE_DEPTH = 4
_THREADS_AFTER_A_FAULT = 16


class Reader(InputOperator):
    """Base of all readers: the arguments they share, and everything but the storage.

    A reader class names its format's arguments and returns the source from `open_source`.
    """

    random_shuffle = param(
        BOOL,
        False,
        "Read every epoch in another order: a permutation of the whole data set, the same for all "
        "shards, drawn from `shuffle_seed` and the epoch's number.",
    )
    shuffle_after_epoch = param(BOOL, False, "The same as `random_shuffle`.")
    shuffle_after_epoch_seed = param(INT, None, "The same as `shuffle_seed`.")
    shuffle_seed = param(
        INT,
        0,
        "Seed of the order. It is not derived from the pipeline's seed, which users often set "
        "differently for each rank: the ranks' shards would overlap then.",
    )
    shuffle_block = param(
        INT,
        None,
        "For storage that reads neighbours best (spinning disks, remote shards): shuffle blocks of "
        "so many consecutive samples instead of single samples, and mix the samples of "
        "`shuffle_window` blocks. Whole blocks are read, and those of up to two windows kept in "
        "memory. See docs/shuffling.md for what randomness that gives.",
    )
    shuffle_window = param(INT, 16, "Number of blocks that are mixed, if `shuffle_block` is set.")
    shard_id = param(INT, 0, "Which of `num_shards` parts of the data this reader reads.")
    num_shards = param(INT, 1, "Number of parts that the data set is divided into.")
    stick_to_shard = param(
        BOOL, False, "Read the same part in every epoch, instead of the next one in turn."
    )
    pad_last_batch = param(
        BOOL,
        False,
        "Fill up every part with copies of its last sample, to the same number of whole batches.",
    )
    prefetch_queue_depth = param(
        INT,
        None,
        "Batches that are read before they are asked for, as far as the pipeline's "
        "`prefetch_bytes` allows: by default 4 for URLs, whose every request takes a round trip. "
        "Local files, which the kernel reads ahead, are by default read in groups of batches, if "
        "these are small and come fast.",
    )
    storage_options = param(
        OPTIONS,
        {},
        "For URLs: what fsspec's file system for the protocol takes, such as {'anon': True} or "
        "{'endpoint_url': ...} for s3://. Credentials are otherwise found where the service's own "
        "tools find them. The key 'limits' bounds our requests: a dict with any of attempts (6), "
        "stall_seconds (20), total_seconds (120) and at_once (64).",
    )
    initial_fill = param(INT, 1024, NO_EFFECT)
    read_ahead = param(BOOL, False, NO_EFFECT)
    skip_cached_images = param(BOOL, False, NO_EFFECT)
    lazy_init = param(BOOL, False, NO_EFFECT)
    dont_use_mmap = param(BOOL, False, NO_EFFECT)
    use_o_direct = param(BOOL, False, NO_EFFECT)
    tensor_init_bytes = param(INT, 0, NO_EFFECT)
    bytes_per_sample = param(FLOAT, 0.0, NO_EFFECT)

    source: Source
    sampler: Sampler

    _bulk: Source | BlockReads
    _interrupt: Interrupt
    _groups: BatchGroups
    _ahead: ReadAhead | None

    def open_source(self) -> Source:
        """Return the storage that the arguments name."""
        raise NotImplementedError

    def placeholder(self) -> tuple[Array, ...]:
        """Return what stands for a sample that cannot be read, until it is replaced."""
        raise NotImplementedError

    def prepare(self) -> None:
        if self.shuffle_after_epoch and self.stick_to_shard:
            raise ArgumentError(
                f"fn.{self.name}: shuffle_after_epoch moves samples between shards, so it cannot "
                "be combined with stick_to_shard; use random_shuffle"
            )

        self._blocks: Blocks | None = None
        if self.shuffle_block is not None:
            if not (self.random_shuffle or self.shuffle_after_epoch):
                raise ArgumentError(f"fn.{self.name}: shuffle_block needs random_shuffle=True")
            self._blocks = Blocks(self.shuffle_block, self.shuffle_window)
        if self.prefetch_queue_depth is not None and self.prefetch_queue_depth < 0:
            raise ArgumentError(
                f"fn.{self.name}: prefetch_queue_depth={self.prefetch_queue_depth}: expected 0 or "
                "more batches"
            )

    def output_layouts(self) -> tuple[str, ...]:
        return ("",) * self.num_outputs()

    def open(self, batch_size: int, state: Any) -> None:
        self.source = self.open_source()
        self.sampler = Sampler(
            len(self.source),
            batch_size,
            shard_id=self.shard_id,
            num_shards=self.num_shards,
            shuffle=self.random_shuffle or self.shuffle_after_epoch,
            seed=self.shuffle_seed
            if self.shuffle_after_epoch_seed is None
            else self.shuffle_after_epoch_seed,
            blocks=self._blocks,
            stick_to_shard=self.stick_to_shard,
            pad_last_batch=self.pad_last_batch,
            state=None if state is None else SamplerState.from_json(state),
        )
        self._bulk = BlockReads(self.source, self._blocks) if self._blocks else self.source
        self._interrupt = Interrupt()
        depth = self._depth()
        self._ahead = ReadAhead(self._read_batch, depth) if depth else None
        single = bool(depth or self._blocks) or self.prefetch_queue_depth is not None
        self._groups = BatchGroups(self._read, self.sampler, batch_size, single=single)

    def _depth(self) -> int:
        if self.prefetch_queue_depth is not None:
            return int(self.prefetch_queue_depth)
        values = [getattr(self, name, None) for name in self.params]
        texts = [t for v in values for t in (v if isinstance(v, tuple) else (v,))]
        return _REMOTE_DEPTH if any(isinstance(t, str) and is_url(t) for t in texts) else 0

    def draw(self, number: int) -> Draw:
        return self._groups.draw(number)

    def batch(self, batch: Batch) -> tuple[TensorList, ...]:
        columns: tuple[Column | TensorList, ...]
        try:
            columns = self._take(batch)
        except PipelineStopped:
            raise
        except Exception as error:
            columns = self._read_one_by_one(batch, error)
        return tuple(c if isinstance(c, TensorList) else TensorListCPU(c) for c in columns)

    def _take(self, batch: Batch) -> tuple[Column | TensorList, ...]:
        """Return the batch; what is on the GPU already is a `TensorList`."""
        return self._host_columns(batch)

    def _host_columns(self, batch: Batch) -> tuple[Column, ...]:
        """Return the batch, read now or before."""
        if self._ahead is None:
            return self._groups.take(batch)
        columns = self._ahead.take(batch.number, batch.pool)
        batch.taken_bytes += sum(map(nbytes_of, columns))
        return columns

    def _read_batch(self, number: int, allocate: Allocate) -> tuple[Column, ...]:
        return self._read(self.sampler.draw(number).index, allocate)

    def _read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        with self._interrupt:
            return self._bulk.read(indices, allocate)

    def _read_one_by_one(self, batch: Batch, cause: Exception) -> tuple[Column, ...]:
        """Find the samples that cannot be read; the others are read all the same."""
        draw = batch.draws[self.ordinal]

        def read(row: int) -> tuple[Array, ...]:
            try:
                return self._read_one(draw, row)
            except Exception as error:
                batch.errors[row] = error
                return self.placeholder()

        rows = range(len(draw.index))
        if isinstance(cause, UnavailableError):
            # Each sample may wait for a server's time limit: all wait together.
            samples = _in_threads(read, rows)
            if all(isinstance(error, UnavailableError) for error in batch.errors.values()) and (
                len(batch.errors) == len(rows)
            ):
                raise cause  # The service is down. That is no matter of bad samples.
        else:
            samples = [read(row) for row in rows]
        return tuple(list(column) for column in zip(*samples, strict=True))

    def _read_one(self, draw: Draw, row: int) -> tuple[Array, ...]:
        with self._interrupt:
            columns = self.source.read(draw.index[row : row + 1], np.empty)
        return tuple(column[0] for column in columns)

    def spare(self, draw: Draw, row: int, attempt: int) -> tuple[Array, ...] | None:
        if attempt >= len(self.source) - 1:
            return None
        epoch, position = int(draw.epoch[row]), int(draw.position[row])
        draw.index[row] = self.sampler.spare(epoch, position, attempt)
        return self._read_one(draw, row)

    def where(self, draw: Draw) -> Sequence[str]:
        return _Origins(self.source, draw.index)

    def meta(self) -> dict[str, Any]:
        """Return what `Pipeline.reader_meta` tells."""
        return {
            "epoch_size": self.sampler.epoch_size,
            "epoch_size_padded": self.sampler.epoch_size_padded,
            "number_of_shards": self.num_shards,
            "shard_id": self.shard_id,
            "pad_last_batch": int(self.pad_last_batch),
            "stick_to_shard": int(self.stick_to_shard),
        }

    def state_after(self, batches: int) -> Any:
        return self.sampler.state_after(batches).to_json()

    def interrupt(self) -> None:
        self._interrupt.set()

    def reset(self) -> None:
        self._groups.forget()

    def close(self) -> None:
        if hasattr(self, "_groups"):
            self._groups.forget()
            if self._ahead is not None:
                self._ahead.close()
        if hasattr(self, "source"):
            self.source.close()


def nbytes_of(column: Column) -> int:
    """Return the bytes of all samples."""
    return sum(row.nbytes for row in column) if isinstance(column, list) else column.nbytes


def _in_threads(read: Callable[[int], tuple[Array, ...]], rows: range) -> list[tuple[Array, ...]]:
    with ThreadPoolExecutor(min(_THREADS_AFTER_A_FAULT, len(rows))) as threads:
        return list(threads.map(read, rows))


class _Origins(Sequence[str]):
    """Where the samples of a batch are stored, looked up when somebody asks."""

    def __init__(self, source: Source, indices: NDArray[np.int64]) -> None:
        self._source = source
        self._indices = indices

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        return self._source.where(int(self._indices[row]))
