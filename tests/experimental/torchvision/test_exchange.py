"""Images of Pillow and tensors as batches, and back."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from penstock.experimental.torchvision.exchange import array_picture, batch_of, picture_array
from penstock.tests.checkout import SOURCES


def test_gray_images_have_one_channel(photographs):
    gray = photographs[0].convert("L")
    given = batch_of(gray)
    assert given.array.shape == (1, gray.height, gray.width, 1)
    assert array_picture(picture_array(gray)).mode == "L"


def test_tensors_become_batches_of_pixels():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tensor = torch.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5).float().requires_grad_()
    given = batch_of(tensor)
    assert (given.dtype, given.is_one) == (np.float32, False)
    np.testing.assert_array_equal(given.array, tensor.detach().numpy().transpose(0, 2, 3, 1))


def test_neither_pytorch_nor_pillow_nor_torchvision_is_loaded():
    program = (
        "import penstock.experimental.torchvision.v2.functional, sys;"
        "print({'torch', 'torchvision', 'PIL'} & set(sys.modules))"
    )
    made = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(SOURCES)},
        check=True,
    )
    assert made.stdout == "set()\n"
