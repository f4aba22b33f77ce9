"""The input pipeline of speech recognition on the CPU, beside NVIDIA DALI's.

Both libraries read the same utterances with the same pipelines: FLAC files of 12 s at 16 kHz, mono,
and the same signals as `.npy` files, which need no decoding. The libraries take turns in one
process. Without DALI, the program prints the figures of Penstock alone.

    python benchmarks/audio.py [--json FILE] [--only NAME ...] [--rounds 5] [--threads 2]
        [--batch 32] [--batches 12]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.training_cpu import Library, by_turns, speed

RATE, SECONDS, UTTERANCES = 16_000, 12, 64
FOLDER = common.ROOT / "fixtures" / "data" / "benchmark" / "utterances"
_HARMONICS = 30


def utterances() -> Path:
    """Return a folder with the utterances, as `.flac` and as `.npy` files of float32."""
    import soundfile

    def make(number: int) -> None:
        path = FOLDER / f"{number:03}.flac"
        if not path.exists():
            signal = utterance(number)
            np.save(path.with_suffix(".npy"), signal)
            soundfile.write(path, signal, RATE, "PCM_16")

    FOLDER.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=8) as threads:
        list(threads.map(make, range(UTTERANCES)))
    return FOLDER


def utterance(number: int) -> Any:
    """Return a signal like speech: voiced syllables of changing pitch, and noise: float32."""
    random = np.random.default_rng(number)
    time = np.arange(RATE * SECONDS) / RATE
    pitch = 120 + 40 * np.sin(2 * np.pi * 0.4 * time + number)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    syllables = np.clip(np.sin(2 * np.pi * 2.5 * time + random.uniform(0, 6)), 0, 1)
    voice = sum(np.sin(k * phase) / k for k in range(1, _HARMONICS))
    signal = 0.1 * syllables * voice + 0.002 * random.standard_normal(len(time))
    result: Any = signal.astype(np.float32)
    return result


def decoded(library: Library, folder: str) -> Any:
    """Return the signals of the FLAC files."""
    encoded, _ = library.fn.readers.file(files=files(folder, "flac"))
    audio, _ = library.fn.decoders.audio(encoded, downmix=True, dtype=library.types.FLOAT)
    return audio


def stored(library: Library, folder: str) -> Any:
    """Return the signals of the `.npy` files."""
    return library.fn.readers.numpy(files=files(folder, "npy"))


def log_mels(library: Library, audio: Any) -> Any:
    """Return 80 mel bands in decibels, a window of 25 ms every 10 ms."""
    fn = library.fn
    spectrogram = fn.spectrogram(audio, nfft=512, window_length=400, window_step=160)
    mels = fn.mel_filter_bank(spectrogram, sample_rate=float(RATE), nfilter=80)
    return fn.to_decibels(mels, cutoff_db=-80.0)


def training(library: Library, audio: Any) -> Any:
    """Return the input of a training step: silence cut off, normalized bands, padded."""
    fn = library.fn
    start, length = fn.nonsilent_region(audio)
    audio = fn.preemphasis_filter(fn.slice(audio, start, length, axes=[0]))
    bands = fn.normalize(log_mels(library, audio), axes=[1])
    return fn.pad(bands, axes=[1], align=[16])


def cepstra(library: Library, audio: Any) -> Any:
    """Return 20 cepstral coefficients."""
    return library.fn.mfcc(log_mels(library, audio), n_mfcc=20, normalize=True, lifter=22.0)


def as_it_is(library: Library, audio: Any) -> Any:
    """Return the signals."""
    return audio


def measurements(options: argparse.Namespace) -> dict[str, tuple[str, Any, Any]]:
    """Return unit, Penstock's turn and DALI's turn by name; both take the library."""
    folder = str(utterances())

    def turns(source: Callable[..., Any], features: Callable[..., Any]) -> tuple[str, Any, Any]:
        def graph(library: Library, folder: str) -> Any:
            return features(library, source(library, folder))

        turn = partial(
            speed,
            graph=graph,
            folder=folder,
            batches=options.batches,
            batch_size=options.batch,
            num_threads=options.threads,
        )
        return "samples/s", turn, turn

    return {
        "FLAC to log-mels": turns(decoded, log_mels),
        "FLAC to signals": turns(decoded, as_it_is),
        "signals to log-mels": turns(stored, log_mels),
        "signals to cepstra": turns(stored, cepstra),
        "signals to training input": turns(stored, training),
        "signals": turns(stored, as_it_is),
    }


def files(folder: str, suffix: str) -> list[str]:
    """Return the paths of the utterances of one format."""
    return sorted(map(str, Path(folder).glob(f"*.{suffix}")))


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    parser.add_argument("--batch", type=int, default=32, help="utterances of a batch")
    parser.add_argument("--threads", type=int, default=2, help="workers")
    parser.add_argument("--batches", type=int, default=12, help="batches in a turn")
    return common.main(parser, lambda options: by_turns(measurements(options)))


if __name__ == "__main__":
    sys.exit(main())
