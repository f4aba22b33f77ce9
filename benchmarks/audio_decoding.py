"""`fn.decoders.audio` and `fn.readers.nemo_asr` beside DALI's, on the same files, with two threads.

Both libraries take turns in one process. The files are 12 s of sound that resembles speech, from
`fixtures/speech.py`. "windows" reads 10 s of recordings of 10 minutes, as many as these have.

    python benchmarks/audio_decoding.py [--json FILE] [--only NAME ...] [--rounds 5]
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import warnings
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched

COUNT, SECONDS = 24, 12.0
LONG_COUNT, LONG_SECONDS, WINDOW = 2, 600.0, 10.0
BATCH = 16
CORPORA = ((16000, "FLAC"), (44100, "FLAC"), (48000, "FLAC"), (16000, "WAV"), (16000, "OGG"))


@cache
def speech() -> ModuleType:
    """Import `fixtures/speech.py`, which is no part of the package."""
    path = common.ROOT / "fixtures" / "speech.py"
    spec = importlib.util.spec_from_file_location("speech", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def corpus(folder: Path, rate: int, form: str) -> Path:
    """Return the manifest of files of one rate and format."""
    manifest: Path = speech().speech_corpus(
        folder / f"{rate}_{form}", COUNT, SECONDS, rate=rate, form=form
    )
    return manifest


def long_corpus(folder: Path) -> Path:
    """Return a manifest of windows of long recordings, with absolute paths, which DALI needs."""
    whole = speech().speech_corpus(folder / "long", LONG_COUNT, LONG_SECONDS)
    manifest = folder / "long" / "windows.json"
    windows = [
        {"audio_filepath": str(whole.parent / f"{i:05}.flac"), "offset": start, "duration": WINDOW}
        for start in range(0, int(0.75 * LONG_SECONDS - WINDOW), int(WINDOW))
        for i in range(LONG_COUNT)
    ]
    manifest.write_text("".join(json.dumps(window) + "\n" for window in windows))
    return manifest


def decoder_rate(package: str, manifest: Path, **options: Any) -> Looked:
    """Return files a second through `readers.file` and `decoders.audio`."""
    fn = importlib.import_module(f"{package}.fn")
    form = manifest.parent.name.rpartition("_")[2].lower()
    files = sorted(map(str, manifest.parent.glob(f"*.{form}")))

    def define() -> Any:
        encoded, _ = fn.readers.file(files=files)
        return tuple(fn.decoders.audio(encoded, downmix=True, **options))

    return _rate(package, define, manifest, **options)


def reader_rate(package: str, manifest: Path, **options: Any) -> Looked:
    """Return utterances a second through `readers.nemo_asr`."""
    fn = importlib.import_module(f"{package}.fn")

    def define() -> Any:
        return tuple(fn.readers.nemo_asr(manifest_filepaths=str(manifest), **options))

    return _rate(package, define, manifest, **options)


def _rate(package: str, define: Any, *setting: Any, **options: Any) -> Looked:
    pipeline_def = importlib.import_module(package).pipeline_def
    make = pipeline_def(batch_size=BATCH, num_threads=2, device_id=None)(define)
    watched = Watched((package, *setting, *sorted(options.items())), make)
    return watched.looked(BATCH * common.batches_a_second(watched.run))


def measurements(folder: Path) -> dict[str, tuple[str, Any, Any]]:
    """Return unit, Penstock's turn and DALI's turn by name."""
    there = importlib.util.find_spec("nvidia") is not None
    todo: dict[str, tuple[str, Any, Any]] = {}

    def add(name: str, turn: Any, manifest: Path, **options: Any) -> None:
        ours, theirs = (
            partial(turn, package, manifest, **options) for package in ("penstock", "nvidia.dali")
        )
        todo[name] = "files/s", ours, theirs if there else None

    for rate, form in CORPORA:
        manifest = corpus(folder, rate, form)
        add(f"{form}, {rate} Hz", decoder_rate, manifest)
        if rate != 16000:
            add(f"{form}, {rate} to 16000 Hz", decoder_rate, manifest, sample_rate=16000.0)
    manifest = corpus(folder, 48000, "FLAC")
    add("48000 Hz, antialias", decoder_rate, manifest, sample_rate=16000.0, antialias=True)
    todo["48000 Hz, antialias"] = *todo["48000 Hz, antialias"][:2], None
    add("windows of recordings", reader_rate, long_corpus(folder))
    return todo


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    warnings.simplefilter("ignore")
    folder = common.PHOTOS.parent / "speech"
    return common.main(parser, lambda _: measurements(folder), threads=2, batch=BATCH)


if __name__ == "__main__":
    sys.exit(main())
