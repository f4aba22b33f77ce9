"""`TorchPythonFunction`, the function of the plugin as a class."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn

pytest.importorskip("torch")

from penstock.plugin.pytorch import TorchPythonFunction


def test_it_has_the_attributes_of_the_classes_in_ops():
    function = TorchPythonFunction(lambda x: x)
    assert (function.device, function.preserve) == ("cpu", False)
    assert TorchPythonFunction(lambda x: x, preserve=True).preserve


@pytest.mark.parametrize("batch_processing", [False, True])
def test_it_computes_samples_or_batches(batch_processing):
    def twice(data):
        return [sample * 2 for sample in data] if batch_processing else data * 2

    with Pipeline(batch_size=2, num_threads=1) as pipe:
        data = fn.external_source(lambda i: np.full((2, 3), i + 1.0))
        doubled = TorchPythonFunction(twice, 1, "cpu", batch_processing)(data)
        pipe.set_outputs(doubled)
    assert pipe.run()[0].as_array().tolist() == [[2.0] * 3] * 2
    pipe.close()
