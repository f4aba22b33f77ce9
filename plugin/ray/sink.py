"""A data set of any format as a sink of Ray Data."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from ray.data import Datasink

from ...datasets.checking.digests import KEYS_DTYPE, key_digests, repeated_keys
from ...datasets.class_names import checked_classes
from ...datasets.conversion.destination import local_folder
from ...datasets.conversion.task import publish, sync_folder
from ...datasets.formats.dataset_format import DatasetFormat
from ...datasets.formats.hashed_file import write_new
from ...datasets.formats.writer import Target, Writer
from ...datasets.manifest import NAME, Manifest, ShardInfo
from ...datasets.sample import Sample, check_names
from ...datasets.schema import Schema
from ...engine.arrays import Array
from ...engine.errors import ArgumentError, DecodeError
from .rows import samples_of


class _Shard(NamedTuple):
    """What a write task made.

    Attributes:
        number: of the task.
        staging: folder of the shard's files.
        shard: names, sizes and checksums of the files, as JSON.
    """

    number: int
    staging: str
    shard: str


class DatasetSink(Datasink[_Shard]):
    """A data set of any format, for `ray.data.Dataset.write_datasink`; see `write_dataset`.

    Args:
        path: local folder to write; it must not exist, or be empty.
        format: row of a format that has a writer.
        schema: of the rows.
        first: a sample, from which the format takes choices that all shards share.
        classes: names of the values of "label".
        rows_per_shard: about the rows of a shard; None leaves the choice to Ray.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        format: DatasetFormat,
        schema: Schema,
        first: Sample,
        *,
        classes: Sequence[str] = (),
        rows_per_shard: int | None = None,
    ) -> None:
        assert format.writer is not None
        self._root = local_folder(path).absolute()
        self._work = self._root / f".penstock-write-{uuid4().hex}"  # which is ours beyond doubt
        self._format = format
        self._writer = format.writer
        target = Target(schema, checked_classes(classes) if classes else ())
        self._target = Target(schema, target.classes, self._writer.layout(target, first))
        self._rows_per_shard = rows_per_shard

    @property
    def min_rows_per_write(self) -> int | None:
        """About the rows of a shard."""
        return self._rows_per_shard

    def get_name(self) -> str:
        """Return what Ray calls the write tasks."""
        return f"Penstock-{self._format.name}"

    def on_write_start(self, schema: object = None) -> None:
        """Make the folder.

        Raises:
            FileExistsError: the folder holds files.
        """
        if self._root.exists() and any(self._root.iterdir()):
            raise FileExistsError(f"{self._root} is not empty; choose another folder, or empty it")
        self._work.mkdir(parents=True)

    def write(self, blocks: Iterable[object], ctx: Any) -> _Shard:
        """Write a shard into a folder of its own.

        A task that a cluster believes dead may still run, so each attempt has its own folder.
        """
        number = ctx.task_idx
        staging = tempfile.mkdtemp(".partial", f"shard-{number:05d}.", self._work)
        writer = self._writer(self._target)
        writer.start(Path(staging) / f"shard-{number:05d}")
        try:
            with Path(staging + ".keys").open("w", encoding="utf-8") as keys:
                for sample in _samples(blocks, number):
                    self._write(writer, sample)
                    keys.write(sample.key + "\n")
            shard = writer.finish()
        except BaseException:
            writer.abandon()
            raise
        return _Shard(number, staging, json.dumps(asdict(shard)))

    @staticmethod
    def _write(writer: Writer, sample: Sample) -> None:
        try:
            check_names(sample)
            writer.write(sample)
        except (ArgumentError, DecodeError) as error:
            raise type(error)(f"the row {sample.key!r:.300}: {error}") from error

    def on_write_complete(self, write_result: Any) -> None:
        """Give the shards their names, and write `dataset.json`.

        Raises:
            ArgumentError: two rows have one key, or there is no row.
        """
        work = self._work
        written = sorted(write_result.write_returns)
        shards = [ShardInfo.from_json(json.loads(shard.shard)) for shard in written]
        kept = [pair for pair in zip(written, shards, strict=True) if pair[1].samples]
        if not kept:
            raise ArgumentError("there is no row to write")
        samples = sum(shard.samples for _, shard in kept)
        size = samples * KEYS_DTYPE.itemsize
        for _, index in repeated_keys(_digests(written), size, work):
            raise ArgumentError(
                f"the key {_key_at(written, index)!r} occurs twice; keys must be unique, so give "
                "the rows other ones, or drop the column 'key'"
            )
        for shard, _ in kept:
            publish(Path(shard.staging), self._root)
        whole = tuple(shard for _, shard in kept)
        target = self._writer.complete(self._root, self._target, whole)
        manifest = Manifest(
            self._format.name, samples, target.schema, whole, target.classes, target.layout
        )
        write_new(work / NAME, manifest.to_json().encode(), work)
        os.replace(work / NAME, self._root / NAME)
        shutil.rmtree(work)
        sync_folder(self._root)

    def on_write_failed(self, error: Exception) -> None:
        """Remove what was written; a folder that held files before stays as it is."""
        if self._work.exists():
            shutil.rmtree(self._root, ignore_errors=True)


def _samples(blocks: Iterable[object], number: int) -> Iterator[Sample]:
    for count, block in enumerate(blocks):
        yield from samples_of(block, f"{number:05d}-{count:05d}")


def _digests(written: Sequence[_Shard]) -> Iterator[Array]:
    """Yield the digests of the keys of each shard, with their numbers over all shards."""
    count = 0
    for shard in written:
        keys = _keys(shard)
        yield key_digests([(key, count + row) for row, key in enumerate(keys)])
        count += len(keys)


def _key_at(written: Sequence[_Shard], index: int) -> str:
    return [key for shard in written for key in _keys(shard)][index]


def _keys(shard: _Shard) -> list[str]:
    return Path(shard.staging + ".keys").read_text(encoding="utf-8").split("\n")[:-1]
