"""Batches that are fed by one thread and taken by another, each with an end of its own."""

from __future__ import annotations

import threading
from functools import partial

import cv2
import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, PipelineStopped
from penstock.engine.order.selection import Selection
from penstock.engine.pipeline.fed_batches import FedBatches


@pytest.fixture
def opened():
    """Opens the batches of a pipeline; they are closed after the test."""
    kept = []

    def make(define, *, rows_fail_alone=False, **options):
        pipeline = pipeline_def(define, **({"batch_size": 4, "num_threads": 2} | options))()
        kept.append(FedBatches(pipeline, rows_fail_alone=rows_fail_alone))
        return kept[-1]

    yield make
    for each in kept:
        each.close()


@pytest.fixture
def rows(opened):
    """Opens batches whose rows fail alone."""
    return partial(opened, rows_fail_alone=True)


def images():
    return fn.decoders.image(fn.external_source(name="encoded"))


def checked(numbers):
    if any(number < 0 for number in numbers):
        raise ValueError("below 0")
    return numbers


def by_function():
    numbers = fn.external_source(name="numbers", dtype=types.FLOAT, ndim=0)
    return fn.python_function(numbers, function=checked, batch_processing=True)


def test_batches_come_in_order_while_more_are_fed(opened):
    batches = opened(lambda: fn.external_source(name="numbers", dtype=types.FLOAT, ndim=0) * 2)

    def feed():
        for i in range(50):
            batches.feed({"numbers": np.full(1 + i % 4, i, np.float32)}, owned=True)

    feeder = threading.Thread(target=feed)
    feeder.start()
    for i in range(50):
        batch = batches.take()
        assert batch.error is None
        assert batch.outputs[0].as_array().tolist() == [2 * i] * (1 + i % 4)
    feeder.join()


@pytest.mark.parametrize("on_error", ["raise", "skip", "replace"])
def test_rows_and_batches_fail_alone(rows, on_error):
    batches = rows(images, on_error=on_error)
    good = cv2.imencode(".png", np.zeros((4, 6, 3), np.uint8))[1]
    bad = np.frombuffer(b"no image", np.uint8)
    for samples in ([good, bad, good], [bad], [bad, bad], [good]):
        batches.feed({"encoded": samples}, owned=True)
    first, second, third, last = (batches.take() for _ in range(4))
    assert list(first.failures) == [1]
    assert first.failures[1].kind == "DecodeError"
    assert "unknown format" in first.failures[1].text
    assert any("decoders.image" in note for note in first.failures[1].notes)
    assert first.outputs[0].shape() == [(4, 6, 3)] * 3
    assert first.error is None
    for batch, count in ((second, 1), (third, 2)):
        assert sorted(batch.failures) == list(range(count))
        assert type(batch.error).__name__ == "DecodeError"
        assert batch.outputs == ()
    assert (dict(last.failures), last.error) == ({}, None)


def test_rows_do_not_fail_alone_unless_they_should(opened):
    batches = opened(images)
    good = cv2.imencode(".png", np.zeros((4, 6, 3), np.uint8))[1]
    for samples in ([good, np.frombuffer(b"no image", np.uint8)], [good]):
        batches.feed({"encoded": samples}, owned=True)
    failed, last = batches.take(), batches.take()
    assert (type(failed.error).__name__, failed.outputs) == ("DecodeError", ())
    assert last.outputs[0].shape() == [(4, 6, 3)]


@pytest.mark.parametrize("rows_fail_alone", [False, True])
def test_an_error_of_a_whole_batch_has_no_rows(opened, rows_fail_alone):
    batches = opened(by_function, rows_fail_alone=rows_fail_alone)
    batches.feed({"numbers": np.float32([1, -1])}, owned=True)
    batches.feed({"numbers": np.float32([2])}, owned=True)
    failed = batches.take()
    assert (type(failed.error), str(failed.error)) == (ValueError, "below 0")
    assert dict(failed.failures) == {}
    assert batches.take().outputs[0].as_array().tolist() == [2]


