"""A data set of any format as a source of Ray Data."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from ray.data import Datasource
from ray.data.block import BlockMetadata
from ray.data.datasource import ReadTask

from ...datasets.conversion.plan import stamp_of
from ...datasets.conversion.task import opened
from ...datasets.dataset import open_dataset
from ...datasets.formats.base import probes
from ...datasets.formats.dataset_format import DatasetFormat
from ...datasets.reading import read_batches, size_of
from ...datasets.schema import Schema
from ...engine.errors import ArgumentError
from ...engine.suggestions import unknown
from .rows import EXTENSION, KEY, block_of


class _Origin(NamedTuple):
    """What all read tasks share.

    Attributes:
        path: of the data set, as another process finds it.
        format: of the data set.
        options: for URLs.
        stamp: state of the files, so that a worker opens files anew that were changed.
        schema: of the columns.
    """

    path: str
    format: DatasetFormat
    options: Mapping[str, object]
    stamp: str
    schema: Schema


class DatasetSource(Datasource):
    """A data set of any format, for `ray.data.read_datasource`; see `read_dataset`.

    Each read task reads a range of samples. The ranges end where shards end, as far as the data set
    knows its shards and the number of tasks allows it.

    Attributes:
        shard_count: number of shards of a data set that `convert` wrote; None for others.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        components: Sequence[str] | None = None,
        format: str | None = None,
        storage_options: Mapping[str, object] | None = None,
    ) -> None:
        Datasource.__init__(self)
        with open_dataset(path, format=format, storage_options=storage_options) as dataset:
            schema = _chosen(dataset.schema, components)
            where, options = dataset.absolute_path, dataset.options
            self._origin = _Origin(where, dataset.row, options, stamp_of(dataset), schema)
            self._count = len(dataset)
            samples = [s.with_only(schema) for s in dataset.read(probes(self._count))]
            self._mean = sum(map(size_of, samples)) / max(1, len(samples))
            shards = dataset.manifest.shards if dataset.manifest is not None else ()
        self._bounds = np.cumsum([0, *(shard.samples for shard in shards)])
        self.shard_count = len(shards) or None

    def get_name(self) -> str:
        """Return what Ray calls the read tasks."""
        return f"Penstock-{self._origin.format.name}"

    def estimate_inmemory_data_size(self) -> int:
        """Return about the bytes of all rows: a few samples tell the mean."""
        return int(self._mean * self._count)

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: object = None
    ) -> list[ReadTask]:
        """Return the read tasks: `parallelism`, or fewer where samples or shards are fewer."""
        cuts = cut(self._count, parallelism, self._bounds).tolist()
        return [
            ReadTask(
                partial(_read, self._origin, start, stop),
                BlockMetadata(
                    num_rows=stop - start,
                    size_bytes=int(self._mean * (stop - start)),
                    input_files=None,
                    exec_stats=None,
                ),
                per_task_row_limit=per_task_row_limit,
            )
            for start, stop in pairwise(cuts)
        ]


def cut(count: int, parts: int, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where `count` samples are cut into about `parts` ranges.

    A cut moves to the nearest bound if that is not farther than half a range.

    >>> cut(100, 4, np.array([0])).tolist()
    [0, 25, 50, 75, 100]
    >>> cut(100, 3, np.array([0, 40, 60, 100])).tolist()
    [0, 40, 60, 100]
    """
    cuts = np.linspace(0, count, min(parts, count) + 1).astype(np.int64)
    nearest = bounds[np.abs(bounds[:, np.newaxis] - cuts).argmin(0)]
    is_near = 2 * min(parts, count) * np.abs(nearest - cuts) <= count
    return np.unique([0, count, *np.where(is_near, nearest, cuts)])


def _chosen(schema: Schema, components: Sequence[str] | None) -> Schema:
    if components is not None:
        for name in components:
            if name not in schema:
                raise ArgumentError(f"components: no sample has {unknown(name, schema)}")
        schema = {name: component for name, component in schema.items() if name in components}
    reserved = [n for n in schema if n == KEY or n.removesuffix(EXTENSION) in schema.keys() - {n}]
    if reserved:
        raise ArgumentError(
            f"the column {reserved[0]!r} has another use; leave this component out by `components`"
        )
    return schema


def _read(origin: _Origin, start: int, stop: int) -> Iterator[object]:
    """Yield the samples of a range in blocks."""
    dataset = opened(origin.path, origin.format, origin.options, origin.stamp)
    batches = read_batches(dataset.read, np.arange, start, stop, dataset.stored.reading)
    for _, samples in batches:
        yield block_of(samples, origin.schema)
