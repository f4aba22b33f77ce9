"""Keys of random numbers: an operator's own seed, the pipeline's seed, and one call's nodes."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn


def numbers(seed=None, *, own=None, batches=4, size=4, before=0, checkpoint=None):
    """Return what `batches` batches of an operator hold, and the checkpoint after them."""
    pipe = Pipeline(size, num_threads=1, seed=seed, checkpoint=checkpoint)
    with pipe:
        others = [fn.random.uniform() for _ in range(before)]
        pipe.set_outputs(*others, fn.random.uniform(shape=[3], seed=own))
    with pipe:
        rows = [np.array(row) for _ in range(batches) for row in pipe.run()[-1].rows()]
        return np.stack(rows), pipe.checkpoint()


@pytest.mark.parametrize("seed", [None, -1, 1, 2])
@pytest.mark.parametrize("before", [0, 2])
def test_an_operator_s_own_seed_alone_decides(seed, before):
    wanted, _ = numbers(7, own=3)
    np.testing.assert_array_equal(numbers(seed, own=3, before=before)[0], wanted)
    assert (numbers(seed, own=4)[0] != wanted).all()
    assert (wanted[:4] != wanted[4:8]).all()


def test_the_batch_size_changes_nothing():
    np.testing.assert_array_equal(numbers(own=3, size=8, batches=2)[0], numbers(own=3)[0])


def test_without_an_own_seed_the_pipeline_s_seed_decides():
    np.testing.assert_array_equal(numbers(5)[0], numbers(5)[0])
    assert (numbers(5)[0] != numbers(6)[0]).all()
    assert (numbers(5)[0] != numbers(5, before=1)[0]).all()


@pytest.mark.parametrize("own", [None, 3])
def test_a_checkpoint_continues(own):
    whole, _ = numbers(5, own=own)
    first, checkpoint = numbers(5, own=own, batches=1)
    rest, _ = numbers(own=own, batches=3, checkpoint=checkpoint)
    np.testing.assert_array_equal(np.concatenate([first, rest]), whole)


def test_two_operators_with_one_seed_draw_the_same_numbers():
    pipe = Pipeline(4, num_threads=1)
    image = np.random.default_rng(0).integers(0, 255, (40, 50, 3), np.uint8)
    with pipe:
        images = fn.external_source(source=lambda: [image] * 4, layout="HWC")
        crops = [fn.random_resized_crop(images, size=9, seed=7) for _ in range(2)]
        pipe.set_outputs(*crops)
    with pipe:
        first, second = (np.array(output) for output in pipe.run())
    np.testing.assert_array_equal(first, second)
