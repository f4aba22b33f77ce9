import numpy as np
import pytest

from penstock.operators.elementwise.byte_table import look_up


@pytest.mark.parametrize("dtype", ["bool", "u1", "i1", "f2", "u2", "u4", "f4", "i8", "u8", "f8"])
@pytest.mark.parametrize("shape", [(256,), (0, 3), (16, 16), (2, 4, 32)])
def test_every_dtype_is_looked_up(dtype, shape):
    table = (np.arange(256) * 3 % 251).astype(dtype)
    source = np.arange(np.prod(shape)).astype(np.uint8).reshape(shape)
    out = np.empty(shape, dtype)
    look_up(source, table, out)
    np.testing.assert_array_equal(out, table[source])
