"""Copies between host and device."""

from __future__ import annotations

import numpy as np

from penstock import Pipeline, fn
from penstock.engine.graph.copies import Copy
from penstock.engine.tensors import TensorListCPU

from ..toys import Numbers, call, make, rows_of


def test_on_the_cpu_a_copy_is_the_data():
    data = TensorListCPU(np.zeros((2, 3)))
    assert Copy("cpu").batch(None, data) is data


def test_copies_take_no_random_stream():
    def noises(*, copied):
        data = call(Numbers)[0]
        return fn.copy(data) if copied else data, fn.random.uniform(shape=[3])

    results = []
    for copied in (False, True):
        with make(lambda copied=copied: noises(copied=copied)) as pipe:
            results.append(rows_of(pipe.run()))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_moving_back_and_forth_makes_two_nodes():
    pipe = Pipeline(batch_size=1, num_threads=1)
    with pipe:
        data = call(Numbers)[0]
        assert data.gpu().cpu().node.inputs[0].node.operator.device == "gpu"
        assert fn.copy(data, device="gpu").device == "gpu"
        assert fn.copy(data).device == "cpu"
