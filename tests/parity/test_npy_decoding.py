"""`fn.decoders.numpy` against DALI's, which reads version 1, C order and little-endian alone."""

import io

import numpy as np
import pytest

from penstock.composite.numpy_decoder import NumpyDecoder
from penstock.operators.elementwise.saturation import saturated

from ..operators.running import apply
from .oracle import dali

nvidia_dali = pytest.importorskip("nvidia.dali")

KINDS = ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"]
TO_DALI = {"float32": "FLOAT"}


def saved(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return np.frombuffer(stream.getvalue(), np.uint8)


def numbers(dtype):
    values = np.array([[-300.0, -2.5, -0.5, 0], [0.5, 1.5, 127.0, 300.0]])
    if dtype.startswith(("u", "b")):
        values = np.abs(values)
    if dtype in ("int8", "uint8"):
        values = np.clip(values, -128, 127)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", [(8,), (2, 4), (2, 2, 1, 2)])
def test_arrays(dtype, shape):
    array = numbers(dtype).reshape(shape)
    ((found,), layout), *_ = dali(nvidia_dali.fn.decoders.numpy, [saved(array)])
    ours = apply(NumpyDecoder, saved(array))
    np.testing.assert_array_equal(ours, found, strict=True)
    assert layout == ""


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("dtype", KINDS)
def test_conversion(dtype, target):
    data = saved(numbers(dtype))
    kind = getattr(nvidia_dali.types, TO_DALI.get(target, target.upper()))
    ((found,), _), *_ = dali(lambda x: nvidia_dali.fn.decoders.numpy(x, dtype=kind), [data])
    ours = saturated(
        apply(NumpyDecoder, data), np.dtype(target)
    )  # what fn.cast, which wrap adds, does
    np.testing.assert_array_equal(ours, found, strict=True)
