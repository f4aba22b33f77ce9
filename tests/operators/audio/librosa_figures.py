"""Librosa's numbers, with which tests of audio features compare: `librosa.npz` beside this file.

They are stored, because librosa takes half a minute to compile its functions. To make them anew:

    pip install librosa==0.11.0
    python -m penstock.tests.operators.audio.librosa_figures
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from .made import noise

FILE = Path(__file__).with_name("librosa.npz")

HZ = np.linspace(0, 20000, 99)
SIGNAL = noise(1600)
POWER = np.square(noise(40 * 5, seed=5)).reshape(40, 5)
MELS = noise(40 * 9).reshape(40, 9)
SPECTRUM = np.abs(noise(257 * 9)).reshape(257, 9)
HOP = 160


def librosa_s(name: str, *setting: Any) -> Any:
    """Return what a function of librosa has given for a setting, from the file."""
    with np.load(FILE) as figures:
        return figures[key(name, *setting)]


def key(name: str, *setting: Any) -> str:
    """Return the name of an array in the file.

    >>> key("mel", 60.0, True)
    'mel-60.0-True'
    """
    return "-".join([name, *map(str, setting)])


def periodic_hann(length: int) -> Any:
    """Return the window of `librosa.stft`: (length,) float64."""
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)


def figures(librosa: Any) -> dict[str, Any]:
    """Return all arrays of the file."""
    made = {
        key("preemphasis"): librosa.effects.preemphasis(
            SIGNAL[:500], coef=0.9, zi=[-0.9 * SIGNAL[0]]
        )
    }
    for htk in (False, True):
        made[key("hz_to_mel", htk)] = librosa.hz_to_mel(HZ, htk=htk)
    for reference in (None, 0.5):
        ref = reference or POWER.max()
        made[key("power_to_db", reference)] = librosa.power_to_db(
            POWER, ref=ref, amin=1e-8 * ref, top_db=None
        )
        made[key("amplitude_to_db", reference)] = librosa.amplitude_to_db(
            POWER, ref=ref, amin=1e-4 * ref, top_db=None
        )
    for normalize, lifter in product((False, True), (0, 22)):
        made[key("mfcc", normalize, lifter)] = librosa.feature.mfcc(
            S=MELS, n_mfcc=13, norm="ortho" if normalize else None, lifter=lifter
        )
    for (low, high), normalize, htk in product(
        ((0.0, 0.0), (60.0, 7000.0)), (False, True), (False, True)
    ):
        norm = "slaney" if normalize else None
        ends = {"fmin": low, "fmax": high or None}
        filters = librosa.filters.mel(sr=16000, n_fft=512, n_mels=80, htk=htk, norm=norm, **ends)
        made[key("mel", low, high, normalize, htk)] = filters @ SPECTRUM
    for (length, nfft), reflect in product(((512, 512), (400, 512), (300, 300)), (True, False)):
        mode = "reflect" if reflect else "constant"
        made[key("stft", length, nfft, reflect)] = np.abs(
            librosa.stft(SIGNAL, n_fft=nfft, hop_length=HOP, win_length=length, pad_mode=mode)
        )
    return made


if __name__ == "__main__":
    import librosa

    np.savez_compressed(FILE, **figures(librosa))
    print(f"{FILE}: librosa {librosa.__version__}")
