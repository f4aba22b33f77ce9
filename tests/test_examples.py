"""The example of 3-D patches runs, and draws what it read."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

import penstock

ROOT = Path(penstock.__file__).resolve().parent


@pytest.fixture(scope="module")
def patches_3d():
    path = ROOT / "examples" / "patches_3d.py"
    spec = importlib.util.spec_from_file_location("patches_3d", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_patches_of_volumes(tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "patches_3d.py")]
    command += ["--side", "96", "--volumes", "2", "--patches", "40", "--picture", "drawn.png"]
    result = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT.parent)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "40 patches of volumes_96" in result.stdout
    assert cv2.imread(str(tmp_path / "drawn.png")).shape == (2 * 196, 4 * 196, 3)


def test_images_and_labels_are_of_one_window(tmp_path, patches_3d):
    images, labels = patches_3d.make_volumes(tmp_path, 2, 80)
    with patches_3d.patch_pipeline(images * 8, labels * 8, 80, "cpu") as pipe:
        image, label = pipe.run()
    assert image.as_array().shape == label.as_array().shape == (16, 64, 64, 64)
    volumes = [np.lib.stride_tricks.sliding_window_view(np.load(p), (64, 64, 64)) for p in images]
    for row, marks, origin in zip(image.rows(), label.rows(), image.source_info(), strict=True):
        number = images.index(origin)
        at = np.argwhere(volumes[number][:, :, :, 0, 0, 0] == row[0, 0, 0])
        ((z, y, x),) = at
        wanted = np.load(labels[number])[z : z + 64, y : y + 64, x : x + 64]
        np.testing.assert_array_equal(marks, wanted)
