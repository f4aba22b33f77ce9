"""`dump_image`: its files."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import on_device

from ..running import make, pixels


@pytest.mark.parametrize("channels", [1, 3])
def test_files(device, channels, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    images = [pixels(4, 5 + i, channels, seed=i) for i in range(2)]
    (rows,), _ = on_device(device, "dump_image", images, layout="HWC", suffix="seen")
    for i, image in enumerate(images):
        np.testing.assert_array_equal(rows[i], image)
        read = cv2.imread(str(tmp_path / f"{i}-seen-0.ppm"))[..., ::-1]
        np.testing.assert_array_equal(read, np.broadcast_to(image, read.shape))


@pytest.mark.parametrize("sample", [pixels(4, 5, 2), np.zeros((4, 5, 3), np.float32), pixels(4, 5)])
def test_samples_that_are_no_images(device, sample, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match="takes uint8 HWC of 1 or 3 channels"):
        on_device(device, "dump_image", [sample])
    assert list(tmp_path.iterdir()) == []


def test_layouts():
    with pytest.raises(ArgumentError, match="takes images of the layout HWC"):
        make("dump_image", "CHW")
    with pytest.raises(ArgumentError, match="takes images of the layout HWC"):
        make("dump_image", input_layout="CHW")
