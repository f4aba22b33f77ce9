"""The tasks of a conversion: each makes one shard, anywhere, and depends on no other task.

A task writes its files into a folder of its own inside of `.penstock-convert`. When the files are
whole and on the disk, they are renamed into the data set's folder. Then a record of the shard is
written, so a later run knows that the shard is whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, DecodeError, SourceError
from ...engine.order.permutation import Permutation
from ...readers.storage.index_cache import replace_file
from ...readers.storage.opening import open_storages
from ...readers.storage.urls import is_url
from ..checking.digests import KEYS_DTYPE, key_digests
from ..dataset import Dataset
from ..formats.dataset_format import DatasetFormat
from ..formats.writer import Target, Writer
from ..manifest import ShardInfo
from ..reading import read_batches, size_of
from ..sample import check_names
from ..where import Where
from .reencoding.reencoding import Reencoding

WORK = ".penstock-convert"
"""Folder, inside of the destination, of what a conversion needs until it is done."""


OnBatch = Callable[[int, int], None]
"""`on_batch(samples, bytes)` is called after each batch of a shard."""


@dataclass(frozen=True)
class SampleOrder:
    """The samples of a conversion, in their order.

    Attributes:
        size: samples of the source.
        count: samples that are looked at, the first ones of the order.
        key: of the permutation that shuffles; None keeps the order.
        sampling_key: of the permutation whose first `count` samples are looked at.
    """

    size: int
    count: int
    key: int | None = None
    sampling_key: int = 0

    def indices(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the samples at positions of the order."""
        positions = np.arange(start, stop, dtype=np.int64)
        if self.key is not None and self.count:
            positions = Permutation(self.count, self.key)(positions)
        if self.count < self.size:
            return _drawn(self.size, self.count, self.sampling_key)[positions]
        return positions


@lru_cache(maxsize=1)
def _drawn(size: int, count: int, key: int) -> NDArray[np.int64]:
    """Return `count` of `size` indices, ascending."""
    return np.sort(Permutation(size, key)(np.arange(count)))


@dataclass(frozen=True)
class ConvertJob:
    """What all tasks of a conversion share.

    Attributes:
        source: path, format and storage options of the source.
        stamp: state of the source's files: see `stamp_of`.
        started: when the conversion started, in nanoseconds since the epoch.
        root: folder of the new data set.
        format: of the new data set.
        target: see there.
        order: see there.
        where: the filter; None keeps all samples.
        components: names of those that are written; None for all.
        reencoding: what is encoded anew.
    """

    source: tuple[str, DatasetFormat, dict[str, Any]]
    stamp: str
    started: int
    root: Path
    format: DatasetFormat
    target: Target
    order: SampleOrder
    where: Where | None
    components: Sequence[str] | None
    reencoding: Reencoding

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
    staging = Path(tempfile.mkdtemp(".partial", f"{task.name}.", task.job.work))
    try:
        dataset = opened_source(task.job)
        shard, digests = _written(task, dataset, staging, on_batch, stop)
        check_stamp(dataset, task.job)
    except BaseException as error:
        shutil.rmtree(staging, ignore_errors=True)
        error.add_note(f"the whole shards stay in {task.job.root}; resume=True goes on with them")
        raise
    _publish(staging, task.job.root)
    replace_file(_record(task, ".keys"), [digests.tobytes()])
    replace_file(_record(task, ".json"), [json.dumps(asdict(shard)).encode()])
    shutil.rmtree(staging)
    return shard


def opened_source(job: ConvertJob) -> Dataset:
    """Return the source, which stays open for the next task of the process."""
    path, format, options = job.source
    return _opened(path, format, _Options(options), job.stamp)


