"""Videos whose contents move, and their flow."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.testing.agreement import on_device

STEP = (3, -2)  # pixels to the right and down, from frame to frame


def video(
    frames: int, height: int, width: int, channels: int = 3, step: Any = STEP, seed: int = 0
) -> Any:
    """Return frames of a texture that moves by `step`: FHWC uint8."""
    around = 2 * frames * max(map(abs, step))
    texture = np.random.default_rng(seed).random((height + around, width + around, channels))
    for axis in (0, 1):
        texture = sum(np.roll(texture, shift, axis) for shift in range(-2, 3))
    texture = (texture - texture.min()) / np.ptp(texture) * 255
    x, y = ([around // 2 - each * n for n in range(frames)] for each in step)
    cuts = [
        texture[top : top + height, left : left + width] for left, top in zip(x, y, strict=True)
    ]
    return np.stack(cuts).astype(np.uint8)


def flow(*inputs: Any, **arguments: Any) -> list[Any]:
    """Return the vectors of videos, as the operator computes them."""
    layouts = ["FHWC"] * len(inputs)
    ((rows,), (layout,)) = on_device("gpu", "optical_flow", *inputs, layout=layouts, **arguments)
    assert layout == "FHWC"
    return rows


def check(vectors: Any, shape: tuple[int, ...], step: Any = STEP) -> None:
    """Check that vectors have a shape, and that most of each field's middle are those of a step."""
    assert (vectors.shape, vectors.dtype) == (shape, np.float32)
    height, width = shape[1:3]
    for field in vectors[:, height // 4 : -(height // 4), width // 4 : -(width // 4)]:
        median = np.median(field.reshape(-1, 2), axis=0)
        np.testing.assert_allclose(median, np.negative(step), atol=0.5)
        assert (np.abs(field - median).max(axis=2) < 0.5).mean() > 0.5
