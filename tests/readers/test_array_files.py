"""Readers of arrays in files: the form in which the samples of a batch must agree."""

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import DecodeError


def test_the_error_names_both_forms(tmp_path):
    arrays = [np.zeros((2, 2), "f4"), np.zeros((3, 1), "f4"), np.zeros(3, "i4")]
    for number, array in enumerate(arrays):
        np.save(tmp_path / f"{number}.npy", array)

    @pipeline_def(batch_size=3, num_threads=1)
    def arrays_of_two_forms():
        return fn.readers.numpy(file_root=str(tmp_path))

    message = (
        r"2\.npy: the sample has 1 dimensions and the type int32, where most of its batch have 2 "
        "and float32"
    )
    with arrays_of_two_forms() as pipe, pytest.raises(DecodeError, match=message):
        pipe.run()
