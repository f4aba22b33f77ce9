import numpy as np
import pytest

from penstock.operators.common.pixel_masks import spread


@pytest.mark.parametrize("channels", [1, 3, 4, 9])
@pytest.mark.parametrize("shape", [(2, 3), (1, 1), (0, 3)])
def test_masks_are_repeated_for_channels(channels, shape):
    mask = np.random.default_rng(1).random(shape) < 0.5
    result = spread(mask, channels)
    assert result.dtype == np.uint8
    np.testing.assert_array_equal(result, np.repeat(mask, channels, axis=1))
