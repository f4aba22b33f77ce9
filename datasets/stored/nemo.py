"""NeMo: utterances in a manifest of JSON lines, with audio in files or in tar archives.

The components are "audio", "text", "duration" (seconds, if the line has it) and "offset" (seconds,
if it is not 0). A line that names a window of a file has the whole file as its audio.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SourceError
from ...readers.nemo.audio import AudioBytes, AudioFiles, AudioMembers
from ...readers.nemo.entries import read_manifests
from ...readers.nemo.source import NemoSource
from ...readers.storage.urls import Url, is_url, place_of, text_of
from ..sample import Encoded, Sample, Value
from .base import Location, StoredSamples

MANIFEST, AUDIO_FOLDER, SHARD_FORM = "manifest.json", "audio", "audio_{}.tar"
AUDIO, TEXT, DURATION, OFFSET = "audio", "text", "duration", "offset"


class NemoSamples(StoredSamples):
    """The entries of manifests."""

    def __init__(self, location: Location) -> None:
        self._location = location
        archives = [path for path in location.files if path.endswith(".tar")]
        manifests = [path for path in location.files if path.endswith((".json", ".jsonl"))]
        if location.manifest is not None:
            manifests = [text_of(location.root / MANIFEST)]
        elif not archives:
            archives = _archives_beside(location)
        self._paths = [*manifests, *archives]
        self._entries = read_manifests(manifests, location.options)
        is_tarred = bool(archives) and bool((self._entries.column("shard") >= 0).any())
        self._audio: AudioBytes = (
            AudioMembers(self._entries, archives, location.options)
            if is_tarred
            else AudioFiles(self._entries, location.options)
        )
        self._source = NemoSource(self._entries, self._audio)
        self._segments = self._audio.is_segment()
        self._duration = self._entries.column("duration")
        self._offset = self._entries.column("offset")
        self._prefix = "" if location.manifest is None or is_tarred else f"{AUDIO_FOLDER}/"
        self.learn(location.manifest)

    def __len__(self) -> int:
        return len(self._entries)

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        """See `StoredSamples.read`."""
        contents = self._audio.read(indices, np.empty)
        return [
            self._sample(index, content)
            for index, content in zip(indices.tolist(), contents, strict=True)
        ]

    def _sample(self, index: int, content: NDArray[np.uint8]) -> Sample:
        if len(self._entries.files(index)) > 1 or self._entries.channels(index):
            raise SourceError(
                f"{self.where(index)}: entries that select channels or name several files are read "
                "by fn.readers.nemo_asr alone"
            )
        key, extension = os.path.splitext(self._entries.path(index))
        key = key.removeprefix(self._prefix).lstrip("/")
        if self._segments[index]:  # the content is the path of a file that several entries share
            content = np.fromfile(os.fsdecode(content.tobytes()), np.uint8)
            key = f"{key}-{index:08d}"
        components: dict[str, Value] = {AUDIO: Encoded(content.data, extension[1:])}
        components[TEXT] = self._entries.text(index).decode()
        if not np.isnan(self._duration[index]):
            components[DURATION] = float(self._duration[index])
        if self._offset[index]:
            components[OFFSET] = float(self._offset[index])
        return Sample(key, components)

    def where(self, index: int) -> str:
        """Return audio file, manifest and line."""
        return self._source.where(index)

    def files(self) -> list[str]:
        """See `StoredSamples.files`."""
        return self._paths

    def folders(self) -> set[str]:
        """See `StoredSamples.folders`."""
        if not isinstance(self._audio, AudioFiles):
            return set()
        paths = self._audio.paths(np.arange(len(self)))
        return set(map(os.path.dirname, paths))

    def check_age(self, indices: NDArray[np.int64], changed_before: int) -> None:
        """See `StoredSamples.check_age`."""
        if not isinstance(self._audio, AudioFiles):
            return
        for path in self._audio.paths(indices):
            if not is_url(path) and os.stat(path).st_mtime_ns > changed_before:
                raise SourceError(f"{path} was changed while the data set was read")

    def close(self) -> None:
        """See `StoredSamples.close`."""
        self._source.close()


def _archives_beside(location: Location) -> list[str]:
    """Return the archives in the folder of the first manifest."""
    folder = place_of(location.files[0]).parent
    if isinstance(folder, Url):
        from ...readers.remote.folders import folder_entries  # needs optional libraries

        names, _ = folder_entries(folder, location.options)
        return [text_of(folder / name) for name in names if name.endswith(".tar")]
    return sorted(map(str, folder.glob("*.tar")))
