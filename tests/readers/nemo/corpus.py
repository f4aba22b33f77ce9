"""A small data set of NeMo: files and manifests, also in archives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ...sounds import encoded, speech_like
from ..tars import archive

FILES = {
    name: encoded(speech_like(seconds, rate, seed), rate, form)
    for seed, (name, seconds, rate, form) in enumerate(
        [
            ("a.wav", 1.0, 16000, "WAV"),
            ("b.flac", 0.5, 8000, "FLAC"),
            ("deep/c.ogg", 0.25, 16000, "OGG"),
            ("d.mp3", 0.75, 16000, "MP3"),
        ]
    )
}
ENTRIES: list[dict[str, Any]] = [
    {"audio_filepath": "a.wav", "duration": 0.25, "text": "one"},
    {"audio_filepath": "a.wav", "offset": 0.25, "duration": 0.5, "text": "two"},
    {"audio_filepath": "b.flac", "duration": 0.5, "text": "three"},
    {"audio_filepath": "deep/c.ogg", "duration": 0.25, "text": ""},
    {"audio_filepath": "d.mp3", "offset": 0.5, "duration": 0.3, "text": "fünf"},
    {"audio_filepath": "a.wav", "offset": 0.9, "duration": 0.1, "text": "six"},
]
SAMPLES = (4000, 8000, 4000, 4000, 4000, 1600)


def write_manifest(path: Path, entries: list[dict[str, Any]]) -> str:
    """Write the entries as JSON lines; return the path."""
    path.write_text("".join(json.dumps(one) + "\n" for one in entries), encoding="utf-8")
    return str(path)


def write_corpus(folder: Path) -> str:
    """Write the files and their manifest; return its path."""
    (folder / "deep").mkdir(parents=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return write_manifest(folder / "manifest.json", ENTRIES)


def write_tarred(folder: Path) -> tuple[str, str]:
    """Write two archives and their manifest; return its path and the archives' pattern."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {"a.wav": 0, "b.flac": 1, "deep/c.ogg": 1, "d.mp3": 0}
    for number in range(2):
        members = {name: FILES[name] for name, shard in names.items() if shard == number}
        (folder / f"audio_{number}.tar").write_bytes(archive(members))
    entries = [{**one, "shard_id": names[one["audio_filepath"]]} for one in ENTRIES]
    entries[1]["audio_filepath"] = "a-sub1.wav"
    entries[5]["audio_filepath"] = "a-sub2.wav"
    path = write_manifest(folder / "tarred_audio_manifest.json", entries)
    return path, str(folder / "audio__OP_0..1_CL_.tar")


def bytes_of(text: str | bytes) -> Any:
    """Return a text in UTF-8, uint8 (size,)."""
    return np.frombuffer(text.encode() if isinstance(text, str) else text, np.uint8)
