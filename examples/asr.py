"""Speech recognition: from FLAC files and a manifest to a model that learns to spell.

Makes utterances that resemble speech, one sound a letter, as FLAC files with a manifest of NVIDIA
NeMo. A pipeline reads them, changes their speed and adds noise at random, and computes log-mel
features, normalized for each utterance and padded to the longest one. A small convolutional model
learns the letters with the CTC loss in PyTorch. The features of one utterance are drawn beside
librosa's, if librosa is installed.

    python examples/asr.py [--steps 120] [--utterances 256] [--picture asr.png]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from penstock import fn, pipeline_def

ROOT = Path(__file__).resolve().parent.parent
RATE = 16_000
BANDS, NFFT, WINDOW, STEP = 64, 512, 400, 160
BATCH = 16
FORMANTS = {"a": (730, 1090), "e": (530, 1840), "i": (270, 2290), "o": (570, 840), "u": (300, 870)}
HISS = {"s": (4500, 7500), "f": (1500, 4000)}
LETTERS = "".join([*FORMANTS, *HISS])
SECONDS_OF_LETTER = (0.10, 0.18)

Array = np.ndarray[Any, Any]


def log_mels(audio: Any) -> Any:
    """Return the decibels of mel bands: float32, (bands, windows)."""
    spectrogram = fn.spectrogram(audio, nfft=NFFT, window_length=WINDOW, window_step=STEP)
    bands = fn.mel_filter_bank(spectrogram, nfilter=BANDS, sample_rate=float(RATE))
    return fn.to_decibels(bands, cutoff_db=-60.0)


@pipeline_def(batch_size=BATCH, num_threads=2, seed=7)
def training_pipeline(manifest: str) -> Any:
    """Return features and letters, padded to the longest of the batch, and their lengths."""
    audio, text = fn.readers.nemo_asr(
        manifest_filepaths=manifest,
        read_sample_rate=False,
        random_shuffle=True,
        pad_last_batch=True,
        name="speech",
    )
    speed = fn.random.uniform(values=[0.9, 1.0, 1.1])
    audio = fn.audio_resample(audio, scale=1.0 / speed)
    audio = audio + fn.random.normal(audio, stddev=fn.random.uniform(range=[0.0, 0.01]))
    features = log_mels(fn.preemphasis_filter(audio))
    features = fn.normalize(features, axes=[1], epsilon=1.0)
    windows, letters = fn.shapes(features), fn.shapes(text)
    return fn.pad(features, axes=[1], align=[8]), windows[1], fn.pad(text), letters[0]


@pipeline_def(batch_size=1, num_threads=1)
def features_pipeline(path: str) -> Any:
    """Return the features and the signal of one file."""
    encoded, _ = fn.readers.file(files=[path])
    audio, _ = fn.decoders.audio(encoded, downmix=True)
    return log_mels(audio), audio


def spoken(text: str, random: np.random.Generator) -> Array:
    """Return the sounds of letters, one after the other: (samples,) float32."""
    pitch = random.uniform(90, 220)
    sounds = []
    for letter in text:
        time = np.arange(0, random.uniform(*SECONDS_OF_LETTER), 1 / RATE)
        envelope = np.sin(np.pi * np.arange(len(time)) / len(time)) ** 0.5
        sounds.append(0.2 * envelope * sound_of(letter, time, pitch, random))
    return np.concatenate(sounds).astype(np.float32)


def sound_of(letter: str, time: Array, pitch: float, random: np.random.Generator) -> Array:
    """Return one sound: harmonics of the pitch near the vowel's formants, or hissing noise."""
    if letter in HISS:
        noise = random.uniform(*HISS[letter], size=(40, 1))
        return np.asarray(np.sin(2 * np.pi * (noise * time + random.random((40, 1)))).mean(axis=0))
    hz = pitch * np.arange(1, 30)[:, np.newaxis]
    weights = np.exp(-(((hz - FORMANTS[letter]) / 150) ** 2)).sum(axis=1, keepdims=True)
    return np.asarray((weights * np.sin(2 * np.pi * hz * time)).sum(axis=0))


def make_utterances(folder: Path, count: int) -> Path:
    """Write FLAC files and their manifest, unless they exist; return the manifest."""
    import soundfile

    manifest = folder / "manifest.json"
    if manifest.exists():
        return manifest
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    lines = []
    for number in range(count):
        text = "".join(random.choice(list(LETTERS), random.integers(4, 10)))
        signal = spoken(text, random)
        soundfile.write(folder / f"{number}.flac", signal, RATE)
        entry = {"audio_filepath": f"{number}.flac", "duration": len(signal) / RATE, "text": text}
        lines.append(json.dumps(entry) + "\n")
    manifest.write_text("".join(lines))
    return manifest


