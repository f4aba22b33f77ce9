"""Transforms of torchvision, as torchvision runs them and as a pipeline does."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock import fn, pipeline_def
from penstock.experimental.torchvision import from_torchvision


def arrays_of(results: Any) -> list[Any]:
    """Return images of Pillow, HWC, or tensors, CHW, as arrays."""
    arrays = [np.asarray(result) for result in results]
    pictures = [hasattr(result, "getbands") for result in results]
    return [a[..., None] if p and a.ndim == 2 else a for a, p in zip(arrays, pictures, strict=True)]


def by_torchvision(transform: Any, photographs: list[Any], kind: str) -> list[Any]:
    """Return what torchvision makes of photographs: of images of Pillow, or of tensors."""
    import torch

    if kind == "pil":
        return arrays_of([transform(photograph) for photograph in photographs])
    tensors = [
        torch.from_numpy(np.array(photograph).transpose(2, 0, 1).copy())
        for photograph in photographs
    ]
    return arrays_of([transform(tensor) for tensor in tensors])


def by_pipeline(
    transform: Any, photographs: list[Any], kind: str, device: str, seed: int = 1
) -> list[Any]:
    """Return what a pipeline makes of photographs by the translated transform."""
    samples = [np.asarray(photograph) for photograph in photographs]

    @pipeline_def(batch_size=len(samples), num_threads=2, seed=seed)
    def translated():
        images = fn.external_source(source=lambda: samples, layout="HWC")
        return from_torchvision(transform, images=kind, device=device)(images)

    with translated() as pipe:
        (output,) = pipe.run()
        return [np.array(row) for row in output.as_cpu().rows()]
