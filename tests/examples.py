"""The programs in examples/, which are no modules of the package."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

from penstock.tests.checkout import ROOT


def example(name: str) -> Any:
    """Import an example."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def epochs(output: str, measure: str = "accuracy") -> list[tuple[int, float, float]]:
    """Return number, loss and measure in percent of each epoch that was printed."""
    found = re.findall(rf"epoch (\d+): loss ([\d.]+), {measure} ([\d.]+)%", output)
    return [(int(number), float(loss), float(value)) for number, loss, value in found]
