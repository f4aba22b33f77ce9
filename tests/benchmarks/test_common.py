import numpy as np
import pytest

from penstock.benchmarks import common
from penstock.engine.tensors import TensorListCPU


def test_a_ratio_is_the_median_of_the_rounds():
    figure = common.figure_of("read", "records/s", [10, 40, 30], [10, 20, 10])
    assert (figure.ours, figure.theirs) == (30, 10)
    assert (figure.lowest, figure.ratio, figure.highest) == (1, 2, 3)


def test_of_seconds_less_is_better():
    assert common.figure_of("start", "s", [1.0], [2.0]).ratio == 2


def test_without_dali_there_is_no_ratio():
    figure = common.figure_of("read", "records/s", [3, 1, 2], ())
    assert (figure.ours, figure.ratio) == (2, None)


@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_all_bytes_of_samples_are_copied(dtype):
    arrays = [
        np.arange(6, dtype=dtype).reshape(2, 3),
        np.arange(12, dtype=dtype).reshape(4, 3)[::2],
    ]
    memory = np.zeros(64, np.uint8)
    for array in arrays:
        common.copy_samples(TensorListCPU([array]), memory)
        assert memory[: array.nbytes].tobytes() == array.tobytes()
