"""Random windows of a batch are those of its images."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.random_crop import draws_needed, random_window, random_windows


@pytest.mark.parametrize("attempts", [1, 2, 10])
@pytest.mark.parametrize(
    ("area", "ratio"), [((0.08, 1.0), (0.75, 1.33)), ((0.9, 1.0), (0.2, 0.3)), ((1.0, 1.0), (1, 1))]
)
def test_a_batch_is_its_images(area, ratio, attempts):
    rng = np.random.default_rng(attempts)
    sizes = rng.integers(1, 600, (500, 2))
    numbers = rng.random((500, draws_needed(attempts)))
    windows = random_windows(sizes, area, ratio, attempts, lambda count: numbers[:, :count])
    for (height, width), row, window in zip(sizes.tolist(), numbers, windows, strict=True):
        assert random_window(height, width, area, ratio, row) == tuple(window.tolist())


def test_no_images():
    none = np.zeros((0, 2), int)
    windows = random_windows(none, (1, 1), (1, 1), 10, lambda count: np.zeros((0, count)))
    assert windows.shape == (0, 4)
