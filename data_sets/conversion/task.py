"""The tasks of a conversion: each makes one shard, anywhere, and depends on no other task.

A task writes its files into a folder of its own inside of `.penstock-convert`. When the files are
whole and on the disk, they are renamed into the data set's folder. Then a record of the shard is
written, so a later run knows that the shard is whole.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from ...engine.arrays import Array
from ...engine.errors import ArgumentError, DecodeError
from ...readers.listing.splits import SplitChoice
from ...readers.storage.index_cache import replace_file
from ...readers.storage.read_team import READ_TEAM
from ..checking.bad_samples import BadSample, lines_of
from ..checking.digests import KEYS_DTYPE, key_digests
from ..checking.integrity import read_intact
from ..dataset import Dataset
from ..formats.dataset_format import DatasetFormat
from ..formats.writer import Target, Writer
from ..manifest import ShardInfo
from ..reading import read_batches, size_of
from ..sample import check_names
from .options import ConvertOptions
from .plan import SampleOrder, check_stamp

if TYPE_CHECKING:
    from ...readers.remote.writing import WritableFolder  # needs optional libraries

WORK = ".penstock-convert"
"""Folder, inside of the destination, of what a conversion needs until it is done."""

OnBatch = Callable[[int, int], None]
"""`on_batch(samples, bytes)` is called after each batch of a shard."""


@dataclass(frozen=True)
class ConvertJob:
    """What all tasks of a conversion share.

    Attributes:
        options: of the conversion; none of them keeps it from other processes.
        source_format: of the source.
        format: of the new data set.
        target: see there.
        order: see there.
        stamp: state of the source's files: see `stamp_of`.
        started: when the conversion started, in nanoseconds since the epoch.
        ahead: times of change that were later at the start: see `StoredSamples.times_ahead`.
        root: folder of the new data set.
        store: where the files go that are made in `root`; None if they stay there.
    """

    options: ConvertOptions
    source_format: DatasetFormat
    format: DatasetFormat
    target: Target
    order: SampleOrder
    stamp: str
    started: int
    ahead: Mapping[str, int]
    root: Path
    store: WritableFolder | None = None

    @property
    def writer(self) -> type[Writer]:
        """The class of the format's writers."""
        assert self.format.writer is not None
        return self.format.writer

    @property
    def work(self) -> Path:
        """The folder of the conversion's own files."""
        return self.root / WORK


@dataclass(frozen=True)
class Task:
    """One shard: positions `start` to `stop` of the order."""

    job: ConvertJob
    number: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """Name of the shard, without suffix."""
        return f"shard-{self.number:05d}"


def run_task(task: Task, on_batch: OnBatch | None = None, stop: Event | None = None) -> ShardInfo:
    """Write a shard, or return what a run before wrote.

    Raises:
        SourceError: the source cannot be read, or was changed.
        ArgumentError: the format cannot hold a sample.
        OSError: a file cannot be written.
    """
    done = finished(task)
    if done is not None:
        return done
    # A task that a cluster believes dead may still run, so each attempt has a folder of its own.
    # A cluster's machine makes the files for a store in a folder of its own.
    work = task.job.work if task.job.work.is_dir() or task.job.store is None else None
    staging = Path(tempfile.mkdtemp(".partial", f"{task.name}.", work))
    try:
        dataset = opened_source(task.job)
        shard, digests, bad = _written(task, dataset, staging, on_batch, stop)
        check_stamp(dataset, task.job.stamp)
    except BaseException as error:
        shutil.rmtree(staging, ignore_errors=True)
        place = task.job.root if task.job.store is None else task.job.store.url
        error.add_note(f"the whole shards stay in {place}; resume=True goes on with them")
        raise
    record: dict[str, object] = asdict(shard)
    if task.job.store is None:
        publish(staging, task.job.root)
    else:
        tags = upload(staging, task.job.store)
        record["tags"] = {file.name: tags[file.name] for file in shard.files}
    _keep(task, ".keys", digests.tobytes())
    _keep(task, ".bad", lines_of(bad))
    _keep(task, ".json", json.dumps(record).encode())
    shutil.rmtree(staging)
    return shard


def opened_source(job: ConvertJob) -> Dataset:
    """Return the source, which stays open for the next task of the process."""
    path, options = os.fspath(job.options.source), job.options.storage_options or {}
    skip_bad = job.options.leaves_out_damage
    split, config = job.options.split, job.options.config
    part = SplitChoice(split or "", config or "") if split or config else None
    return opened(path, job.source_format, options, job.stamp, skip_bad=skip_bad, part=part)


def opened(
    path: str,
    format: DatasetFormat,
    options: Mapping[str, object],
    stamp: str,
    *,
    skip_bad: bool = False,
    part: SplitChoice | None = None,
) -> Dataset:
    """Return a data set, which stays open for the next task of the process.

    Args:
        path: of the data set.
        format: of the data set.
        options: `Reader.storage_options`, for URLs.
        stamp: state of the files: see `stamp_of`. Files of another state are opened anew.
        skip_bad: see `open_dataset`.
        part: see `recognition.locate`.
    """
    return _opened(path, format, _Options(options), stamp, skip_bad, part)


