"""Shar: cuts of lhotse with their recordings and further fields, in shards.

The components are "audio" and "text", "duration" (seconds), "offset" (where the cut begins in its
audio, if that is not 0), "speaker", "language", the values of `custom`, and the data of further
fields, by their names.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Int64s
from ...engine.errors import SourceError
from ...formats.npy import array_of_npy
from ...formats.shar import Cut, parse_cut
from ...readers.shar.fields import FieldData
from ...readers.shar.folder import RECORDING, SharShard, check_pairs, cuts_of, lines_of, shar_shards
from ...readers.storage.strings import StringTable
from ...readers.storage.urls import shown, text_of
from ..sample import Encoded, Sample, Value
from .base import Location, ReaderCall, StoredSamples
from .dataset_format import DatasetFormat

AUDIO, OFFSET = "audio", "offset"
_NPY = "npy"


class SharSamples(StoredSamples):
    """The cuts of a folder."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self._shards = shar_shards(location.root, location.options)
        lines: list[bytes] = []
        ids: list[list[str]] = []
        self._kinds: dict[str, type] = {}  # of custom values: numbers, texts or JSON
        for shard in self._shards:
            own = []
            for line, cut in cuts_of(shard.cuts, location.options):
                lines.append(line)
                own.append(cut.id)
                self._learn(shard, cut)
            ids.append(own)
        self._lines = StringTable.of(lines)
        self._firsts: Int64s = np.cumsum([0, *map(len, ids)], dtype=np.int64)
        archives = {name: path for shard in self._shards for name, path in shard.fields.items()}
        self._fields = {
            AUDIO if name == RECORDING else name: FieldData(
                name, self._shards, ids, location.options, location.damages
            )
            for name, path in archives.items()
            if path.endswith(".tar")
        }
        self._values = {
            name: self._listed(name, ids)
            for name, path in archives.items()
            if not path.endswith(".tar")
        }
        if clash := self._fields.keys() & self._kinds.keys():
            raise SourceError(f"{location.root}: the field {min(clash)!r} is a custom value, too")
        lost = [field.is_lost(row) for field in self._fields.values() for row in range(len(lines))]
        whole = ~np.array(lost, np.bool_).reshape(-1, len(lines)).any(axis=0)
        self._kept: Int64s = np.flatnonzero(whole)
        self.learn(location.manifest)

    def _learn(self, shard: SharShard, cut: Cut) -> None:
        for name, value in cut.custom.items():
            kind = self._kinds.setdefault(name, type(value))
            if kind is not type(value):
                raise SourceError(
                    f"{shown(shard.cuts)}, cut {cut.id!r:.100}: the custom value {name!r} is a "
                    f"{type(value).__name__}, but a {kind.__name__} in other cuts"
                )

    def _listed(self, name: str, ids: Sequence[Sequence[str]]) -> list[Any]:
        """Return the values of a field of JSON lines, cut by cut; None for none."""
        values: list[Any] = []
        for shard, own in zip(self._shards, ids, strict=True):
            path = shard.fields[name]
            try:
                entries = [json.loads(line) for _, line in lines_of(path, self.location.options)]
                found = [entry["cut_id"] for entry in entries]
            except (ValueError, TypeError, KeyError, RecursionError):
                raise SourceError(f"{shown(path)}: a line is no object with a 'cut_id'") from None
            check_pairs(path, found, shard.cuts, own)
            values += [entry.get(name) for entry in entries]
        return values

    def __len__(self) -> int:
        return len(self._kept)

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        rows = self._kept[indices]
        data: dict[str, dict[int, Array]] = {}
        for name, field in self._fields.items():
            there = np.array([row for row in rows.tolist() if field.has(row)], np.int64)
            contents = field.read(there, np.empty) if len(there) else []
            data[name] = dict(zip(there.tolist(), contents, strict=True))
        return [self._sample(row, data) for row in rows.tolist()]

    def _sample(self, row: int, data: dict[str, dict[int, Array]]) -> Sample:
        cut = parse_cut(self._lines[row], self._place(row))
        components: dict[str, Value] = {}
        for name, contents in data.items():
            if row in contents:
                content, extension = contents[row], self._fields[name].extensions[row]
                is_array = extension == _NPY
                components[name] = (
                    array_of_npy(content) if is_array else Encoded(content.data, extension)
                )
        components |= {"text": cut.text, "duration": cut.duration}
        if cut.start:
            components[OFFSET] = cut.start
        told = {"speaker": cut.speaker, "language": cut.language}
        components |= {name: text for name, text in told.items() if text}
        for name, value in cut.custom.items():
            components[name] = Encoded(value, "json") if isinstance(value, bytes) else value
        for name, values in self._values.items():
            if isinstance(values[row], int | float | str):
                components[name] = values[row]
        return Sample(cut.id, components)

    def where(self, index: int) -> str:
        """Return the file of cuts, and the number of the cut in it."""
        return self._place(int(self._kept[index]))

    def _place(self, row: int) -> str:
        number = int(np.searchsorted(self._firsts, row, "right")) - 1
        inside = row - int(self._firsts[number])
        return f"{shown(self._shards[number].cuts)}, cut {inside}"

    def files(self) -> list[str]:
        return [path for shard in self._shards for path in (shard.cuts, *shard.fields.values())]

    def reader_calls(self) -> Sequence[ReaderCall]:
        if AUDIO not in self._fields:
            return ()
        arguments = {
            "manifest_filepaths": f"{text_of(self.location.root).rstrip('/')}/",
            "read_sample_rate": False,
            "read_text": False,
        }
        shown = {"read_text": True}
        return [ReaderCall("nemo_asr", arguments, is_own=True, decodes=True, shown=shown)]

    def close(self) -> None:
        for field in self._fields.values():
            field.close()


ROW = DatasetFormat("shar", "Shar data sets of lhotse", SharSamples)
