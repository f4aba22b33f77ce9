"""torchvision for tests, also where its compiled operators do not fit the PyTorch that is there."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

_OPERATORS = ("nms", "qnms")  # which torchvision names while it is imported
_FOLDER = Path(sys.prefix) / "torchvision"  # where `make` installs torchvision
_held: list[Any] = []  # a library's operators go with it


@cache
def load_torchvision() -> ModuleType:
    """Return torchvision; skip the test if torchvision or PyTorch is not installed."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if _FOLDER.is_dir() and str(_FOLDER) not in sys.path:
        sys.path.append(str(_FOLDER))
    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None:
        pytest.skip("torchvision is not installed")
    if "torchvision" not in sys.modules and not _loads(torch, Path(spec.origin).parent):
        library = torch.library.Library("torchvision", "DEF")
        for name in _OPERATORS:
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _held.append(library)
    return importlib.import_module("torchvision")


def _loads(torch: Any, folder: Path) -> bool:
    """Return whether torchvision's compiled operators load, and load them."""
    for path in folder.glob("_C*.so"):
        try:
            torch.ops.load_library(str(path))
        except OSError:
            return False
    return True
