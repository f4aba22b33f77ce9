"""Signals for tests."""

from __future__ import annotations

from typing import Any

import numpy as np


def noise(samples: int, seed: int = 0) -> Any:
    """Return white noise: (samples,) float32."""
    return np.random.default_rng(seed).standard_normal(samples).astype(np.float32)


def tone_between_silence(before: int, samples: int, after: int) -> Any:
    """Return a tone of `samples` samples with silence around it: float32."""
    tone = np.sin(1 + np.arange(samples))
    return np.concatenate([np.zeros(before), tone, np.zeros(after)]).astype(np.float32)
