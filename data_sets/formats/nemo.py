"""NeMo: utterances in a manifest of JSON lines, with audio in files or in tar archives.

The components are "audio", "text", "duration" (seconds, if the line has it) and "offset" (seconds,
if it is not 0). A line that names a window of a file has the whole file as its audio.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, DecodeError, SourceError
from ...readers.archives.tar_headers import CLOSING, header_of, padding
from ...readers.listing.folder import folder_names
from ...readers.listing.folder_rule import is_hidden
from ...readers.nemo.audio import AudioBytes, AudioFiles, AudioMembers
from ...readers.nemo.entries import read_manifests
from ...readers.nemo.source import NemoSource
from ...readers.storage.storage import Storage
from ...readers.storage.urls import place_of, text_of
from ..manifest import ShardInfo
from ..sample import Encoded, Sample, Value
from ..schema import ENCODED, FLOAT, TEXT, ComponentType, Schema
from .base import Location, ReaderCall, SourceSamples
from .dataset_format import DatasetFormat
from .hashed_file import HashedFile
from .loose_files import LooseFileWriter, join_lines
from .writer import Target, others

MANIFEST, AUDIO_FOLDER, SHARD_FORM = "manifest.json", "audio", "audio_{}.tar"
AUDIO, TEXT_NAME, DURATION, OFFSET = "audio", "text", "duration", "offset"
_ROUNDING = 0.1
"""Seconds that a line may have more than its audio: lines round, and count an encoder's delay."""


class NemoSamples(SourceSamples[NemoSource]):
    """The entries of manifests."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        archives = [path for path in location.files if path.endswith(".tar")]
        manifests = [path for path in location.files if path.endswith((".json", ".jsonl"))]
        if location.manifest is not None:
            manifests = [text_of(location.root / MANIFEST)]
        elif not archives:
            archives = _archives_beside(location)
        if not manifests:
            raise SourceError(f"{location.root} holds no manifest: a .json or .jsonl file")
        self._paths = [*manifests, *archives]
        self._entries = read_manifests(manifests, location.options)
        is_tarred = bool(archives) and bool((self._entries.column("shard") >= 0).any())
        self._audio: AudioBytes = (
            AudioMembers(self._entries, archives, location.options, location.damages)
            if is_tarred
            else AudioFiles(self._entries, location.options)
        )
        self._source = NemoSource(self._entries, self._audio)
        self._segments = self._audio.is_segment()
        self._duration = self._entries.column("duration")
        self._offset = self._entries.column("offset")
        self._prefix = "" if location.manifest is None or is_tarred else f"{AUDIO_FOLDER}/"
        self.learn(location.manifest)

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
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
        components[TEXT_NAME] = self._entries.text(index).decode()
        if not np.isnan(self._duration[index]):
            components[DURATION] = float(self._duration[index])
        if self._offset[index]:
            components[OFFSET] = float(self._offset[index])
        return Sample(key, components)

    def check_decoded(self, sample: Sample) -> None:
        """See `StoredSamples.check_decoded`: the audio reaches the end of the line's window."""
        from ...decoders.audio.table import open_audio  # reading needs no decoders

        audio, start = sample.components[AUDIO], sample.components.get(OFFSET, 0.0)
        length = sample.components.get(DURATION, 0.0)
        assert isinstance(audio, Encoded)
        assert isinstance(start, float)
        assert isinstance(length, float)
        with open_audio(np.frombuffer(audio.data, np.uint8)) as stream:
            seconds = stream.header.frames / stream.header.rate
        if start >= seconds or start + length > seconds + _ROUNDING:
            raise DecodeError(
                f"the line has {length:g} s from {start:g} s on, but the audio ends at "
                f"{seconds:.3f} s: it is cut off or another file, or the line is wrong"
            )

    def files(self) -> list[str]:
        return self._paths

    def loose_files(self, indices: NDArray[np.int64]) -> Iterable[str]:
        return self._audio.paths(indices) if isinstance(self._audio, AudioFiles) else ()

    def reader_calls(self) -> Sequence[ReaderCall]:
        archives = [path for path in self._paths if path.endswith(".tar")]
        arguments = {
            "manifest_filepaths": [path for path in self._paths if path not in archives],
            "read_sample_rate": False,
            "read_text": False,
        }
        arguments |= {"tarred_audio_filepaths": archives} if archives else {}
        shown = {"read_text": True}
        is_own = bool(archives)
        return [ReaderCall("nemo_asr", arguments, is_own=is_own, decodes=True, shown=shown)]


