"""Colors of the images of sensors against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from ..operators.running import pixels, run
from .oracle import run_dali


@pytest.mark.parametrize("algorithm", ["bilinear_ocv", "edgeaware_ocv", "vng_ocv", "gray_ocv"])
@pytest.mark.parametrize("position", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("dtype", ["u1", "u2"])
def test_algorithms(algorithm, position, dtype):
    if (algorithm, dtype) == ("vng_ocv", "u2"):
        pytest.skip("both refuse it")
    image = pixels(20, 30).astype(dtype) * (200 if dtype == "u2" else 1)
    arguments = {"algorithm": algorithm, "blue_position": position}
    (ours,) = run("debayer", [image], "HW", **arguments)
    (theirs,), layout = run_dali("debayer", [image], "HW", **arguments)
    assert layout == "HWC"
    np.testing.assert_array_equal(ours, theirs, strict=True)
