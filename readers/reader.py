"""A reader: a source, and the sampler that says in which order it is read."""

from __future__ import annotations

import os
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..engine.arrays import Int64s
from ..engine.errors import CheckpointError, PenstockError, PipelineStopped
from ..engine.graph.context import BatchContext
from ..engine.graph.inputs import Damage, Resources, SeekableInput
from ..engine.graph.limits import Remedies
from ..engine.graph.operator import Array
from ..engine.graph.params import ANY, BOOL, FLOAT, INT, NO_EFFECT, OPTIONS, param
from ..engine.order.block_permutation import Blocks
from ..engine.order.order import Order
from ..engine.order.sampler import Sampler, check_global_batch, check_shard, restored_state
from ..engine.order.selection import Selection
from ..engine.order.shard_permutation import Walk
from ..engine.order.state import REVISIONS
from ..engine.order.subset import Subset
from ..engine.ranks.discovery import shard_of_process
from ..engine.tensors import TensorList
from ..engine.tensors.source_info import NamesOnDemand
from .hub.names import is_on_hub
from .interrupt import Interrupt
from .reading.carriers import Carrier, Inline, Threads
from .reading.window import ReadWindow
from .source import Column, Source, UnavailableError
from .storage.damage import Damages
from .storage.read_team import READ_TEAM
from .storage.urls import is_url

if TYPE_CHECKING:
    from ..engine.order.length_classes import LengthClasses

REMOTE_DEPTH = 4
"""Batches of remote data that are read ahead by default."""

CANNOT_HOLD = {
    "batch_cost": "bounds the cost of each rank's batch, which fewer ranks would exceed",
    "per_batch": "needs whole batches on each rank",
    "stick_to_shard": "gives each rank a part of the data, and no part of each step",
}
"""Arguments of readers whose steps cannot be held as the number of ranks changes, and why."""

SAMPLES_IN_DIGEST = 64
"""Samples whose names the ranks compare: one more or less shifts the names of many."""

THREADS_AFTER_A_FAULT = 16
"""Threads that read a batch sample by sample, if a service does not answer."""


