"""Energon: tar archives, of which the folder `.nv-meta` names those of each split.

Written data sets have one split, "train", and the offsets of samples beside each archive, in
`SHARD.tar.idx` (uint64, little-endian: the first header of each sample, and the end of the last).
Components become files as in `component_files`, and Energon hands them out by their extensions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SourceError
from ...readers.archives.tar_index import ArchiveIndex
from ...readers.storage.storage import Storage
from ...readers.storage.urls import text_of
from ...readers.webdataset.energon import DATASET_NAME, FOLDER, INFO_NAMES, SPLIT_NAMES
from ...readers.webdataset.shards import check_count, shards_of
from ..manifest import ShardInfo
from .base import Location, ReaderCall
from .dataset_format import DatasetFormat
from .hashed_file import write_new
from .webdataset import WebDatasetSamples, WebDatasetWriter
from .writer import Target

OFFSETS = ".tar.idx"
_DATASET = """__module__: megatron.energon
__class__: CrudeWebdataset
"""
"""Samples as they are: a program cooks them, as Energon says."""


class EnergonSamples(WebDatasetSamples):
    """The samples of the only split with shards, without those that the metadata exclude."""

    def __init__(self, location: Location) -> None:
        self._folder = f"{text_of(location.root).rstrip('/')}/"
        self._shards = shards_of([self._folder], options=location.options)
        if not self._shards.sets:
            raise SourceError(
                f"{location.root} has no {FOLDER}/{SPLIT_NAMES[0]}, so nothing tells its splits: "
                "prepare it by `energon prepare`, or name its tar files"
            )
        super().__init__(replace(location, files=self._shards.paths))

    def kept(self, number: int, storage: Storage, index: ArchiveIndex) -> NDArray[np.bool_]:
        if storage.name not in {damage.name for damage in self.location.damages.found}:
            check_count(storage.name, self._shards.counts[number], len(index), FOLDER)
        excluded = self._shards.excluded[number]
        return np.array([key not in excluded for key in index.keys], np.bool_)

    def reader_calls(self) -> Sequence[ReaderCall]:
        arguments = {"paths": self._folder}
        return [
            replace(call, arguments={**call.arguments, **arguments}, index=None, is_own=True)
            for call in super().reader_calls()
        ]


class EnergonWriter(WebDatasetWriter):
    """Writes tar archives with their offsets, and the metadata when all of them are whole."""

    def finish(self) -> ShardInfo:
        ends = [*self.offsets, self.size]
        self.beside[OFFSETS] = [np.array(ends, "<u8").tobytes()]
        return super().finish()

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Write the metadata."""
        counts = {shard.files[0].name: shard.samples for shard in shards}
        splits = {"split_parts": {"train": [*counts], "val": [], "test": []}, "exclude": []}
        info = {"energon_version": "7.4.1", "shard_counts": counts}
        folder = root / FOLDER
        contents = {
            INFO_NAMES[0]: json.dumps(info, indent=2),
            SPLIT_NAMES[0]: json.dumps(splits, indent=2),  # JSON is YAML
            DATASET_NAME: _DATASET,
        }
        for name, content in contents.items():
            (folder / name).unlink(missing_ok=True)
            write_new(folder / name, content.encode(), root)
        return target


ROW = DatasetFormat(
    "energon",
    "WebDataset archives with Energon's metadata",
    EnergonSamples,
    EnergonWriter,
    companions=(OFFSETS,),
    endings=(".tar",),
)
