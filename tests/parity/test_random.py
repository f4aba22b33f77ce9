"""Types, shapes and moments of random numbers, against NVIDIA DALI."""

import numpy as np
import pytest

from penstock.operators.random.choice import Choice
from penstock.operators.random.random_numbers import CoinFlip, Normal, Uniform
from penstock.tests.operators.running import array, batch_of, dense, per_batch
from penstock.tests.parity.oracle import dali

random = pytest.importorskip("nvidia.dali.fn").random
types = pytest.importorskip("nvidia.dali.types")

SIZE = 400
CASES = [
    (Uniform, random.uniform, {}),
    (Uniform, random.uniform, {"range": [2, 5], "shape": 3}),
    (Uniform, random.uniform, {"shape": [2, 2], "dtype": "FLOAT64"}),
    (Uniform, random.uniform, {"shape": []}),
    (Uniform, random.uniform, {"range": [0, 200], "dtype": "UINT8"}),
    (Uniform, random.uniform, {"values": [1, 2, 9]}),
    (Uniform, random.uniform, {"values": [1.5, -2], "dtype": "INT32"}),
    (Normal, random.normal, {}),
    (Normal, random.normal, {"mean": 100, "stddev": 5, "dtype": "UINT8"}),
    (CoinFlip, random.coin_flip, {}),
    (CoinFlip, random.coin_flip, {"probability": 0.2, "dtype": "BOOL", "shape": [2]}),
]


@pytest.mark.parametrize(("kind", "function", "arguments"), CASES)
def test_distributions(kind, function, arguments):
    theirs = {k: getattr(types, v) if k == "dtype" else v for k, v in arguments.items()}
    ((samples, _),) = dali(lambda: function(**theirs), batch_size=SIZE)
    expected = np.stack(samples)
    ours = {k: v.lower() if k == "dtype" else v for k, v in arguments.items()}
    operator = kind("cpu", (), (), **ours)
    result = operator.batch(batch_of(SIZE), **per_batch(operator, {})).as_array()
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    spread = float(expected.astype(float).std())
    assert result.astype(float).mean() == pytest.approx(
        expected.astype(float).mean(), abs=spread / 5
    )
    assert result.astype(float).std() == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize(
    ("a", "arguments"),
    [
        (5, {}),
        (5, {"shape": [3]}),
        ([1.5, 2], {}),
        (array("uint8", [1, 2, 9]), {"shape": [2, 2]}),
        (np.arange(6, dtype=np.int16).reshape(2, 3), {}),
        (np.arange(6, dtype=np.int16).reshape(2, 3), {"shape": [4]}),
        (3, {"p": [0.2, 0.3, 0.5]}),
    ],
)
def test_choice(a, arguments):
    ((samples, _),) = dali(lambda: random.choice(a, **arguments), batch_size=SIZE)
    expected = np.stack(samples)
    source = np.asarray(a)
    if not isinstance(a, np.ndarray):
        source = source.astype(np.int32 if source.dtype.kind == "i" else np.float32)
    operator = Choice("cpu", (), ("",), **arguments)
    column = dense(np.broadcast_to(source, (SIZE, *source.shape)))
    result = operator.batch(batch_of(SIZE), column, **per_batch(operator, {})).as_array()
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert set(result.ravel().tolist()) == set(expected.ravel().tolist())
    assert result.mean() == pytest.approx(expected.mean(), abs=float(expected.std()) / 5)
