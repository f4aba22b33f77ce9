"""Kaldi's data directories: text files that name recordings, utterances in them, and their words.

    wav.scp     RECORDING PATH                    commands ("... |") and archives (.ark) are refused
    segments    UTTERANCE RECORDING START END     seconds; else recordings are utterances
    text        UTTERANCE WORDS ...
    utt2spk     UTTERANCE SPEAKER
    utt2dur     UTTERANCE SECONDS

Format: Kaldi's documentation, "Data preparation". Components are those of `nemo`, and "speaker".
An utterance has the whole recording as its audio, with "offset" and "duration" as its window.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SourceError
from ...readers.storage.opening import exists, read_whole
from ...readers.storage.urls import Place, Url, is_local, is_url, place_of, text_of
from ..sample import Encoded, Sample, Value
from .base import Location, StoredSamples
from .dataset_format import DatasetFormat

MARKER = "wav.scp"


class _Utterance(NamedTuple):
    """An utterance: its name, recording, start and end; -1 for the end of the recording."""

    name: str
    recording: str
    start: float
    end: float


class KaldiSamples(StoredSamples):
    """The utterances of a directory."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self._paths = {
            fields[0]: self._audio_path(fields[1], where)
            for fields, where in self._table(MARKER, 2)
        }
        segments = [*self._table("segments", 4)]
        self._utterances = [self._segment(fields, where) for fields, where in segments] or [
            _Utterance(name, name, 0.0, -1.0) for name in self._paths
        ]
        if not self._utterances:
            raise SourceError(f"{location.root / MARKER} names no recording")
        self._texts = self._column("text")
        self._speakers = self._column("utt2spk")
        self._durations = {
            name: self._seconds(text, f"{location.root / 'utt2dur'}, {name!r:.100}")
            for name, text in self._column("utt2dur").items()
        }
        for name, told in (("text", self._texts), ("utt2spk", self._speakers)):
            lacking = [u.name for u in self._utterances if u.name not in told]
            if told and lacking:
                raise SourceError(
                    f"{location.root / name} has no line for {len(lacking)} of "
                    f"{len(self._utterances)} utterances, the first is {lacking[0]!r:.100}"
                )
        self.learn(None)

    def _table(self, name: str, fields: int) -> Iterator[tuple[list[str], str]]:
        """Yield the fields of each line, with file and number; nothing if there is no file."""
        place = self.location.root / name
        if name != MARKER and not exists(place, self.location.options):
            return
        content = read_whole(place, self.location.options).decode("utf-8", "surrogateescape")
        for number, line in enumerate(content.splitlines(), 1):
            parts = line.split(None, fields - 1)
            where = f"{place}, line {number}"
            if len(parts) != fields and not (name == "text" and len(parts) == 1):
                raise SourceError(f"{where}: {line!r:.100} has not {fields} fields")
            yield parts, where

    def _column(self, name: str) -> dict[str, str]:
        return {fields[0]: " ".join(fields[1:]).strip() for fields, _ in self._table(name, 2)}

    def _audio_path(self, path: str, where: str) -> Place:
        path = path.strip()
        if path.endswith("|"):
            raise SourceError(f"{where}: {path!r:.100} is a command, which is not run; write files")
        if ".ark" in path:
            raise SourceError(f"{where}: {path!r:.100} is an archive of Kaldi, which is not read")
        root = self.location.root
        if isinstance(root, Url):
            if is_local(os.fsencode(path)) or ".." in path.split("/"):
                raise SourceError(f"{where}: {path!r:.100} names a file of this machine")
            return place_of(path) if is_url(path) else root / path
        # Kaldi takes paths from the folder that its scripts run in.
        return place_of(path) if is_url(path) or os.path.exists(path) else root / path

    def _segment(self, fields: Sequence[str], where: str) -> _Utterance:
        name, recording, start, end = fields
        if recording not in self._paths:
            raise SourceError(f"{where}: {MARKER} has no recording {recording!r:.100}")
        first, last = self._seconds(start, where), self._seconds(end, where, lowest=-1.0)
        if 0 <= last <= first:
            raise SourceError(f"{where}: the segment ends at {last:g} s, before its start")
        return _Utterance(name, recording, first, last)

    @staticmethod
    def _seconds(text: str, where: str, lowest: float = 0.0) -> float:
        try:
            seconds = float(text)
        except ValueError:
            seconds = float("nan")
        if not lowest <= seconds < 1e9:
            raise SourceError(f"{where}: {text!r:.60} is no time in seconds")
        return seconds

    def __len__(self) -> int:
        return len(self._utterances)

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        return [self._sample(self._utterances[index]) for index in indices.tolist()]

    def _sample(self, utterance: _Utterance) -> Sample:
        place = self._paths[utterance.recording]
        content = read_whole(place, self.location.options)
        extension = os.path.splitext(place.name)[1][1:]
        components: dict[str, Value] = {"audio": Encoded(memoryview(content), extension)}
        if self._texts:
            components["text"] = self._texts[utterance.name]
        if utterance.end >= 0:
            components["duration"] = utterance.end - utterance.start
        elif utterance.name in self._durations:
            components["duration"] = self._durations[utterance.name]
        if utterance.start:
            components["offset"] = utterance.start
        if self._speakers:
            components["speaker"] = self._speakers[utterance.name]
        return Sample(utterance.name, components)

    def where(self, index: int) -> str:
        """Return utterance and recording."""
        utterance = self._utterances[index]
        return f"{self._paths[utterance.recording]}, utterance {utterance.name!r:.200}"

    def files(self) -> list[str]:
        return [text_of(self.location.root / MARKER)]

    def loose_files(self, indices: NDArray[np.int64]) -> Iterable[str]:
        return [text_of(self._paths[self._utterances[i].recording]) for i in indices.tolist()]

    def close(self) -> None:
        """See `StoredSamples.close`: nothing is open."""


ROW = DatasetFormat("kaldi", "data directories of Kaldi", KaldiSamples)
