"""Debug mode with `if` on data: both branches run, on the samples that take them."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, fn, pipeline_def, types

from .test_debug_pipeline import assert_equal_runs


def test_branches(photo_tree, device):
    def define():
        encoded, labels = fn.readers.file(files=photo_tree.files[:7])
        images = fn.resize(fn.decoders.image(encoded), size=(8, 9))
        if device == "gpu":
            images = images.gpu()
        number = fn.random.uniform(range=[0.0, 1.0])
        if number > 0.5:
            images = fn.rotate(images, angle=number * 90, keep_size=True, fill_value=0)
            noise = fn.random.normal()
        elif number > 0.25 and labels[0] < 3:
            images = fn.flip(images)
            noise = -number
        else:
            noise = fn.random.uniform()
        return images, noise, labels, number

    assert_equal_runs(define, enable_conditionals=True)


@pytest.mark.parametrize("truth", [0, 1])
def test_branches_without_samples(truth):
    def define():
        flag = fn.external_source(lambda: np.full(3, truth, np.bool_))
        data = fn.random.uniform(shape=[2])
        result = fn.cast(data + 1, dtype=types.INT32) if flag else fn.cast(data, dtype=types.INT32)
        assert data.shape()[0] == 2
        return result, data

    assert_equal_runs(define, enable_conditionals=True)


def test_nodes_of_a_branch_have_the_values_of_its_samples():
    seen = []

    @pipeline_def(batch_size=4, num_threads=1, debug=True, enable_conditionals=True)
    def define():
        number = fn.external_source(lambda n: np.arange(4) + n)
        if number > 1:
            result = number * 10
            seen.append(result.get().as_array().tolist())
            print(result)
        else:
            result = -number
            seen.append((result.shape(), np.array(result).tolist()))
        return result

    with define() as pipe:
        outputs = [pipe.run()[0].as_array().tolist() for _ in range(2)]
    assert outputs == [[0, -1, 20, 30], [-1, 20, 30, 40]]
    assert seen == [[20, 30], ([()] * 2, [0, -1]), [20, 30, 40], ([()], [-1])]


def test_data_of_the_program_go_before_the_branch():
    @pipeline_def(batch_size=2, num_threads=1, debug=True, enable_conditionals=True)
    def define(inside):
        data = [np.ones(1), np.zeros(1)]
        flag = fn.external_source(lambda: np.array([True, False]))
        given = data if inside else fn.copy(data)
        return fn.copy(given) if flag else fn.copy(given) * 5 + 1

    assert define(False).run()[0].as_array().ravel().tolist() == [1, 1]
    with pytest.raises(ArgumentError, match="Expected a node, got <class 'list'> at Input 0"):
        define(True).run()


def test_a_batch_is_neither_true_nor_false():
    @pipeline_def(batch_size=2, num_threads=1, debug=True)
    def define():
        return fn.flip(fn.random.uniform()) if fn.random.coin_flip() else fn.random.uniform()

    with pytest.raises(TypeError, match="has several values, so it is neither true nor false"):
        define().run()
