"""CUDA sources of the operators."""

from __future__ import annotations

from pathlib import Path

from ...engine.kernels import THREADS, Kernel, blocks_for, descriptors, launch_elements

__all__ = ["THREADS", "blocks_for", "descriptors", "kernel", "launch_elements"]

_FOLDER = Path(__file__).parent


def kernel(file: str, function: str, **macros: str) -> Kernel:
    """Return a function of `operators/kernels/<file>.cu`, compiled with these macros."""
    return Kernel(_FOLDER / f"{file}.cu", function, tuple(sorted(macros.items())))
