"""The form in which the samples of a batch agree."""

import numpy as np

from penstock.engine.tensors import TensorListCPU
from penstock.engine.tensors.sample_form import SampleForm, usual_form


def test_most_samples_decide():
    rows = [np.zeros((2, 2)), np.zeros(3, "i4"), np.zeros((3, 1)), np.zeros((1, 1), "f4")]
    usual, others = usual_form(TensorListCPU(rows), {})
    assert usual == SampleForm.of(rows[0])
    assert others == {1: (np.dtype("i4"), 1), 3: (np.dtype("f4"), 2)}


def test_bad_rows_do_not_count():
    rows = [np.zeros(0, "u1"), np.zeros(0, "u1"), np.zeros((3, 1))]
    assert usual_form(TensorListCPU(rows), {0, 1}) == (SampleForm.of(rows[2]), {})
    assert usual_form(TensorListCPU(rows[:1]), {0}) == (None, {})
