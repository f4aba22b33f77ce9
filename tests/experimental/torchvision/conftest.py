"""torchvision, and photographs."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from ...torchvision_library import load_torchvision


@pytest.fixture(scope="session")
def tv() -> ModuleType:
    """The module `torchvision.transforms.v2`."""
    load_torchvision()
    from torchvision.transforms import v2

    module: ModuleType = v2
    return module


@pytest.fixture(scope="session")
def photographs(photo_tree: Any) -> list[Any]:
    """Three photographs of different sizes as images of Pillow, small enough for the emulator."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    sizes = (133, 90), (64, 97), (101, 101)
    pairs = zip(photo_tree.files[::9], sizes, strict=False)
    return [image.open(file).convert("RGB").resize(size) for file, size in pairs]
