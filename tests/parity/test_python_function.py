"""What a Python function is given and may return, against NVIDIA DALI."""

import numpy as np
import pytest

from penstock import fn as ours
from penstock import pipeline_def
from penstock.tests.parity.oracle import dali

theirs = pytest.importorskip("nvidia.dali.fn")

SAMPLES = [np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(3, dtype=np.int32).reshape(1, 3)]
CASES = [
    (lambda x: x + 1, {}),
    (lambda x: (x, x[0]), {"num_outputs": 2, "output_layouts": ["HW"]}),
    (lambda x: (x,), {"output_layouts": "AB"}),
    (lambda xs: [x * 2 for x in xs], {"batch_processing": True}),
    (lambda xs: (xs, [x[0] for x in xs]), {"batch_processing": True, "num_outputs": 2}),
]


@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_results(function, arguments):
    expected = dali(lambda x: theirs.python_function(x, function=function, **arguments), SAMPLES)

    @pipeline_def(batch_size=2, num_threads=1)
    def definition():
        data = ours.external_source(lambda: SAMPLES)
        return ours.python_function(data, function=function, **arguments)

    with definition() as pipe:
        outputs = pipe.run()
    assert len(outputs) == len(expected)
    for output, (samples, layout) in zip(outputs, expected, strict=True):
        assert output.layout() == layout
        for i, sample in enumerate(samples):
            np.testing.assert_array_equal(output.at(i), sample)
            assert output.at(i).dtype == sample.dtype
