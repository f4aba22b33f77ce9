"""Random generators that users' functions get: they depend on seed, epoch and sample alone."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError
from penstock.engine.order.philox import generator

pytestmark = pytest.mark.usefixtures("importable_tests")

COUNT = 12
FILES = [np.full(1, number) for number in range(COUNT)]


def numbers_of(
    function, *, batch_size, inputs=1, epochs=2, seed=5, own=None, state=None, **arguments
):
    """Return the numbers of each sample that the function draws; a part of them after a state."""

    def source(info):
        if info.idx_in_epoch >= COUNT:
            raise StopIteration
        return FILES[info.idx_in_epoch]

    @pipeline_def(
        batch_size=batch_size, num_threads=1, py_num_workers=2, seed=seed, checkpoint=state
    )
    def definition():
        data = fn.external_source(source, batch=False)
        return fn.python_function(*[data] * inputs, function=function, seed=own, **arguments)

    with definition() as pipe:
        drawn = []
        for _ in range(epochs):
            drawn += [number for (batch,) in pipe for number in batch.as_array().tolist()]
            pipe.reset()
        return drawn


def draw(x, rng):
    assert isinstance(rng, np.random.Generator)
    return rng.integers(1 << 40)


def draw_batch(xs, *, rng):
    return [generator.integers(1 << 40) for generator in rng]


@pytest.mark.slow
def test_nothing_but_the_sample_counts():
    expected = numbers_of(draw, batch_size=1)
    assert len(set(expected)) == 2 * COUNT
    assert numbers_of(draw, batch_size=4) == expected
    assert numbers_of(draw, batch_size=6, parallel=True) == expected
    assert numbers_of(draw_batch, batch_size=3, batch_processing=True) == expected
    assert numbers_of(draw_batch, batch_size=4, batch_processing=True, parallel=True) == expected
    assert numbers_of(draw, batch_size=4, seed=6) != expected


def test_the_seed_of_the_operator_counts():
    first, second = (numbers_of(draw, batch_size=4, seed=seed, own=9) for seed in (1, 2))
    assert first == second


def test_only_an_argument_that_no_input_fills_is_a_generator():
    def named(x, rng=None):
        return x if rng is None else rng.integers(9)

    def filled(rng, other):
        return rng + other

    def any_names(x, **rng):
        assert not rng
        return x

    assert numbers_of(filled, batch_size=4, inputs=2, epochs=1) == [[2 * n] for n in range(COUNT)]
    assert numbers_of(any_names, batch_size=4, epochs=1) == [[n] for n in range(COUNT)]
    assert len(set(numbers_of(named, batch_size=4, epochs=1))) > 1
    with pytest.raises(ArgumentError, match="cannot be called with 1 inputs"):
        numbers_of(lambda x, other, rng: x, batch_size=4)


def test_two_functions_draw_different_numbers():
    @pipeline_def(batch_size=4, num_threads=1, seed=1)
    def definition():
        return tuple(fn.python_function(function=lambda rng: rng.random(3)) for _ in range(2))

    with definition() as pipe:
        first, second = pipe.run()
    assert not set(first.as_array().flat) & set(second.as_array().flat)


def test_shuffled_readers_keep_the_numbers_of_a_run(tmp_path):
    for number in range(COUNT):
        (tmp_path / f"{number:02}.bin").write_bytes(bytes([number]))

    def batches(batch_size, parallel, checkpoint=None):
        @pipeline_def(
            batch_size=batch_size, num_threads=1, py_num_workers=2, seed=4, checkpoint=checkpoint
        )
        def definition():
            data, _ = fn.readers.file(
                files=sorted(map(str, tmp_path.iterdir())), random_shuffle=True, name="reader"
            )
            return fn.python_function(
                data, num_outputs=2, function=lambda x, rng: (x, rng.random()), parallel=parallel
            )

        return definition()

    def drawn(pipe, count):
        result = []
        for _ in range(count):
            data, numbers = pipe.run()
            result += zip(data.as_array().flat, numbers.as_array().flat, strict=True)
        return result

    with batches(4, parallel=True) as pipe:
        whole = drawn(pipe, 6)
    with batches(2, parallel=False) as pipe:
        assert drawn(pipe, 12) == whole
    with batches(4, parallel=True) as pipe:
        drawn(pipe, 4)
        state = pipe.checkpoint()
    with batches(4, parallel=False, checkpoint=state) as pipe:
        assert drawn(pipe, 2) == whole[16:]


@pytest.mark.parametrize("parallel", [True, False])
def test_sources_get_a_generator_for_each_sample_or_batch(parallel):
    def by_sample(info, rng):
        return np.array([info.idx_in_epoch, rng.integers(1 << 40)])

    def by_batch(number, *, rng):
        return np.array([number, rng.integers(1 << 40)]) + np.zeros((4, 1), np.int64)

    def without_number(rng):
        return np.full(4, rng.integers(1 << 40))

    @pipeline_def(batch_size=4, num_threads=1, py_num_workers=2, seed=8)
    def definition():
        sources = [(by_sample, False, parallel), (by_batch, True, parallel)]
        sources.append((without_number, True, False))
        return tuple(
            fn.external_source(source, batch=batch, parallel=apart)
            for source, batch, apart in sources
        )

    with definition() as pipe:
        batches = [[output.as_array().tolist() for output in pipe.run()] for _ in range(2)]
    samples = [sample for batch in batches for sample in batch[0]]
    keys = [node.operator.placement.random_key for node in pipe._as_built().plan.nodes]
    assert samples == [[i, generator(keys[0], 0, i).integers(1 << 40)] for i in range(8)]
    for number, batch in enumerate(batches):
        assert batch[1] == [[number, generator(keys[1], 0, number).integers(1 << 40)]] * 4
        assert batch[2] == [generator(keys[2], 0, number).integers(1 << 40)] * 4


def test_generators_can_spawn_others():
    first, second = generator(1, 2, 3).spawn(2)
    assert first.random() != second.random()
    assert generator(1, 2, 3).random() != generator(1, 3, 2).random()
