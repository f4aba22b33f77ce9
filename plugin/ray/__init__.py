"""Data sets of any format as Ray Data's, and back; pipelines that actors of Ray compute.

    import penstock.plugin.ray as penstock_ray

    rows = penstock_ray.read_dataset("train-tar/")
    penstock_ray.write_dataset(rows.filter(expr="label < 10"), "ten/", format="tfrecord")

`source` reads and `sink` writes; `rows` makes Ray's blocks of samples, and samples of blocks.
`reader` has `RayReader`, the batches of a pipeline that actors compute. The
workers of a cluster need Penstock, and a file system that all machines share, or URLs to read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ...engine.errors import ArgumentError, MissingDependencyError, install_hint

try:
    import ray.data
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.ray needs Ray Data ({error}): {install_hint('ray')}", name=error.name
    ) from error

from ...datasets.conversion.target import check_fits
from ...datasets.formats.table import format_named
from ...datasets.schema import schema_of
from .reader import RayReader
from .rows import samples_of
from .sink import DatasetSink
from .source import DatasetSource

__all__ = ["DatasetSink", "DatasetSource", "RayReader", "read_dataset", "write_dataset"]

PROBED_ROWS = 8
"""Rows from which `write_dataset` learns the types of columns."""


def read_dataset(
    path: str | os.PathLike[str],
    *,
    components: Sequence[str] | None = None,
    format: str | None = None,
    storage_options: Mapping[str, object] | None = None,
    override_num_blocks: int | None = None,
    concurrency: int | None = None,
    ray_remote_args: Mapping[str, object] | None = None,
) -> Any:
    """Return a data set of any format as a `ray.data.Dataset`, with a row for each sample.

    The column "key" has the samples' keys. Each component is a column of its name: bytes of an
    encoded file, an integer, a float, a text, or an array. The column "NAME.extension" has the
    extension of the encoded file NAME. Components that a sample lacks are None.

    Args:
        path: a folder, a file, a pattern such as "train-{000..127}.tar", or a URL of these.
        components: names of the components to read; by default all.
        format: one of `datasets.FORMATS`; by default, the content of the files tells.
        storage_options: for URLs: see `fn.readers.file`.
        override_num_blocks: number of read tasks. By default, a data set that `convert` wrote has a
            task for each shard; for others, Ray chooses by size and by number of cores.
        concurrency: number of read tasks that run at a time; by default, Ray chooses.
        ray_remote_args: of the read tasks, such as {"num_cpus": 2}.

    Raises:
        SourceError: there is no data set of a known format.
        ArgumentError: there is no such format or component.
        OSError: a file cannot be read.
    """
    source = DatasetSource(
        path, components=components, format=format, storage_options=storage_options
    )
    return ray.data.read_datasource(
        source,
        override_num_blocks=override_num_blocks or source.shard_count,
        concurrency=concurrency,
        ray_remote_args=dict(ray_remote_args or {}),
    )


def write_dataset(
    dataset: Any,
    path: str | os.PathLike[str],
    *,
    format: str,
    classes: Sequence[str] | None = None,
    rows_per_shard: int | None = None,
    concurrency: int | None = None,
    ray_remote_args: Mapping[str, object] | None = None,
) -> None:
    """Write the rows of a `ray.data.Dataset` as a data set of any format that `convert` writes.

    Columns become components by the rules of `read_dataset`, the other way round. Without a column
    "key" the keys are numbers. The extension of bytes without "NAME.extension" follows from their
    first bytes. Structs of "bytes" and "path", as in Hugging Face's data sets, are encoded files.
    The first 8 rows tell the types of the columns, so the start of a lazy pipeline runs twice.

    Each write task makes one shard. The shards get their names once all are whole, and
    `dataset.json` comes last. If a task fails, nothing stays.

    Args:
        dataset: the rows.
        path: a local folder, or one that all machines share. It must not exist, or be empty.
        format: one of `datasets.FORMATS`.
        classes: names of the values of the component "label".
        rows_per_shard: about the rows of a shard; by default the blocks of Ray decide.
        concurrency: number of write tasks that run at a time; by default, Ray chooses.
        ray_remote_args: of the write tasks.

    Raises:
        ArgumentError: the format cannot hold the rows, or two rows have one key.
        OSError: the folder exists, or cannot be written.
    """
    row = format_named(format, written=True)
    batches = dataset.limit(PROBED_ROWS).iter_batches(batch_size=None, batch_format="pyarrow")
    first = [sample for batch in batches for sample in samples_of(batch, "0")]
    if not first:
        raise ArgumentError("there is no row to write")
    schema = schema_of(first)
    check_fits(row, schema, "the rows")
    sink = DatasetSink(
        path, row, schema, first[0], classes=classes or (), rows_per_shard=rows_per_shard
    )
    dataset.write_datasink(
        sink, concurrency=concurrency, ray_remote_args=dict(ray_remote_args or {})
    )
