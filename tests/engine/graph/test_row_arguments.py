"""Arguments of one sample."""

import numpy as np

from penstock.engine.graph.operator import OPERATORS
from penstock.engine.graph.row_arguments import arguments_of_row
from penstock.engine.tensors import TensorListCPU


def test_values_a_sample_and_values_for_all():
    operator = OPERATORS["decoders.audio"]("cpu", ("offset",), ("",))
    offsets = TensorListCPU([np.float32(0.5), np.float32(1.5)])
    found = arguments_of_row(operator, {"offset": offsets, "duration": -1.0}, 1)
    assert found == {"offset": 1.5, "duration": -1.0}
