"""`NumbaFunction`, the function of the plugin as a class."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.plugin.numba import NumbaFunction, experimental


def twice(out, data):
    out[:] = data * 2


def make(**options):
    kinds = {"in_types": types.UINT8, "out_types": types.UINT8}
    return NumbaFunction(twice, outs_ndim=1, ins_ndim=1, **kinds, **options)


def test_it_has_the_attributes_of_the_classes_in_ops():
    assert (make().device, make().preserve) == ("cpu", False)
    assert make(preserve=True).preserve
    assert experimental.NumbaFunction is NumbaFunction


@pytest.mark.slow
def test_it_computes():
    pytest.importorskip("numba")
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        data = fn.external_source(lambda i: np.full((2, 3), i + 1, np.uint8))
        pipe.set_outputs(make()(data))
    assert pipe.run()[0].as_array().tolist() == [[2] * 3] * 2
    pipe.close()
