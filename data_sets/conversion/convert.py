"""Converting data sets: `convert`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...engine.errors import ArgumentError, SourceError
from ...readers.storage.index_cache import replace_file
from ...readers.storage.urls import Url, place_of
from ..checking.bad_samples import (
    FILE,
    MAX_LISTED,
    BadSample,
    chosen_samples,
    damaged_on_opening,
    lines_of,
    parse_lines,
    require_listed,
)
from ..checking.digests import KEYS_DTYPE, repeated_keys
from ..dataset import Dataset, open_dataset
from ..formats.table import format_named
from ..manifest import Manifest, ShardInfo
from .destination import Destination, OpenedDestination
from .engines.table import ENGINES
from .execution import Execution
from .hub_upload import upload_of
from .options import ConvertOptions, taking
from .plan import ConvertPlan, SampleOrder, check_stamp, check_versions
from .progress import ConvertProgress, OnProgress
from .target import shard_count_of, target_of, without_lacking
from .task import ConvertJob, Task, bad_of, digests_of

if TYPE_CHECKING:
    from ...readers.remote.writing import WritableFolder
    from .stored_destination import StoredDestination


@dataclass(frozen=True)
class ConvertReport:
    """The result of a conversion.

    Attributes:
        path: of the new data set.
        format: of the new data set.
        samples: that the new data set holds.
        left_out: samples that the filter or a list left out.
        shards: of the new data set.
        resumed_shards: of these, the ones that an earlier run wrote.
        bytes: of the shards' files; of loose files, of their lists alone.
        seconds: that this run took.
        lost: names of data of the source that no sample of the new data set carries: such as the
            supercategories of COCO, and components that the format has no room for.
        skipped_files: names of files and folders of the source that hold no sample, by what they
            are.
        skipped: how many damaged samples and files `skip_bad` left out, and damaged files that a
            list names; of a file, the sound part is there.
        bad: the first of these, at most `MAX_LISTED`.
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
    skipped_files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    skipped: int = 0
    bad: tuple[BadSample, ...] = ()


@taking(ConvertOptions)
def convert(options: ConvertOptions) -> ConvertReport:
    """Write the samples of a data set in another format.

    Encoded files keep their bytes unless an option encodes them anew. A shard gets its name when it
    is whole and on the disk, so neither a kill nor a full disk leaves a part of a shard. The file
    `dataset.json` appears last. It holds the counts, the schema, and the SHA-256 of each shard. A
    data set on the Hugging Face Hub (`hf://user/name`) gets all files in one commit.

    Args:
        {arguments}

    Raises:
        ArgumentError: the arguments contradict each other; the format cannot hold the samples; or
            two samples have one key.
        SourceError: the source cannot be read, or was changed meanwhile.
        OSError: the destination exists, or cannot be written.

    >>> from pathlib import Path
    >>> for name in ("cat", "dog"):
    ...     Path("pets", name).mkdir(parents=True)
    ...     _ = Path("pets", name, "1.jpg").write_bytes(b"...")
    >>> report = convert("pets", "pets-tar", to="webdataset")
    >>> report.samples, sorted(path.name for path in Path("pets-tar").iterdir())
    (2, ['dataset.json', 'shard-00000.tar'])
    """
    if options.engine not in ENGINES:
        raise ArgumentError(f"engine is one of {', '.join(ENGINES)}, not {options.engine!r}")
    format = format_named(options.to, written=True)
    upload = upload_of(options.destination, format, overwrite=options.overwrite)
    place = upload.folder if upload else _place_of(options)
    with open_dataset(
        options.source,
        format=options.format,
        storage_options=options.storage_options,
        skip_bad=options.leaves_out_damage,
        split=options.split,
        config=options.config,
    ) as dataset:
        options = replace(options, source=dataset.path)  # with the commit, if it is on the Hub
        replaces = options.overwrite if upload is None else not options.resume
        folder = _destination(place, dataset, replace(options, overwrite=replaces))
        report = _converted(dataset, folder, options)
    return report if upload is None else replace(report, path=upload.publish())


def _place_of(options: ConvertOptions) -> Path | WritableFolder:
    """Return the folder that the options name: a local one, or one in a store.

    Raises:
        ArgumentError: a URL cannot be written.
    """
    place = place_of(options.destination)
    if not isinstance(place, Url):
        return place
    from ...readers.remote.writing import WritableFolder  # needs optional libraries

    return WritableFolder(Url(place.text.rstrip("/")), options.destination_options or {})


def _destination(
    place: Path | WritableFolder, source: Dataset, options: ConvertOptions
) -> Destination | StoredDestination:
    ways = {"overwrite": options.overwrite, "resume": options.resume}
    if isinstance(place, Path):
        return Destination(place, source, **ways)
    from .stored_destination import StoredDestination  # needs optional libraries

    return StoredDestination(place, source, **ways)


