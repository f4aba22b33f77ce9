import numpy as np
import pytest

from penstock.operators.color.cpu_colors import map_colors

from ..running import RubbishWorkspace, pixels

MAP = np.array([[0.5, 0.2, 0.1, 10], [-0.3, 1.2, 0.4, -20.5], [0.1, 0.1, 0.9, 0]])


@pytest.mark.parametrize("source", ["u1", "i2", "f2", "f4", "i4"])
@pytest.mark.parametrize("target", ["u1", "i2", "f2", "f4"])
@pytest.mark.parametrize("made", [1, 3])
def test_every_dtype(source, target, made):
    image = pixels(5, 7, 3).astype(source)
    out = np.empty((5, 7, made), target)
    map_colors(RubbishWorkspace(), image, MAP[:made], out)
    exact = image.astype(float) @ MAP[:made, :3].T + MAP[:made, 3]
    if target == "u1":
        exact = exact.clip(0, 255)
    tolerance = {"f4": 1e-4, "f2": 0.2}.get(target, 1)
    np.testing.assert_allclose(out.astype(float), exact, atol=tolerance)
