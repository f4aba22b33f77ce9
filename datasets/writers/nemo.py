"""Writes NeMo's data sets: a manifest, and audio in files or in tar archives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...engine.errors import ArgumentError
from ...readers.archives.tar_headers import CLOSING, header_of, padding
from ..manifest import ShardInfo
from ..sample import Encoded, Sample
from ..schema import ENCODED, FLOAT, TEXT, ComponentType, Schema
from ..stored.nemo import AUDIO, AUDIO_FOLDER, DURATION, MANIFEST, OFFSET, SHARD_FORM
from ..stored.nemo import TEXT as TEXT_NAME
from .base import Target, others
from .folder import LooseFileWriter, join_lines
from .hashed_file import HashedFile

_NAME = "NeMo"
_FIELDS = {TEXT_NAME: TEXT, DURATION: FLOAT, OFFSET: FLOAT}


class NemoWriter(LooseFileWriter):
    """Writes audio as files; the lines of a shard are joined when all shards are whole."""

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        """See `Writer.refusal`."""
        encoded = [name for name, each in schema.items() if each.type == ENCODED]
        if encoded != [AUDIO] or schema.get(TEXT_NAME, ComponentType("")).type != TEXT:
            return f"NeMo needs the encoded {AUDIO!r} and the text {TEXT_NAME!r}, and no other file"
        return others(schema, _FIELDS, _NAME)

    def write(self, sample: Sample) -> None:
        """See `Writer.write`."""
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

    def shard_fields(self) -> dict[str, Any]:
        """Return what the lines of a shard have in common."""
        return {}

    def finish(self) -> ShardInfo:
        """See `Writer.finish`."""
        return self.with_lines(super().finish(), ".jsonl")

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Join the manifests of the shards."""
        join_lines(root, shards, MANIFEST)
        return target


class NemoTarWriter(NemoWriter):
    """Writes audio as members of tar archives."""

    def start(self, path: Path) -> None:
        """See `Writer.start`."""
        super().start(path)
        self._number = int(path.name.rpartition("-")[2])
        self._archive = HashedFile(path.with_name(SHARD_FORM.format(self._number)))

    def write_audio(self, name: str, audio: Encoded) -> str:
        """See `NemoWriter.write_audio`."""
        header = header_of(name.encode(), len(audio.data))
        self._archive.write([header, audio.data, padding(len(audio.data))])
        return name

    def shard_fields(self) -> dict[str, Any]:
        """See `NemoWriter.shard_fields`."""
        return {"shard_id": self._number}

    def finish(self) -> ShardInfo:
        """See `Writer.finish`."""
        self._archive.write([CLOSING])
        archive = ShardInfo((self._archive.finish(self.root),), self.samples)
        return self.with_lines(archive, ".jsonl")

    def abandon(self) -> None:
        """See `Writer.abandon`."""
        self._archive.close()
