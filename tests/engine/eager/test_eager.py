"""Operators that run at once: the values, random numbers, state and errors of a pipeline."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

from penstock import ArgumentError, fn, pipeline_def
from penstock.engine.eager.eager import EagerOperator
from penstock.engine.eager.eager_runner import EagerRunner
from penstock.engine.graph.operator import OPERATORS
from penstock.tensors import TensorListCPU, TensorListGPU

from ..toys import Affine, Feed, Noise, Numbers


@pytest.fixture
def runner():
    made = EagerRunner(threads=2)
    yield made
    made.close()


def rows(outputs):
    return [[np.asarray(row) for row in output.as_cpu().rows()] for output in outputs]


def same(one, other):
    for a, b in zip(rows(one), rows(other), strict=True):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert x.dtype == y.dtype
            np.testing.assert_array_equal(x, y)


def test_a_reader_and_what_follows_return_the_batches_of_a_pipeline(runner, photo_tree, device):
    def define():
        encoded, labels = fn.readers.file(
            files=photo_tree.files, labels=photo_tree.labels, random_shuffle=True
        )
        images = fn.decoders.image(encoded, device="mixed" if device == "gpu" else "cpu")
        return fn.random_resized_crop(images, size=(20, 30), seed=4), labels

    with pipeline_def(define)(batch_size=5, num_threads=2) as pipe:
        wanted = [pipe.run() for _ in range(3)]
    reader = EagerOperator(
        OPERATORS["readers.file"],
        {"files": photo_tree.files, "labels": photo_tree.labels, "random_shuffle": True},
        runner=runner,
        batch_size=5,
    )
    decoder = EagerOperator(
        OPERATORS["decoders.image"],
        runner=runner,
        device="mixed" if device == "gpu" else "cpu",
    )
    crop = EagerOperator(
        OPERATORS["random_resized_crop"], {"size": (20, 30), "seed": 4}, runner=runner
    )
    for batch in wanted:
        encoded, labels = reader.run()
        (images,) = decoder.run([encoded])
        assert isinstance(images, TensorListGPU if device == "gpu" else TensorListCPU)
        crops = crop.run([images])
        same((*crops, labels), batch)
    reader.close()


def test_random_numbers_are_those_of_a_pipeline(runner):
    with pipeline_def(lambda: fn.random.uniform(shape=[2]))(
        batch_size=4, num_threads=1, seed=9
    ) as pipe:
        wanted = [pipe.run() for _ in range(2)]
    uniform = EagerOperator(OPERATORS["random.uniform"], {"shape": [2]}, runner=runner, seed=9)
    for batch in wanted:
        same(uniform.run(batch_size=4), batch)
    same(uniform.run(batch_size=4, position=0), wanted[0])
    noise = EagerOperator(Noise, runner=runner, seed=9)
    one, other = noise.run([TensorListCPU(np.zeros((2, 1)))])[0].as_array().ravel()
    assert one != other


def test_arguments_vary_by_sample_and_layouts_by_batch(runner):
    affine = EagerOperator(Affine, {"b": 1.0}, runner=runner)
    data = TensorListCPU(np.ones((3, 2)))
    (result,) = affine.run([data], {"a": TensorListCPU(np.array([1, 2, 3], np.float32))})
    np.testing.assert_array_equal(result.as_array(), [[2, 2], [3, 3], [4, 4]])
    flip = EagerOperator(OPERATORS["flip"], runner=runner)
    image = np.arange(12, dtype=np.uint8).reshape(1, 2, 2, 3)
    for layout, axis in (("HWC", 2), ("CHW", 3), ("HWC", 2)):
        (flipped,) = flip.run([TensorListCPU(image, layout)])
        assert flipped.layout() == layout
        np.testing.assert_array_equal(flipped.as_array(), np.flip(image, axis))


def test_lists_of_arrays_and_constants_are_data(runner):
    torch = pytest.importorskip("torch")
    cat = EagerOperator(OPERATORS["cat"], runner=runner)
    batch = [np.zeros(1, np.float32), np.ones(2, np.float32)]
    (result,) = cat.run([batch, [torch.tensor([5.0]), torch.tensor([6.0])]])
    same([result], [TensorListCPU([np.float32([0, 5]), np.float32([1, 1, 6])])])
    with pytest.raises(ArgumentError, match=r"has batch size = 3\. Expected batch size = 2"):
        cat.run([batch, [np.zeros(1, np.float32)] * 3])


def test_a_source_ends_and_starts_over(runner):
    def source(number):
        if number == 2:
            raise StopIteration
        return np.full((2, 1), number)

    feed = EagerOperator(Feed, {"source": source}, runner=runner, batch_size=2)
    for _ in range(2):
        assert [feed.run()[0].as_array()[0, 0] for _ in range(2)] == [0, 1]
        with pytest.raises(StopIteration):
            feed.run()
        feed.reset()


def test_an_error_names_operator_line_and_sample(runner):
    reader = EagerOperator(Numbers, {"bad": [1]}, runner=runner, batch_size=3)
    with pytest.raises(OSError, match="sample 1 is broken") as caught:
        reader.run()
    notes = " ".join(caught.value.__notes__)
    assert "test_eager.py" in notes
    assert "sample 1 of batch 0" in notes


def test_data_of_a_call_are_dropped(runner):
    cat = EagerOperator(OPERATORS["cat"], runner=runner)
    given = TensorListCPU(np.ones((2, 1)))
    (result,) = cat.run([given, given])
    references = [weakref.ref(each) for each in (given, result)]
    del given, result
    assert [reference() for reference in references] == [None, None]