@dataclass(frozen=True)
class _Options:
    """Options as a key of a cache, although options may hold further dictionaries."""

    values: Mapping[str, object]

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.values)))


@lru_cache(maxsize=1)
def _opened(
    path: str,
    format: DatasetFormat,
    options: _Options,
    stamp: str,
    skip_bad: bool,
    part: SplitChoice | None,
) -> Dataset:
    """Open a data set; `stamp` is the state of its files."""
    return Dataset(path, format, options.values, skip_bad=skip_bad, part=part)


def release_source() -> None:
    """Close the source that `opened_source` left open."""
    _opened.cache_clear()


def _written(
    task: Task, dataset: Dataset, staging: Path, on_batch: OnBatch | None, stop: Event | None
) -> tuple[ShardInfo, Array, list[BadSample]]:
    job, options = task.job, task.job.options
    read = partial(read_intact, dataset, decoding=False) if options.skip_bad else dataset.read
    bad: list[BadSample] = []
    writer = job.writer(job.target)
    digests = [np.empty(0, KEYS_DTYPE)]
    writer.start(staging / task.name)
    try:
        batches = read_batches(
            read, job.order.indices, task.start, task.stop, dataset.stored.reading
        )
        for indices, samples in batches:
            is_sound = [not isinstance(sample, BadSample) for sample in samples]
            dataset.stored.check_age(indices[is_sound], job.started, job.ahead)
            if stop is not None and stop.is_set():
                raise InterruptedError("another shard failed")
            kept = []
            for index, sample in zip(indices.tolist(), samples, strict=True):
                if isinstance(sample, BadSample):
                    bad.append(sample)
                    continue
                try:
                    if options.filter is None or options.filter(sample):
                        written = options.reencoding(sample.with_only(options.components))
                        check_names(written)
                        writer.write(written)
                        kept.append((sample.key, index))
                except (ArgumentError, DecodeError) as error:
                    if options.skip_bad and isinstance(error, DecodeError):
                        bad.append(BadSample(index, dataset.where(index), str(error)))
                        continue
                    raise type(error)(f"{dataset.where(index)}: {error}") from error
            digests.append(key_digests(kept))
            if on_batch is not None:
                on_batch(len(samples), sum(map(size_of, samples)))
        shard = writer.finish()
    except BaseException:
        writer.abandon()
        raise
    if not shard.samples:  # no reader accepts a file without samples
        shutil.rmtree(staging)
        staging.mkdir()
        shard = ShardInfo((), 0)
    return shard, np.concatenate(digests), bad


def publish(staging: Path, root: Path) -> None:
    """Rename all files of a shard into the data set's folder; have the disk keep the names."""
    folders = {root}
    for folder, _, names in os.walk(staging):
        target = root / Path(folder).relative_to(staging)
        for name in sorted(names):
            target.mkdir(parents=True, exist_ok=True)
            os.replace(os.path.join(folder, name), target / name)
        if names:
            folders |= {target, target.parent}
    for changed in folders:
        sync_folder(changed)


def upload(staging: Path, store: WritableFolder) -> dict[str, str]:
    """Write all files of a shard to a store; return their ETags by name."""
    paths = [path for path in staging.rglob("*") if path.is_file()]
    tags: dict[str, str] = {}

    def write(path: Path) -> None:
        name = path.relative_to(staging).as_posix()
        tags[name] = store.write(name, path).tag

    READ_TEAM.run_jobs(write, paths)
    return tags


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names of a folder's files."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _record(task: Task, suffix: str) -> Path:
    return task.job.work / f"{task.name}{suffix}"


def _keep(task: Task, suffix: str, content: bytes) -> None:
    """Write a record of a shard."""
    if task.job.store is None:
        replace_file(_record(task, suffix), [content])
    else:
        task.job.store.write(f"{WORK}/{task.name}{suffix}", content)


def _kept(task: Task, suffix: str) -> bytes:
    """Return a record of a shard."""
    if task.job.store is None:
        return _record(task, suffix).read_bytes()
    return task.job.store.read(f"{WORK}/{task.name}{suffix}")


def finished(task: Task) -> ShardInfo | None:
    """Return the shard if it is whole: recorded, and its files there with their sizes.

    `StoredDestination` says which shards in a store are whole.
    """
    try:
        shard = ShardInfo.from_json(json.loads(_record(task, ".json").read_text("utf-8")))
        sizes = [(task.job.root / file.name).stat().st_size for file in shard.files]
        keys = _record(task, ".keys").stat().st_size // KEYS_DTYPE.itemsize
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_whole = sizes == [file.bytes for file in shard.files] and keys == shard.samples
    return shard if is_whole else None


def bad_of(task: Task) -> bytes:
    """Return the lines of the bad samples that a shard that is whole lacks."""
    try:
        return _kept(task, ".bad")
    except FileNotFoundError:  # of an earlier release
        return b""


def digests_of(task: Task) -> Array:
    """Return the digests of the keys of a shard that is whole."""
    return np.frombuffer(_kept(task, ".keys"), KEYS_DTYPE)