def _converted(
    dataset: Dataset, folder: Destination | StoredDestination, options: ConvertOptions
) -> ConvertReport:
    """Convert an open data set; see `convert`."""
    if not len(dataset):
        raise SourceError(f"{dataset.place} holds no sample")
    started = time.perf_counter()
    if not options.skip_bad:
        require_listed(dataset, options.without, options.only)
    chosen = chosen_samples(dataset, options.only, options.without)
    options = _resolved(options, dataset)
    format = format_named(options.to, written=True)
    options, lacking = without_lacking(dataset, options, format)
    target = target_of(dataset, options, format)
    count = max(1, round(options.sample_fraction * chosen.count))
    order = SampleOrder(
        chosen.count,
        count,
        options.shuffle_seed,
        options.sample_seed,
        None if chosen.is_all else chosen,
    )
    shards = shard_count_of(dataset, options, count)
    plan = ConvertPlan.of(dataset, options, target, order, shards)
    manifest = folder.complete(plan)
    resumed = len(manifest.shards) if manifest is not None else 0
    bad: list[BadSample] = []
    if manifest is None:
        with folder.opened(plan) as opened:
            job = ConvertJob(
                options=replace(options, progress=None),
                source_format=dataset.row,
                format=format,
                target=target,
                order=order,
                stamp=plan.stamp,
                started=opened.started,
                ahead=opened.ahead,
                root=opened.root,
                store=opened.store,
            )
            bounds = np.linspace(0, count, shards + 1).astype(np.int64).tolist()
            tasks = [Task(job, number, *pair) for number, pair in enumerate(pairwise(bounds))]
            execution = Execution(tasks, count, _beating(folder, options.progress), opened.whole)
            resumed = execution.resumed
            execution.run(options.engine, options.workers)
            bad = _listed_bad(dataset, tasks, options)
            manifest = _complete(dataset, folder, opened, tasks, execution.shards, plan, bad)
            folder.put_in_place(opened)
    by_filter = count - manifest.samples - sum(sample.index != FILE for sample in bad)
    return ConvertReport(
        str(folder.path),
        manifest.format,
        manifest.samples,
        len(dataset) - chosen.count + by_filter,
        len(manifest.shards),
        resumed,
        sum(file.bytes for shard in manifest.shards for file in shard.files),
        time.perf_counter() - started,
        (*dataset.stored.unread_fields, *lacking),
        dict(dataset.stored.skipped_files),
        len(bad),
        tuple(bad[:MAX_LISTED]),
    )


def _beating(folder: Destination | StoredDestination, progress: OnProgress | None) -> OnProgress:
    def on_progress(done: ConvertProgress) -> None:
        folder.beat()
        if progress is not None:
            progress(done)

    return on_progress


def _listed_bad(
    dataset: Dataset, tasks: Sequence[Task], options: ConvertOptions
) -> list[BadSample]:
    """Return what is damaged and left out, and write the list of `skip_bad` if it is asked for."""
    bad = damaged_on_opening(dataset)
    if not options.skip_bad:
        return bad
    for task in tasks:
        bad += parse_lines(bad_of(task), task.name)
    if options.quarantine is not None:
        replace_file(Path(options.quarantine).absolute(), [lines_of(bad)])
    return bad


def _resolved(options: ConvertOptions, dataset: Dataset) -> ConvertOptions:
    """Return the options with the numbers of the classes that the filter names."""
    where = options.filter and options.filter.for_samples(dataset.schema, dataset.classes)
    components = None if options.components is None else tuple(options.components)
    return replace(options, where=where, components=components)


def _selectable(dataset: Dataset) -> str:
    """Return what a filter may select, as sentences."""
    key = dataset.read(dataset.stored.probes()[:1])[0].key
    schema = ", ".join(f"{name} ({component})" for name, component in dataset.schema.items())
    text = f"The samples have key (such as {key!r:.100}), {schema}"
    listed = ", ".join(f"{name!r} ({n})" for n, name in enumerate(dataset.classes[:20]) if name)
    more = ", ..." if len(dataset.classes) > 20 else ""
    return f"{text}; the classes are {listed}{more}" if listed else text


def _complete(
    dataset: Dataset,
    folder: Destination | StoredDestination,
    opened: OpenedDestination,
    tasks: Sequence[Task],
    shards: Mapping[int, ShardInfo],
    plan: ConvertPlan,
    bad: Sequence[BadSample],
) -> Manifest:
    """Check what only all shards together show, and write the manifest."""
    job = tasks[0].job
    check_stamp(dataset, plan.stamp)
    check_versions(dataset, plan.versions)
    digests = (digests_of(task) for task in tasks)
    for pair in islice(repeated_keys(digests, job.order.count * KEYS_DTYPE.itemsize, job.work), 1):
        first, second = map(dataset.where, pair)
        raise ArgumentError(
            f"the key {dataset.read(pair)[0].key!r} occurs twice: {first} and {second}; "
            "keys must be unique, so rename or leave out one of them (see `where`)"
        )
    kept = tuple(shards[task.number] for task in tasks if shards[task.number].files)
    if not kept:
        folder.discard(job.root)
        if bad:
            raise SourceError(
                f"none of the {job.order.count:,} samples is sound, so nothing was written; the "
                f"last one: {bad[-1]}"
            )
        raise ArgumentError(
            f"where: {job.options.filter} selects none of {job.order.count:,} samples, so nothing "
            f"was written. {_selectable(dataset)}"
        )
    target = folder.complete_files(job.writer, opened, job.target, kept)
    manifest = Manifest(
        job.format.name,
        sum(shard.samples for shard in kept),
        target.schema,
        kept,
        target.classes,
        target.layout,
        plan.digest,
    )
    folder.write_manifest(opened, manifest)
    return manifest
