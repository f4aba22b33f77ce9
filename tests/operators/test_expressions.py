"""Nodes computed with, indexed and reshaped in whole pipelines."""

import numpy as np
import pytest

import penstock.operators.elementwise.math_functions as math
from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError
from penstock.engine.graph.index_keys import newaxis

VOLUMES = [
    np.arange(24, dtype=np.uint8).reshape(2, 3, 4),
    np.arange(40, dtype=np.uint8).reshape(2, 5, 4),
]


def evaluate(expression):
    """Return the samples of what `expression` makes of VOLUMES and of [0, 1]."""

    @pipeline_def(batch_size=2, num_threads=2, seed=3)
    def definition():
        volumes = fn.external_source(lambda: VOLUMES, layout="DHW")
        numbers = fn.external_source(lambda: np.array([0, 1], np.int32))
        return expression(volumes, numbers)

    with definition() as pipe:
        (out,) = pipe.run()
        return [out.at(i).copy() for i in range(2)], out.layout()


@pytest.mark.parametrize(
    ("expression", "reference"),
    [
        (lambda v, n: v + 1, lambda v, n: v.astype(np.int32) + 1),
        (lambda v, n: 255 - v, lambda v, n: 255 - v.astype(np.int32)),
        (lambda v, n: v / 2, lambda v, n: (v / 2).astype(np.float32)),
        (lambda v, n: v * n, lambda v, n: v.astype(np.int32) * n),
        (lambda v, n: (v > 5) & (v < 20), lambda v, n: (v > 5) & (v < 20)),
        (lambda v, n: -v // 3, lambda v, n: (np.uint8(0) - v).astype(np.int32) // 3),
        (lambda v, n: 1 << n, lambda v, n: 1 << n),
        (lambda v, n: v == n, lambda v, n: v == n),
        (lambda v, n: abs(n - 5) ** 2, lambda v, n: (n - 5) ** 2),
        (lambda v, n: ~v, lambda v, n: ~v),
        (lambda v, n: math.clamp(v, 3, 9), lambda v, n: np.clip(v, 3, 9).astype(np.int32)),
        (lambda v, n: math.sqrt(v), lambda v, n: np.sqrt(v, dtype=np.float32)),
        (lambda v, n: math.max(v, 7.5), lambda v, n: np.maximum(v, np.float32(7.5))),
        (lambda v, n: v[n], lambda v, n: v[n]),
        (lambda v, n: v[:, n:, n], lambda v, n: v[:, n:, n]),
        (lambda v, n: v[0, ::-1, -1], lambda v, n: v[0, ::-1, -1]),
        (lambda v, n: v[..., newaxis("C")], lambda v, n: v[..., None]),
        (lambda v, n: v.shape()[1], lambda v, n: np.int64(v.shape[1])),
        (lambda v, n: fn.cast(v * 0.5, dtype=types.UINT8), lambda v, n: v // 2 + v % 2),
        (lambda v, n: fn.stack(n, n + 1), lambda v, n: np.array([n, n + 1])),
        (
            lambda v, n: fn.reshape(v, shape=fn.stack(n * 0 - 1, n + 1)),
            lambda v, n: v.reshape(-1, n + 1),
        ),
        (lambda v, n: n + np.array([1, 2], np.uint8), lambda v, n: n + np.array([1, 2])),
    ],
)
def test_values(expression, reference):
    samples, _ = evaluate(expression)
    for i, sample in enumerate(samples):
        expected = np.asarray(reference(VOLUMES[i], np.int32(i)))
        np.testing.assert_array_equal(sample, expected)
        assert sample.shape == expected.shape


@pytest.mark.parametrize(
    ("expression", "layout"),
    [
        (lambda v, n: v * 2 + n, "DHW"),
        (lambda v, n: v[n], "HW"),
        (lambda v, n: v[0, :, newaxis("C")], "HCW"),
        (lambda v, n: fn.expand_dims(v, axes=3, new_axis_names="C"), "DHWC"),
        (lambda v, n: fn.reshape(v, layout="ZYX"), "ZYX"),
    ],
)
def test_layouts(expression, layout):
    assert evaluate(expression)[1] == layout


def test_index_out_of_range_names_the_sample():
    with pytest.raises(IndexError, match=r"of a sample of shape \(2, 3, 4\)") as caught:
        evaluate(lambda v, n: v[:, 4])
    assert any("subscript" in note for note in caught.value.__notes__)


def test_constants_must_fit():
    with pytest.raises(ArgumentError, match="int32, which cannot hold 1099511627776"):
        evaluate(lambda v, n: n + 2**40)


def test_math_wants_nodes():
    with pytest.raises(ArgumentError, match=r"math\.sqrt computes with data of the pipeline"):
        math.sqrt(4)


def test_every_function_of_the_math_module():
    names = [n for n in dir(math) if not n.startswith("_") and n[0].islower()]
    for name in set(names) - {"annotations", "add_node", "clamp"}:
        function = getattr(math, name)
        wide = name in ("min", "max", "pow", "fpow", "atan2")
        samples, _ = evaluate(lambda v, n: function(n, n) if wide else function(n))  # noqa: B023
        assert samples[0].shape == ()


def test_random_arguments_by_sample():
    @pipeline_def(batch_size=4, num_threads=1, seed=1)
    def definition():
        flip = fn.random.coin_flip(probability=1.0)
        low = fn.cast(flip * 10, dtype=types.FLOAT)
        chosen = fn.random.choice([3, 4])
        return fn.random.uniform(range=fn.stack(low, low + 1)), chosen

    with definition() as pipe:
        numbers, chosen = (out.as_array() for out in pipe.run())
    assert ((numbers >= 10) & (numbers < 11)).all()
    assert set(chosen.tolist()) <= {3, 4}


def test_permutation_and_constant():
    @pipeline_def(batch_size=2, num_threads=1)
    def definition():
        numbers = fn.external_source(lambda: [5, 6])
        return fn.permute_batch(numbers, indices=[1, 0]), fn.constant(idata=[1, 2])

    with definition() as pipe:
        swapped, constant = (out.as_array().tolist() for out in pipe.run())
    assert swapped == [6, 5]
    assert constant == [[1, 2], [1, 2]]
