"""What the tests of clusters share: a format of another package, there and back."""

from __future__ import annotations

import importlib
from pathlib import Path

from penstock import datasets
from penstock.datasets import FORMATS
from penstock.testing import made


def check_format(engine: str, folder: Path) -> None:
    """Convert to the format of docs/extending.md and back on a cluster."""
    source = made.write(folder / "images", made.images(), classes=("a", "b"))
    module = importlib.import_module("penstock.tests.datasets.json_lines")
    FORMATS["jsonlines"] = module.JSON_LINES
    try:
        options = {"shard_count": 3, "engine": engine}
        datasets.convert(source, folder / "lines", to="jsonlines", **options)
        datasets.convert(folder / "lines", folder / "back", to="tfrecord", **options)
        assert datasets.verify(source, folder / "lines").ok
        assert datasets.verify(source, folder / "back").ok
    finally:
        del FORMATS["jsonlines"]