def make_model() -> Any:
    """Return a model: (batch, bands, windows) to logarithms of probabilities, 2 windows a step."""
    from torch import nn

    return nn.Sequential(
        nn.Conv1d(BANDS, 96, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Conv1d(96, 96, 7, padding=3),
        nn.ReLU(),
        nn.Conv1d(96, 1 + len(LETTERS), 1),  # class 0 is CTC's blank
        nn.LogSoftmax(dim=1),
    )


def train(manifest: Path, steps: int) -> tuple[list[float], str, str]:
    """Train a model; return the losses, and the letters of an utterance, read and recognized."""
    import torch

    from penstock.plugin.pytorch import GenericIterator

    torch.manual_seed(0)
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loss_of = torch.nn.CTCLoss(zero_infinity=True)
    class_of = torch.zeros(256, dtype=torch.long)  # by a letter's code
    class_of[list(LETTERS.encode())] = torch.arange(1, len(LETTERS) + 1)
    losses: list[float] = []
    with training_pipeline(str(manifest)) as pipeline:
        names = ["features", "windows", "text", "letters"]
        batches = GenericIterator(pipeline, names, reader_name="speech", auto_reset=True)
        while len(losses) < steps:
            for (batch,) in batches:
                scores = model(batch["features"])
                targets = class_of[batch["text"].long()]
                lengths = (batch["windows"].long() + 1) // 2
                loss = loss_of(scores.permute(2, 0, 1), targets, lengths, batch["letters"].long())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                if len(losses) >= steps:
                    break
        text = bytes(batch["text"][0, : int(batch["letters"][0])].tolist()).decode()
        best = scores[0, :, : int(lengths[0])].argmax(dim=0).tolist()
    return losses, text, collapsed(best)


def collapsed(classes: list[int]) -> str:
    """Return the letters of a path of CTC: without repetitions and blanks."""
    kept = [c for c, before in zip(classes, [0, *classes], strict=False) if c not in (0, before)]
    return "".join(LETTERS[c - 1] for c in kept)


def librosa_log_mels(audio: Array) -> Array:
    """Return the features of `log_mels`, computed by librosa."""
    import librosa

    power = librosa.feature.melspectrogram(
        y=audio,
        sr=RATE,
        n_fft=NFFT,
        hop_length=STEP,
        win_length=WINDOW,
        window=np.sin(np.pi * (np.arange(WINDOW) + 0.5) / WINDOW) ** 2,
        pad_mode="reflect",
        n_mels=BANDS,
    )
    decibels: Array = librosa.power_to_db(power, ref=power.max(), amin=1e-6 * power.max())
    return np.maximum(decibels, -60)


def draw(path: Path, panels: dict[str, Array]) -> None:
    """Draw features, low bands at the bottom, one panel below the other."""
    drawn = []
    for title, features in panels.items():
        gray = cv2.normalize(features[::-1], np.empty_like(features), 0, 255, cv2.NORM_MINMAX)
        gray = gray.astype(np.uint8)
        large = cv2.resize(gray, None, fx=6, fy=4, interpolation=cv2.INTER_NEAREST)
        panel = cv2.applyColorMap(large, cv2.COLORMAP_VIRIDIS)
        panel = cv2.copyMakeBorder(panel, 24, 4, 4, 4, cv2.BORDER_CONSTANT, value=(255,) * 3)
        drawn.append(cv2.putText(panel, title, (6, 17), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0,) * 3, 1))
    cv2.imwrite(str(path), np.vstack(drawn))


def compare_features(utterance: Path, picture: Path) -> None:
    """Draw the features of an utterance, beside librosa's if it is installed."""
    with features_pipeline(str(utterance)) as pipeline:
        features, audio = (np.array(output.at(0)) for output in pipeline.run())
    panels = {"Penstock": features}
    if importlib.util.find_spec("librosa") is not None:
        panels["librosa"] = librosa_log_mels(audio)
        difference = np.abs(features - panels["librosa"]).max()
        print(f"the features differ from librosa's by at most {difference:.4f} dB")
    draw(picture, panels)
    print(f"{picture} shows the features of {utterance.name}")


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--utterances", type=int, default=256, help="number of utterances")
    parser.add_argument("--steps", type=int, default=120, help="steps of the training")
    parser.add_argument("--picture", type=Path, default=Path("asr.png"))
    arguments = parser.parse_args()

    folder = ROOT / "fixtures" / "data" / f"utterances_{arguments.utterances}"
    manifest = make_utterances(folder, arguments.utterances)
    compare_features(folder / "0.flac", arguments.picture)
    if importlib.util.find_spec("torch") is None:
        print("the model needs PyTorch: pip install torch")
        return
    losses, text, recognized = train(manifest, arguments.steps)
    print(f"CTC loss: {losses[0]:.2f} at first, {losses[-1]:.2f} after {len(losses)} steps")
    print(f"an utterance of the last batch: {text!r}, recognized as {recognized!r}")


if __name__ == "__main__":
    main()
