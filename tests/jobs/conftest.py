"""Small data sets, made by other software, for the jobs that users do first."""

from __future__ import annotations

import numpy as np
import pytest

CLASSES = ("cat", "dog")


@pytest.fixture(autouse=True)
def own_cache(user_cache):
    """Give each job a cache folder of its own."""


@pytest.fixture
def photos(tmp_path):
    """Return folders `train` and `val` of class folders: dark cats, bright dogs, 8 of each."""
    library = pytest.importorskip("PIL.Image")
    random = np.random.default_rng(1)
    for part in ("train", "val"):
        for label, name in enumerate(CLASSES):
            folder = tmp_path / part / name
            folder.mkdir(parents=True)
            for number in range(8):
                pixels = random.integers(0, 60, (24 + number, 30, 3)) + 180 * label
                image = library.fromarray(pixels.astype(np.uint8))
                image.save(folder / f"{number:03d}.jpg")
    return tmp_path
