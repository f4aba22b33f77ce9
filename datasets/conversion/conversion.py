"""One conversion: from its plan to the manifest."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, pairwise
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from ...engine.errors import ArgumentError, SourceError
from ...readers.storage.urls import Place, Url
from ..checking.digests import repeated_keys
from ..class_names import checked_classes
from ..dataset import Dataset
from ..formats.base import probes
from ..formats.hashed_file import write_new
from ..formats.table import writable_format, writers
from ..formats.writer import Target, Writer
from ..manifest import NAME, Manifest, ShardInfo
from ..reading import size_of
from ..schema import Schema
from ..where import Where
from .destination import ConvertPlan, Destination
from .engines.table import ENGINES
from .execution import OnProgress, TaskRun
from .reencoding.reencoding import Reencoding
from .task import (
    ConvertJob,
    SampleOrder,
    Task,
    check_stamp,
    check_versions,
    digests_of,
    stamp_of,
    sync_folder,
    versions_of,
)


def _identifying(place: Place) -> str:
    """Return a text that stays the same from any folder, and that shows no secrets."""
    return str(place if isinstance(place, Url) else place.absolute())


DEFAULT_SHARD_BYTES = 256 << 20
"""Size of a shard where the user names neither number nor size."""

MAX_COMPONENT_SETS = 100
"""Sets of components, of each size, that are tried on a format for a message."""


def _fitting(writer: type[Writer], schema: Schema) -> tuple[str, ...]:
    """Return the most components that a format can hold, the first one among them; else ()."""
    first, *others = schema
    for count in range(len(others) - 1, -1, -1):
        for chosen in islice(combinations(others, count), MAX_COMPONENT_SETS):
            names = (first, *chosen)
            if not writer.refusal({name: schema[name] for name in names}):
                return names
    return ()


@dataclass(frozen=True)
class ConvertReport:
    """The result of a conversion.

    Attributes:
        path: of the new data set.
        format: of the new data set.
        samples: that the new data set holds.
        left_out: samples that the filter left out.
        shards: of the new data set.
        resumed_shards: of these, the ones that an earlier run wrote.
        bytes: of the shards' files; of loose files, of their lists alone.
        seconds: that this run took.
        lost: names of data of the source that no sample carries, such as COCO's "segmentation".
    """

    path: str
    format: str
    samples: int
    left_out: int
    shards: int
    resumed_shards: int
    bytes: int
    seconds: float
    lost: tuple[str, ...] = ()


@dataclass(frozen=True)
class ConvertOptions:
    """The options of a conversion: those of `convert`."""

    to: str
    shard_count: int | None
    shard_size: int | None
    shuffle_seed: int | None
    sample_fraction: float
    sample_seed: int
    where: Where | None
    components: Sequence[str] | None
    classes: Sequence[str] | Mapping[int, str] | None
    reencoding: Reencoding
    workers: int | None
    engine: str

    def __post_init__(self) -> None:
        writable_format(self.to)
        if self.engine not in ENGINES:
            raise ArgumentError(f"engine is one of {', '.join(ENGINES)}, not {self.engine!r}")
        if not 0 < self.sample_fraction <= 1:
            raise ArgumentError(
                f"sample_fraction is more than 0 and at most 1, not {self.sample_fraction}"
            )
        if self.shard_count is not None and self.shard_size is not None:
            raise ArgumentError("give either shard_count or shard_size, not both")
        for name in ("shard_count", "shard_size", "workers"):
            if (getattr(self, name) or 1) < 1 or getattr(self, name) == 0:
                raise ArgumentError(f"{name} must be positive, not {getattr(self, name)}")


class Conversion:
    """What `convert` does, step by step."""

    def __init__(
        self,
        dataset: Dataset,
        storage_options: Mapping[str, Any],
        folder: Destination,
        options: ConvertOptions,
    ) -> None:
        """Take the open source, the destination, and the options.

        Raises:
            ArgumentError: the format cannot hold the samples. SourceError: there is no sample.
        """
        self._dataset = dataset
        self._storage_options = dict(storage_options)
        self._folder = folder
        self._options = options
        if not len(dataset):
            raise SourceError(f"{dataset.place} holds no sample")
        self._count = max(1, round(options.sample_fraction * len(dataset)))
        self._target = self._checked_target()
        self._shards = self._shard_count()

    def run(self, progress: OnProgress | None) -> ConvertReport:
        """Convert; see `convert`."""
        started = time.perf_counter()
        plan = self._plan()
        manifest = self._folder.complete(plan)
        if manifest is not None:
            return self._report(manifest, len(manifest.shards), started)
        with self._folder.opened(plan) as opened:
            job = self._job(plan, opened.root, opened.started)
            bounds = np.linspace(0, self._count, self._shards + 1).astype(np.int64).tolist()
            tasks = [Task(job, number, *pair) for number, pair in enumerate(pairwise(bounds))]
            running = TaskRun(tasks, self._count, progress)
            running.work(self._options.engine, self._options.workers)
            manifest = self._complete(job, tasks, running.shards, plan)
            self._folder.put_in_place(opened)
        return self._report(manifest, running.resumed, started)

    def _checked_target(self) -> Target:
        """Return what the writer knows."""
        dataset, options = self._dataset, self._options
        if options.where is not None:
            where = options.where.for_samples(dataset.schema, dataset.classes)
            self._options = options = replace(options, where=where)
        row = writable_format(options.to)
        assert row.writer is not None
        writer = row.writer
        schema = options.reencoding.schema(self._chosen_schema())
        if reason := writer.refusal(schema):
            fitting = _fitting(writer, schema)
            advice = f"; `components` {', '.join(fitting)} would fit" if fitting else ""
            if formats := [name for name, each in writers().items() if not each.refusal(schema)]:
                advice += f"; all components fit {', '.join(formats)}"
            raise ArgumentError(
                f"{dataset.place} cannot be converted to {row.title}: {reason}{advice}"
            )
        target = Target(schema, self._class_names())
        (first,) = dataset.read([0])
        first = options.reencoding(first.with_only(options.components))
        return Target(schema, target.classes, writer.layout(target, first))

    def _chosen_schema(self) -> Schema:
        schema, chosen = self._dataset.schema, self._options.components
        if chosen is None:
            return schema
        if unknown := [name for name in chosen if name not in schema]:
            raise ArgumentError(
                f"components: the samples have no component {unknown[0]!r}; they have "
                f"{', '.join(schema)}"
            )
        return {name: each for name, each in schema.items() if name in chosen}

    def _class_names(self) -> tuple[str, ...]:
        stored = self._dataset.classes
        if self._options.classes is None:
            return stored
        names = checked_classes(self._options.classes)
        if len(names) < len(stored):
            raise ArgumentError(
                f"`classes` names {len(names)} classes, but {self._dataset.place} has "
                f"{len(stored)}: a name for {stored[len(names)]!r} is missing"
            )
        return names

    def _shard_count(self) -> int:
        if self._options.shard_count is not None:
            return min(self._options.shard_count, self._count)
        samples = self._dataset.read(probes(len(self._dataset)))
        mean = sum(map(size_of, samples)) / len(samples)
        size = self._options.shard_size or DEFAULT_SHARD_BYTES
        return min(max(1, ceil(mean * self._count / size)), self._count)

    @property
    def _order(self) -> SampleOrder:
        options = self._options
        size = len(self._dataset)
        return SampleOrder(size, self._count, options.shuffle_seed, options.sample_seed)

    def _plan(self) -> ConvertPlan:
        return ConvertPlan.of(
            source=_identifying(self._dataset.place),
            stamp=stamp_of(self._dataset),
            versions=versions_of(self._dataset),
            to=self._options.to,
            shards=self._shards,
            order=repr(self._order),
            where=str(self._options.where or ""),
            components=list(self._target.schema),
            reencoding=repr(self._options.reencoding),
            classes=list(self._target.classes),
        )

    def _job(self, plan: ConvertPlan, root: Path, started: int) -> ConvertJob:
        return ConvertJob(
            source=(self._dataset.path, self._dataset.row, self._storage_options),
            stamp=plan.stamp,
            started=started,
            root=root,
            format=writable_format(self._options.to),
            target=self._target,
            order=self._order,
            where=self._options.where,
            components=self._options.components,
            reencoding=self._options.reencoding,
        )

    def _complete(
        self,
        job: ConvertJob,
        tasks: Sequence[Task],
        shards: Mapping[int, ShardInfo],
        plan: ConvertPlan,
    ) -> Manifest:
        """Check what only all shards together show, and write the manifest."""
        check_stamp(self._dataset, job)
        check_versions(self._dataset, plan.versions)
        for pair in repeated_keys([digests_of(task) for task in tasks])[:1]:
            first, second = map(self._dataset.where, pair)
            raise ArgumentError(
                f"the key {self._dataset.read(pair)[0].key!r} occurs twice: {first} and {second}; "
                "keys must be unique, so rename or leave out one of them (see `where`)"
            )
        kept = tuple(shards[task.number] for task in tasks if shards[task.number].files)
        if not kept:
            self._folder.discard(job.root)
            raise ArgumentError(
                f"where: {self._options.where} selects none of {self._count} samples, so nothing "
                "was written"
            )
        target = job.writer.complete(job.root, job.target, kept)
        manifest = Manifest(
            job.format.name,
            sum(shard.samples for shard in kept),
            target.schema,
            kept,
            target.classes,
            target.layout,
            plan.digest,
        )
        (job.work / NAME).unlink(missing_ok=True)
        write_new(job.work / NAME, manifest.to_json().encode(), job.work)
        os.replace(job.work / NAME, job.root / NAME)
        sync_folder(job.root)
        return manifest

    def _report(self, manifest: Manifest, resumed: int, started: float) -> ConvertReport:
        return ConvertReport(
            str(self._folder.path),
            manifest.format,
            manifest.samples,
            self._count - manifest.samples,
            len(manifest.shards),
            resumed,
            sum(file.bytes for shard in manifest.shards for file in shard.files),
            time.perf_counter() - started,
            self._dataset.stored.unread_fields,
        )
