"""Made-up samples, which show the types of a pipeline's outputs and warm it up."""

from __future__ import annotations

import io
import wave

import cv2
import numpy as np

from ..engine.arrays import Array
from .signature import BYTES, DTYPES, TensorSpec

_EXTENTS = {"C": 3, "F": 2}  # of dimensions by their letters
_EXTENT = 64
_RATE = 16000  # samples of sound a second


def example_samples(spec: TensorSpec, layout: str, *, sound: bool) -> Array:
    """Return a made-up sample of an input.

    Args:
        spec: of the input.
        layout: of its samples, or "".
        sound: whether bytes are encoded sound. They are an encoded image otherwise.
    """
    if spec.datatype == BYTES:
        return np.frombuffer(_wav() if sound else _jpeg(), np.uint8)
    shape = [_EXTENTS.get(letter, _EXTENT) for letter in layout] or [_EXTENT] * spec.ndim
    if not layout and spec.ndim == 3:
        shape[2] = 3  # images have their colors last, unless a layout says otherwise
    return np.zeros(shape, DTYPES[spec.datatype])


def _jpeg() -> bytes:
    pixels = np.linspace(0, 255, 48 * _EXTENT * 3).astype(np.uint8).reshape(48, _EXTENT, 3)
    return bytes(cv2.imencode(".jpg", pixels)[1])


def _wav() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(_RATE)
        tone = np.sin(np.arange(_RATE) * 0.1) * 3000
        sound.writeframes(tone.astype("<i2").tobytes())
    return file.getvalue()
