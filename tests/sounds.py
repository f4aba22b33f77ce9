"""Sounds for tests: `fixtures/speech.py`, loaded from its path, because no package holds it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

_PATH = Path(__file__).resolve().parent.parent / "fixtures" / "speech.py"
_spec = importlib.util.spec_from_file_location("penstock_test_speech", _PATH)
assert _spec is not None
assert _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

speech_like = _module.speech_like
encoded = _module.encoded
speech_corpus = _module.speech_corpus
main = _module.main


def noise(seconds: float, rate: int = 16000, channels: int = 1, seed: int = 0) -> Any:
    """Return white noise (samples, channels) at 0.2 of full scale."""
    return np.random.default_rng(seed).standard_normal((round(seconds * rate), channels)) * 0.2


def file_of(signal: Any, rate: int, form: str, subtype: str | None = None) -> Any:
    """Return a signal as the bytes of a file, uint8 (size,)."""
    return np.frombuffer(encoded(np.clip(signal, -1, 1), rate, form, subtype), np.uint8)
