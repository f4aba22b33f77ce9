import numpy as np
import pytest

from penstock.operators.filters.cpu_filter import filter_sample

from ..running import RubbishWorkspace, pixels

KERNELS = [np.float32(k) for k in ([0.2, 0.5, 0.3], [1], [0.1, 0.2, 0.3, 0.25, 0.15])]


def expected(sample, kernels):
    """Correlate along each axis; the border is mirrored without its element."""
    result = sample.astype(np.float64)
    for axis, kernel in enumerate(kernels):
        radius = len(kernel) // 2
        widths = [(radius, radius) if i == axis else (0, 0) for i in range(sample.ndim)]
        padded = np.pad(result, widths, "reflect")
        result = sum(
            weight * np.take(padded, range(k, k + sample.shape[axis]), axis)
            for k, weight in enumerate(kernel)
        )
    return result


@pytest.mark.parametrize("shape", [(9,), (7, 9), (5, 7, 9)])
@pytest.mark.parametrize("channels", [1, 3, 200])
@pytest.mark.parametrize(
    ("source", "target"), [("u1", "u1"), ("i1", "i2"), ("i8", "f4"), ("f2", "f2")]
)
def test_axes_channels_and_dtypes(shape, channels, source, target):
    sample = (pixels(*shape, channels) // 2).astype(source)
    out = np.empty(sample.shape, target)
    kernels = KERNELS[: len(shape)]
    filter_sample(RubbishWorkspace(), sample, kernels, out)
    tolerance = {"f4": 1e-3, "f2": 0.1}.get(target, 0.501)
    np.testing.assert_allclose(out.astype(float), expected(sample, kernels), atol=tolerance)