def _archives_beside(location: Location) -> list[str]:
    """Return the archives in the folder of the first manifest."""
    folder = place_of(location.files[0]).parent
    names, _ = folder_names(folder, location.options)
    tars = [name for name in names if name.endswith(".tar") and not is_hidden(name)]
    return [text_of(folder / name) for name in tars]


_NAME = "NeMo"
_FIELDS = {TEXT_NAME: TEXT, DURATION: FLOAT, OFFSET: FLOAT}


class NemoWriter(LooseFileWriter):
    """Writes audio as files; the lines of a shard are joined when all shards are whole."""

    lines_suffix = ".jsonl"

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        encoded = [name for name, component in schema.items() if component.type == ENCODED]
        if encoded != [AUDIO] or schema.get(TEXT_NAME, ComponentType("")).type != TEXT:
            return f"NeMo needs the encoded {AUDIO!r} and the text {TEXT_NAME!r}, and no other file"
        return others(schema, _FIELDS, _NAME)

    def write(self, sample: Sample) -> None:
        audio = sample.components.get(AUDIO)
        if not isinstance(audio, Encoded) or TEXT_NAME not in sample.components:
            raise ArgumentError("NeMo needs audio and a text in each sample")
        name = f"{sample.key}.{audio.extension}"
        fields: dict[str, Any] = {"audio_filepath": self.write_audio(name, audio)}
        fields |= {name: sample.components[name] for name in _FIELDS if name in sample.components}
        self.lines.append(json.dumps(fields | self.shard_fields()).encode() + b"\n")
        self.samples += 1

    def write_audio(self, name: str, audio: Encoded) -> str:
        """Write the audio of a sample; return its path for the manifest."""
        path = f"{AUDIO_FOLDER}/{name}"
        self.write_file(path, audio.data)
        return path

    def shard_fields(self) -> dict[str, object]:
        """Return what the lines of a shard have in common."""
        return {}

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Join the manifests of the shards."""
        join_lines(root, shards, MANIFEST)
        return target


class NemoTarWriter(NemoWriter):
    """Writes audio as members of tar archives."""

    def start(self, path: Path) -> None:
        super().start(path)
        self._number = int(path.name.rpartition("-")[2])
        self._archive = HashedFile(path.with_name(SHARD_FORM.format(self._number)))

    def write_audio(self, name: str, audio: Encoded) -> str:
        header = header_of(name.encode(), len(audio.data))
        self._archive.write([header, audio.data, padding(len(audio.data))])
        return name

    def shard_fields(self) -> dict[str, object]:
        return {"shard_id": self._number}

    def finish(self) -> ShardInfo:
        self._archive.write([CLOSING])
        return self.with_lines(self._archive.finish(self.root))

    def abandon(self) -> None:
        self._archive.close()


def _is_nemo(head: bytes, _: Storage) -> bool:
    try:
        return "audio_filepath" in json.loads(head.split(b"\n", 1)[0])
    except (ValueError, RecursionError, TypeError):
        return False


ROWS = (
    DatasetFormat(
        "nemo",
        "a manifest of NeMo with audio files",
        NemoSamples,
        NemoWriter,
        recognize=_is_nemo,
        companions=(".jsonl",),
    ),
    DatasetFormat("nemo-tar", "a manifest of NeMo with tar archives", NemoSamples, NemoTarWriter),
)