class Reader(SeekableInput):
    """Base of all readers: the arguments they share, and everything but the storage.

    A reader class names its format's arguments and returns the source from `open_source`.
    """

    random_shuffle = param(
        BOOL,
        False,
        "Read every epoch in another order: a permutation of the whole data set, the same for all "
        "shards, drawn from `shuffle_seed` and the epoch's number.",
    )
    shuffle_after_epoch = param(
        BOOL,
        False,
        "The same as `random_shuffle`, and a rank reads the part of the same number in every "
        "epoch. The parts have other samples every time.",
    )
    shuffle_after_epoch_seed = param(INT, None, "The same as `shuffle_seed`.")
    shuffle_seed = param(
        INT,
        0,
        "Seed of the order; without it, the reader's own `seed` counts. It is not derived from the "
        "pipeline's seed, which users often set differently for each rank: the ranks' shards would "
        "overlap then. All ranks must give the same seed.",
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
    shard_id = param(
        INT,
        None,
        "Which of `num_shards` parts of the data this reader reads. If neither is given, these are "
        "the rank of this process and the number of ranks, as torch.distributed, torchrun, JAX, "
        "MPI or SLURM say. In a program of one process they are 0 and 1. See docs/distributed.md.",
    )
    num_shards = param(
        INT,
        None,
        "Number of parts that the data set is divided into. With 1, each process reads all of it.",
    )
    stick_to_shard = param(
        BOOL,
        False,
        "Read the same part in every epoch, instead of the next one in turn. With "
        "`random_shuffle`, each part is shuffled by itself, so a rank needs no samples of others.",
    )
    indices = param(
        ANY,
        None,
        "The samples that are read, by their numbers in the data set: a subset, or an order of "
        "one's own. An array of whole numbers, the path of an `.npy` file, or a function that "
        "returns such an array for the number of an epoch. Equal on all ranks.",
    )
    batch_cost = param(
        OPTIONS,
        None,
        "Batches of about equal cost, whose sizes differ: a dict with `by`, what the length of a "
        "sample is, and `budget`, the cost of a batch; see docs/batches.md. The pipeline's "
        "batch_size is the most that a batch may have.",
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
        "For URLs, such as {'anon': True} or {'endpoint_url': ...} for s3://: fsspec's names, or "
        "those of obstore. http:// takes 'headers'. Credentials are otherwise found where the "
        "service's own tools find them. The key 'limits' bounds our requests: a dict with any of "
        "attempts (6), "
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

    reads_whole_blocks: bool = True
    """Whether blocks of a shuffle are read whole: their samples are neighbors in storage."""

    names_all_outputs: ClassVar[bool] = False
    """Whether all outputs have names, which `source_info` of the source returns by output."""

    refuses: ClassVar[Mapping[str, str]] = {}
    """Arguments of all readers that this one cannot obey, each with the reason and a remedy."""

    adds_operators: ClassVar[bool] = False
    """Whether outputs come from operators that `wrap` adds, such as decoders.

    A mixture takes such readers if they say so.
    """

    source: Source
    _is_slow = False
    subset: Subset | None = None
    classes: LengthClasses | None = None
    sampler: Order
    window: ReadWindow
    damages: Damages
    waits: Interrupt
    _first: int  # number of the sampler's first batch

    @abstractmethod
    def open_source(self) -> Source:
        """Return the storage that the arguments name."""

    def placeholder(self) -> tuple[Array, ...]:
        """Return the arrays that stand for a sample that cannot be read, until it is replaced.

        One array an output: of the dtype and the number of dimensions that samples have.
        """
        return (np.empty(0, np.uint8),) * self.num_outputs()

    def prepare(self) -> None:
        for name, advice in self.refuses.items():
            if name in self.given and getattr(self, name) is not False:
                self.refuse(f"{name} cannot be obeyed: {advice}")
        if self.shuffle_after_epoch and self.stick_to_shard:
            self.refuse(
                "shuffle_after_epoch moves samples between shards, so it cannot be combined with "
                "stick_to_shard; use random_shuffle"
            )

        for name in ("shuffle_block", "shuffle_window"):
            if name in self.given and not (self.random_shuffle or self.shuffle_after_epoch):
                self.refuse(f"{name} needs random_shuffle=True")
        self._blocks: Blocks | None = None
        if self.shuffle_block is not None:
            self._blocks = Blocks(self.shuffle_block, self.shuffle_window)
        if self.batch_cost is not None:
            from .costs import check_cost  # few readers need it

            check_cost(self)
        if self.prefetch_queue_depth is not None and self.prefetch_queue_depth < 0:
            self.refuse(
                f"prefetch_queue_depth={self.prefetch_queue_depth}: expected 0 or more batches"
            )

    def output_layouts(self) -> tuple[str, ...]:
        return ("",) * self.num_outputs()

    def added_outputs(self) -> tuple[str, ...]:
        pads = self.batch_cost is not None and self.batch_cost.get("pad_to") == "bound"
        return ("bound",) if pads else ()

    def added(self, selection: Selection) -> tuple[Array, ...]:
        """Return the `added_outputs` of a batch, which its selection tells: `(batch, ...)` each."""
        if not self.added_outputs():
            return ()
        assert self.classes is not None  # the reader is open
        return (np.array(self.classes.bounds)[selection.source],)

    def open(self, batch_size: int, state: Any) -> None:
        given = self.shard_id, self.num_shards
        self.shard_id, self.num_shards = shard_of_process(self.called.removeprefix("fn."), *given)
        self.found_no_ranks = given == (None, None) and self.num_shards == 1
        self.open_data(state)
        self.sampler = self._make_sampler(batch_size, state)
        self._first = 0
        self._batch_size = batch_size
        self.window = ReadWindow(self.sampler, self.carrier(Resources()))

    def begin(self, resources: Resources) -> None:
        self.window.use(self.carrier(resources))
        if resources.decisions is not None:
            self.window.decisions = resources.decisions

    def _pin(self, known: Mapping[str, str]) -> dict[str, str]:
        """Replace revisions on the Hub by commits in all arguments; return the commits.

        Args:
            known: commits by "user/name@revision", of a checkpoint: the data set may have changed.
        """
        commits: dict[str, str] = {}
        if not any(map(is_on_hub, self._urls)):
            return commits
        for name in self.params:
            value = getattr(self, name, None)
            texts = value if isinstance(value, tuple) else (value,)
            if any(isinstance(text, str) and is_on_hub(text) for text in texts):
                from .hub.repository import pins  # needs an optional library

                found, more = pins(texts, {**known, **commits})
                commits |= more
                setattr(self, name, found if isinstance(value, tuple) else found[0])
        return commits

    def open_data(self, state: object = None) -> None:
        """Open the source, and know which of its samples are read."""
        self.revisions = self._pin(_revisions_of(state))
        self.damages = Damages(leaves_out=self.placement.on_error != "raise")
        self.waits = Interrupt()
        self.source = self.open_source()
        self.damages.require(len(self.source))
        self.damages.warn(self.called, len(self.source))
        self.subset = self.find_subset()

    def find_subset(self) -> Subset | None:
        """Return the samples of the open source that are read; None for all."""
        if self.indices is None:
            return None
        return Subset(self._given_indices(), len(self.source))

    def _given_indices(self) -> object:
        if not isinstance(self.indices, str | os.PathLike):
            return self.indices
        try:
            return np.load(self.indices, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            self.refuse(f"indices: {os.fspath(self.indices)!r} is no .npy file of numbers: {error}")

    def samples_of_epoch(self) -> int:
        """Return how many samples the order has: those of the data set, or the chosen ones."""
        return len(self.source) if self.subset is None else self.subset.size

    def fixed_samples(self) -> Int64s | range:
        """Return the indices of the samples that are read, for plans that hold for all epochs.

        Raises:
            ArgumentError: each epoch has others.
        """
        if self.subset is None:
            return range(len(self.source))
        if self.subset.digest == "function":
            self.refuse(
                "indices is a function, whose samples differ from epoch to epoch; batch_cost, mix, "
                "balance and pack plan once, and need an array"
            )
        return self.subset.at(0, np.arange(self.subset.size))

    def restore(self, number: int, state: object) -> None:
        if (saved := _revisions_of(state)) and saved != self.revisions:
            raise CheckpointError(
                f"the checkpoint is of {saved}, but {self.called} reads {self.revisions}; build "
                "the pipeline with the checkpoint, or name the commit"
            )
        self.go_on(number, self._make_sampler(self._batch_size, state))

    def go_on(self, number: int, sampler: Order) -> None:
        """Take batch `number` and later ones from the start of a sampler."""
        self.sampler = sampler
        self._first = number
        self.window.restart(sampler, number)

    def facts(self) -> dict[str, Any]:
        return {
            "num_shards": self.num_shards,
            "number of samples": len(self.source),
            "digest of sample names": self._digest_of_names(),
            **({"revisions on the Hub": str(self.revisions)} if self.revisions else {}),
            **self.order_facts(),
            "pad_last_batch": self.pad_last_batch,
            **({} if self.batch_cost is None else {"batch_cost": repr(self.batch_cost)[:200]}),
            **({} if self.subset is None else {"digest of indices": self.subset.digest}),
        }

    def order_facts(self) -> dict[str, object]:
        shuffles = self.random_shuffle or self.shuffle_after_epoch
        return {
            "random_shuffle": shuffles,
            "seed of the order": self.order_seed() if shuffles else None,
            "shuffle_block": self.shuffle_block,
            "stick_to_shard": self._sticks,
        }

    def left_out(self) -> Sequence[Damage]:
        return self.damages.found

    def _digest_of_names(self) -> str:
        """Return a digest of the names of some samples, without the folders that hold these.

        Each rank may have a copy of the data set in a folder of its own.
        """
        from ..engine.ranks.agreement import digest  # only several ranks compare what they read

        some = np.linspace(0, len(self.source) - 1, SAMPLES_IN_DIGEST).astype(np.int64)
        names = [self.source.where(index).rpartition("/")[2] for index in some.tolist()]
        return digest(names)

    def global_batch(self) -> int:
        return self.sampler.global_batch or self._batch_size * self.num_shards

    def check_shard(self, shard_id: int, num_shards: int, global_batch: int | None = None) -> None:
        check_shard(self.samples_of_epoch(), shard_id, num_shards)
        if global_batch is None:
            return
        for name, reason in CANNOT_HOLD.items():
            if getattr(self, name, None):
                self.refuse(f"{name} {reason}; call reshard without keep_global_batch")
        check_global_batch(global_batch, num_shards)

    def reshard(
        self, number: int, shard_id: int, num_shards: int, global_batch: int | None = None
    ) -> None:
        state: Any = self.sampler.state_after(number - self._first)
        state = state.dealt_to(num_shards, self._batch_size)
        if global_batch is not None or state.global_batch:
            state = replace(state, global_batch=global_batch)
        self.shard_id, self.num_shards = shard_id, num_shards
        self.restore(number, state.to_json())

    def note_shuffle(self, by: str) -> None:
        """Take note that the reader `by` shuffles the samples of this one as a whole."""

    def walk(self, *, continues: bool) -> Walk | None:
        """Return the shards that a shuffle reads whole at first; None for none, or unknown ones.

        Args:
            continues: whether the run goes on with one that did so.
        """
        return None

    def _make_sampler(self, batch_size: int, state: Any) -> Order:
        if self.batch_cost is not None:
            from .costs import rounds_of

            return rounds_of(self, batch_size, state)
        restored = None if state is None else restored_state(state)
        continues = restored is not None and restored.walk is not None
        walk = self.walk(continues=continues) if self.subset is None else None
        if continues and walk is None:
            raise CheckpointError(
                f"fn.{self.name}: the checkpoint belongs to a reader of shards, which read them "
                "whole in its first epoch: restore it with that reader"
            )
        sampler = Sampler(
            self.samples_of_epoch(),
            batch_size,
            shard_id=self.shard_id,
            num_shards=self.num_shards,
            shuffle=self.random_shuffle or self.shuffle_after_epoch,
            seed=self.order_seed(),
            blocks=self._blocks,
            walk=walk,
            stick_to_shard=self._sticks,
            shuffle_all=self.shuffle_after_epoch,
            pad_last_batch=self.pad_last_batch,
            subset=self.subset,
            state=restored,
        )
        if restored is None or restored.global_batch is None:
            return sampler
        from ..engine.order.cursor import Cursor  # few runs need it
        from ..engine.order.dealt import Dealt

        return Cursor(
            Dealt(sampler),
            batch_size,
            shard_id=self.shard_id,
            num_shards=self.num_shards,
            pad_last_batch=self.pad_last_batch,
        )

    @property
    def _sticks(self) -> bool:
        """Whether a rank reads the part of the same number in every epoch."""
        return bool(self.stick_to_shard or self.shuffle_after_epoch)

    def order_seed(self) -> int:
        """Return the seed of the order: the first that is given of three arguments, or 0."""
        for name in ("shuffle_after_epoch_seed", "shuffle_seed", "seed"):
            if name in self.given and (name != "seed" or self.seed != -1):
                return int(getattr(self, name))
        return 0

    def grouped(self) -> bool:
        """Return whether small batches are read together."""
        return self._blocks is None and self.prefetch_queue_depth is None and not self.read_depth()

    def carrier(self, resources: Resources) -> Carrier:
        """Return the carrier that reads the batches, given what the pipeline has."""
        source: Source | BlockReads = self.source
        if self._blocks is not None and self.reads_whole_blocks and self.subset is None:
            from .block_reads import BlockReads  # its futures take 3 ms

            source = BlockReads(self.source, self._blocks)
        depth = self.read_depth()
        if depth:
            return Threads(source, depth, self.waits)
        return Inline(source, grouped=self.grouped())

    def read_depth(self) -> int:
        """Return how many batches are read ahead of their turn."""
        if self.prefetch_queue_depth is not None:
            return int(self.prefetch_queue_depth)
        return REMOTE_DEPTH if self.reads_urls() else 0

    def reads_urls(self) -> bool:
        """Return whether any data are remote: by default, whether an argument names a URL."""
        return bool(self._urls)

    @cached_property
    def _urls(self) -> list[str]:
        """The URLs that the arguments name, which may be millions of paths."""
        values = [getattr(self, name, None) for name in self.params]
        texts = (t for v in values for t in (v if isinstance(v, tuple) else (v,)))
        return [t for t in texts if isinstance(t, str) and "://" in t and is_url(t)]

    def select(self, number: int, batches: int = 1) -> Selection:
        return self.window.select(number, batches)

    def size_of(self, number: int, most: int) -> int:
        return self.window.size_of(number)

    def shard_sizes(self, epoch: int) -> tuple[int, ...] | None:
        return self.sampler.sizes(epoch)

    def sizes_left(self, number: int) -> tuple[int, ...] | None:
        return self.sampler.sizes_left(number - self._first)

    def most_together(self, batch_size: int) -> int:
        """Return how many batches may be read at once; so few that rarely a sample comes twice."""
        if self.batch_cost is not None or self.sampler.batch_size != batch_size:
            return 1
        if not self.window.takes_groups:
            return 1
        of_shard: int = self.sampler.epoch_size // self.num_shards
        return max(1, of_shard // (2 * batch_size))

    def read_at_once(self) -> int:
        return self.window.count

    def batch(self, batch: BatchContext) -> tuple[Column | TensorList, ...]:
        selection = batch.selections[self.placement.ordinal]
        try:
            with self.waits:
                columns = self.window.take(batch, selection)
        except PipelineStopped:
            raise
        except Exception as error:
            columns = self._read_one_by_one(batch, selection, error)
        return *columns, *self.added(selection)

    def _read_one_by_one(
        self, batch: BatchContext, selection: Selection, cause: Exception
    ) -> tuple[Column, ...]:
        """Fail the samples that cannot be read; read the others all the same."""

        failed: list[int] = []

        def read(row: int) -> tuple[Array, ...]:
            try:
                return self.read_sample(selection, row)
            except Exception as error:
                batch.fail_row(row, error)
                failed.append(row)
                return self.placeholder()

        rows = range(len(selection.index))
        if isinstance(cause, UnavailableError):
            # Each sample may wait for a server's time limit: all wait together.
            samples = _in_threads(read, rows)
            if len(failed) == len(rows) and all(
                isinstance(error, UnavailableError) for error in batch.errors.values()
            ):
                raise cause  # The service is down: no sample is to blame.
        else:
            samples = [read(row) for row in rows]
            if not (failed or isinstance(cause, OSError | PenstockError | MemoryError)):
                self._say_why_slow(cause)
        return tuple(list(column) for column in zip(*samples, strict=True))

    def _say_why_slow(self, cause: Exception) -> None:
        """Warn, once, of an error of the source's own program, which no sample is to blame for."""
        if not self._is_slow:
            self._is_slow = True
            warnings.warn(
                f"{self.called}: {type(self.source).__name__}.read fails for a batch with "
                f"{type(cause).__name__}: {cause}. Each sample can be read alone, so batches are "
                "read sample by sample, which is slow; mend the method",
                RuntimeWarning,
                stacklevel=2,
            )

    def read_sample(self, selection: Selection, row: int) -> tuple[Array, ...]:
        """Read one sample of a batch, into memory of its own."""
        with self.waits:
            columns = self.source.read(selection.index[row : row + 1], np.empty)
        return tuple(column[0] for column in columns)

    def replacement(self, selection: Selection, row: int, attempt: int) -> tuple[Array, ...] | None:
        epoch, position = int(selection.epoch[row]), int(selection.position[row])
        other = self.sampler.replacement(epoch, position, attempt)
        if other is None:
            return None
        selection.index[row] = other
        added = (column[row] for column in self.added(selection))
        return *self.read_sample(selection, row), *added

    def where(self, selection: Selection) -> Sequence[str]:
        return NamesOnDemand(self.source.where, selection.index)

    def source_info(self, selection: Selection, output: int = 0) -> Sequence[str] | None:
        name: Callable[..., str] = getattr(self.source, "source_info", self.source.where)
        if output and (output >= self.num_outputs() or not self.names_all_outputs):
            return None
        if self.names_all_outputs:
            name = partial(name, output=output)
        return NamesOnDemand(name, selection.index)

    def class_names(self) -> dict[str, tuple[str, ...]]:
        names = getattr(self.source, "class_names", None)
        return names() if names else {}

    def class_outputs(self) -> dict[str, int]:
        """Return the number of the output that each of `class_names` numbers."""
        return dict(getattr(self.source, "class_outputs", dict)())

    def remedies(self) -> Remedies:
        return {
            "reading": (
                "a faster disk, more memory for the page cache, or files on this machine",
                "fewer and larger files (TFRecord, RecordIO), in order or with shuffle_block",
                "a larger prefetch_queue_depth of the reader",
            )
        }

    def meta(self) -> dict[str, Any]:
        meta: dict[str, Any] = {
            "epoch_size": self.sampler.epoch_size,
            "epoch_size_padded": self.sampler.epoch_size_padded,
            "number_of_shards": self.num_shards,
            "shard_id": self.shard_id,
            "pad_last_batch": int(self.pad_last_batch or self.batch_cost is not None),
            "stick_to_shard": int(self._sticks),
        }
        if self.batch_cost is not None:
            from .costs import cost_meta

            meta |= cost_meta(self)
        if held := self.sampler.global_batch:
            meta |= {"global_batch": held, "largest_batch": self.sampler.largest_batch}
        return meta

    def state_after(self, batches: int) -> object:
        return self._with_revisions(self.sampler.saved_after(batches - self._first))

    def next_epoch_after(self, batches: int) -> object:
        state = self.sampler.next_epoch_after(batches - self._first).to_json()
        return self._with_revisions(state)

    def _with_revisions(self, state: dict[str, object]) -> dict[str, object]:
        return state | {REVISIONS: self.revisions} if self.revisions else state

    def interrupt(self) -> None:
        self.waits.set()

    def remark(self) -> str:
        return self.window.carrier.path_used if hasattr(self, "window") else ""

    def close(self) -> None:
        if hasattr(self, "window"):
            self.waits.set()
            self.window.close()
        if hasattr(self, "source"):
            self.source.close()


def _revisions_of(state: object) -> dict[str, str]:
    found = state.get(REVISIONS) if isinstance(state, dict) else None
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _in_threads(read: Callable[[int], tuple[Array, ...]], rows: range) -> list[tuple[Array, ...]]:
    samples: list[tuple[Array, ...]] = [()] * len(rows)

    def read_row(row: int) -> None:
        samples[row] = read(row)

    READ_TEAM.run_jobs(read_row, rows, THREADS_AFTER_A_FAULT)
    return samples
