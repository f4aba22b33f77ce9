"""Readers of arrays in files: the form in which the samples of a batch must agree."""

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import DecodeError
from penstock.engine.tensors import TensorListCPU
from penstock.readers.array_files import form_of, usual_form


def test_most_samples_decide():
    rows = [np.zeros((2, 2)), np.zeros(3, "i4"), np.zeros((3, 1)), np.zeros((1, 1), "f4")]
    usual, others = usual_form(TensorListCPU(rows), {})
    assert usual == form_of(rows[0])
    assert others == {1: (np.dtype("i4"), 1), 3: (np.dtype("f4"), 2)}


def test_bad_rows_do_not_count():
    rows = [np.zeros(0, "u1"), np.zeros(0, "u1"), np.zeros((3, 1))]
    assert usual_form(TensorListCPU(rows), {0, 1}) == (form_of(rows[2]), {})
    assert usual_form(TensorListCPU(rows[:1]), {0}) == (None, {})


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
