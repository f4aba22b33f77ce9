"""`jax_function`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn

jax: Any = pytest.importorskip("jax")

from penstock.plugin.jax.fn import jax_function  # noqa: E402

ROWS = [np.full((4, 5), i, np.float32) for i in range(3)]


def applied(function, *inputs, layouts=("HW",), **options):
    """Return the outputs of a function of batches, by default of one batch of ROWS."""
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        data = [
            fn.external_source(partial(list, rows), layout=layout)
            for rows, layout in zip(inputs or [ROWS], layouts, strict=False)
        ]
        results = jax_function(function, **options)(*data)
        pipe.set_outputs(*(results if isinstance(results, list | tuple) else [results]))
        return pipe.run()


def test_batches_are_arrays():
    def function(array):
        assert isinstance(array, jax.Array)
        assert next(iter(array.devices())).platform == "cpu"
        return array[:, :, ::-1] + jax.numpy.arange(5)

    (result,) = applied(function)
    expected = np.stack(ROWS) + np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(result.as_array(), expected, strict=True)
    assert result.layout() == "HW"


def test_decorators_and_compiled_functions():
    @jax_function(num_outputs=2, output_layouts=["", "X"])
    @jax.jit
    @jax.vmap
    def sums(array):
        return array.sum(), array.sum(axis=0)

    with Pipeline(batch_size=3, num_threads=1) as pipe:
        pipe.set_outputs(*sums(fn.external_source(lambda: ROWS)))
        total, columns = pipe.run()
    np.testing.assert_array_equal(total.as_array(), [0, 20, 40])
    np.testing.assert_array_equal(columns.as_array(), np.stack(ROWS).sum(axis=1))
    assert columns.layout() == "X"
    assert sums.__name__ == "sums"


def test_layouts_follow_inputs_of_as_many_dimensions():
    def function(first, second):
        return second, first, first

    outputs = applied(function, ROWS, ROWS, layouts=("HW", "AB"), num_outputs=3)
    assert [output.layout() for output in outputs] == ["HW", "AB", ""]
    (flat,) = applied(lambda array: array[:, 0])
    assert flat.layout() == ""


def test_results_outlive_the_next_batches():
    numbers = iter(range(100))
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        data = fn.external_source(lambda: np.full((3, 50_000), next(numbers), np.float32))
        pipe.set_outputs(jax_function(lambda array: array * 2)(data))
        kept = [pipe.run()[0] for _ in range(20)]
    assert [float(batch.as_array()[0, 0]) for batch in kept] == [2.0 * i for i in range(20)]


@pytest.mark.parametrize("preserve", [True, False])
def test_functions_without_outputs(preserve):
    seen = []
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        data = fn.external_source(lambda: ROWS)
        watch = jax_function(
            lambda array: seen.append(array.shape), num_outputs=0, preserve=preserve
        )
        assert watch(data) is None
        pipe.set_outputs(data)
        pipe.run()
    assert bool(seen) == preserve


def test_a_sharding():
    devices = jax.local_devices(backend="cpu")[:1]  # where the function's data are
    mesh = jax.sharding.Mesh(np.array(devices), ("batch",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))

    def function(array):
        assert array.sharding == sharding
        return array + 1

    (result,) = applied(function, sharding=sharding)
    np.testing.assert_array_equal(result.as_array(), np.stack(ROWS) + 1)
    with pytest.raises(ArgumentError, match=r"sharding is str data; it must be a jax.sharding"):
        applied(function, sharding="batch")


def test_mistakes_name_the_function():
    ragged = [row[:n] for n, row in enumerate(ROWS, 1)]
    for function, rows, options, message in [
        (lambda x: x, ragged, {}, r"samples with different shapes \(\(1, 5\), \(2, 5\)"),
        (lambda x: x[:2], ROWS, {}, "size of 3, but the output at index 0 has the shape 2 x 4 x 5"),
        (lambda x: None, ROWS, {}, "jax_function: the function returned None"),
        (lambda x: (x, x, x), ROWS, {}, "`num_outputs=1` outputs, but returned 3"),
        (lambda x: x, ROWS, {"num_outputs": 2}, "must return a tuple of 2"),
        (lambda x: x, ROWS, {"output_layouts": "HWC"}, "does not describe a sample"),
        (lambda x: x.sum(), ROWS, {}, "is a single number"),
        (lambda: 1, ROWS, {}, "the function cannot be called with 1 inputs"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            applied(function, rows, **options)