def test_what_an_input_takes(opened):
    def several():
        pixels = fn.external_source(name="pixels", dtype=types.UINT8, layout="HWC")
        own = fn.external_source(lambda i: np.zeros((4, 1)), name="own", batch=True)
        encoded, _ = fn.readers.file(files=[__file__], name="files")
        return pixels, fn.external_source(name="free"), own, encoded

    data = {node.name: sample for node, sample in opened(several).inputs().items()}
    assert tuple(data["pixels"]) == (np.uint8, None, "HWC")
    assert tuple(data["free"]) == (None, None, None)
    assert data["own"] is data["files"] is None


def numbers(*values):
    return {"numbers": np.array(values, np.float32)}


def noisy():
    """Samples that come with a random number each."""
    return fn.external_source(name="numbers"), fn.random.uniform(range=[0, 1])


def test_known_samples_key_the_random_numbers(opened):
    batches, others = opened(noisy, seed=3), opened(noisy, seed=3)

    def noise(batches, *positions):
        index = np.array(positions)
        samples = Selection(index, np.full(len(index), 7), index, np.ones(len(index), bool))
        batches.feed(numbers(*positions), samples, owned=True)
        return batches.take().outputs[1].as_array().tolist()

    first, second = noise(batches, 5, 9)
    assert noise(batches, 9, 1)[0] == second
    assert noise(others, 5) == [first]


@pytest.mark.parametrize(
    ("no_copy", "owned", "seen"), [(False, False, 1), (False, True, 2), (True, False, 2)]
)
def test_data_that_others_use_are_copied_unless_the_source_says_no(opened, no_copy, owned, seen):
    batches = opened(lambda: fn.external_source(name="numbers", no_copy=no_copy), batch_size=1)
    memory = np.ones(32)
    data = memory[-memory.ctypes.data % 64 // 8 :][:8].reshape(1, 8)  # aligned as outputs are
    batches.feed({"numbers": data}, owned=owned)
    (output,) = batches.take().outputs
    data[:] = 2
    assert output.as_array().tolist() == [[seen] * 8]


def test_the_pipeline_starts_with_its_first_batch(opened):
    batches = opened(noisy)
    assert (batches.ahead, batches.feeder) == (2, None)
    batches.feed(numbers(1), owned=True)
    assert batches.feeder.is_alive()


def test_batches_can_be_discarded_also_if_some_sources_are_fed(opened):
    def two():
        return fn.external_source(name="numbers"), fn.external_source(name="more")

    batches = opened(two, batch_size=1)
    batches.feed(numbers(1) | {"more": np.ones(1)}, owned=True)
    with pytest.raises(ArgumentError, match="no external source named 'others'"):
        batches.feed(numbers(2) | {"others": np.ones(1)}, owned=True)
    batches.discard()
    batches.feed(numbers(3) | {"more": np.full(1, 4)}, owned=True)
    outputs = batches.take().outputs
    assert [output.as_array().tolist() for output in outputs] == [[3], [4]]


def test_close_wakes_who_takes(opened):
    batches = opened(images)
    closer = threading.Timer(0.05, batches.close)
    closer.start()
    with pytest.raises(PipelineStopped):
        batches.take()
    closer.join()


def test_a_function_of_the_pipeline_may_not_feed_it(opened):
    def more(x):
        batches.feed(numbers(1), owned=True)
        return x

    batches = opened(lambda: fn.python_function(fn.external_source(name="numbers"), function=more))
    batches.feed(numbers(1), owned=True)
    assert "the pipeline's own batches" in str(batches.take().error)


def test_pipelines_that_cannot_be_fed_are_refused(opened):
    with pytest.raises(ArgumentError, match="leave out debug"):
        opened(images, debug=True)
    pipeline = pipeline_def(images, batch_size=4, num_threads=2)()
    pipeline.build()
    with pytest.raises(ArgumentError, match="is built already"):
        FedBatches(pipeline, rows_fail_alone=True)