class _Options(dict[str, Any]):
    """Options as a key of a cache, although options may hold further dictionaries."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self)))


@lru_cache(maxsize=1)
def _opened(path: str, format: DatasetFormat, options: _Options, _: str) -> Dataset:
    """Open a data set; the last argument is the state of its files."""
    return Dataset(path, format, options)


def release_source() -> None:
    """Close the source that `opened_source` left open."""
    _opened.cache_clear()


def _written(
    task: Task, dataset: Dataset, staging: Path, on_batch: OnBatch | None, stop: Event | None
) -> tuple[ShardInfo, NDArray[Any]]:
    job = task.job
    writer = job.writer(job.target)
    digests = [np.empty(0, KEYS_DTYPE)]
    writer.start(staging / task.name)
    try:
        batches = read_batches(
            dataset.read, job.order.indices, task.start, task.stop, dataset.stored.reading
        )
        for indices, samples in batches:
            dataset.stored.check_age(indices, job.started)
            if stop is not None and stop.is_set():
                raise InterruptedError("another shard failed")
            kept = []
            for index, sample in zip(indices.tolist(), samples, strict=True):
                try:
                    if job.where is None or job.where(sample):
                        written = job.reencoding(sample.with_only(job.components))
                        check_names(written)
                        writer.write(written)
                        kept.append((sample.key, index))
                except (ArgumentError, DecodeError) as error:
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
    return shard, np.concatenate(digests)


def _publish(staging: Path, root: Path) -> None:
    """Rename all files into the data set's folder, and have the disk remember the names."""
    folders = {root}
    for folder, _, names in os.walk(staging):
        target = root / Path(folder).relative_to(staging)
        for name in sorted(names):
            target.mkdir(parents=True, exist_ok=True)
            os.replace(os.path.join(folder, name), target / name)
        if names:
            folders |= {target, target.parent}
    for each in folders:
        sync_folder(each)


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names of a folder's files."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _record(task: Task, suffix: str) -> Path:
    return task.job.work / f"{task.name}{suffix}"


def finished(task: Task) -> ShardInfo | None:
    """Return the shard if it is whole: recorded, and its files there with their sizes."""
    try:
        shard = ShardInfo.from_json(json.loads(_record(task, ".json").read_text("utf-8")))
        sizes = [(task.job.root / file.name).stat().st_size for file in shard.files]
        keys = _record(task, ".keys").stat().st_size // KEYS_DTYPE.itemsize
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_whole = sizes == [file.bytes for file in shard.files] and keys == shard.samples
    return shard if is_whole else None


def digests_of(task: Task) -> NDArray[Any]:
    """Return the digests of the keys of a shard that is whole."""
    return np.fromfile(_record(task, ".keys"), KEYS_DTYPE)


def stamp_of(dataset: Dataset) -> str:
    """Return a text that changes if a file of a data set is changed, added or removed."""
    digest = hashlib.sha256()
    for path in dataset.stored.files():
        if is_url(path):
            continue
        status = os.stat(path)
        state = f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n"
        digest.update(os.fsencode(state))
    return digest.hexdigest()


def check_stamp(dataset: Dataset, job: ConvertJob) -> None:
    """Raise SourceError if the source is no longer what it was at the start."""
    if stamp_of(dataset) != job.stamp:
        raise _changed(dataset)


def versions_of(dataset: Dataset) -> str:
    """Return a text that changes if an object of a data set behind URLs changes; else "".

    A task does not ask for it, because each object takes a request.
    """
    urls = [path for path in dataset.stored.files() if is_url(path)]
    stamps = [storage.stamp for storage in open_storages(urls, dataset.options)]
    return hashlib.sha256(json.dumps([urls, stamps]).encode()).hexdigest() if urls else ""


def check_versions(dataset: Dataset, versions: str) -> None:
    """Raise SourceError if an object of the source is no longer what it was at the start."""
    if versions_of(dataset) != versions:
        raise _changed(dataset)


def _changed(dataset: Dataset) -> SourceError:
    return SourceError(
        f"{dataset.place} was changed while it was converted; the shards that are whole may "
        "mix both states, so convert with overwrite=True once nobody writes to it"
    )
