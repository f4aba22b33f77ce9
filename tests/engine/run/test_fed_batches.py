"""Batches that are fed by one thread and taken by another, each with an end of its own."""

from __future__ import annotations

import threading

import cv2
import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, PipelineStopped
from penstock.engine.run.fed_batches import FedBatches


@pytest.fixture
def opened():
    """Opens the batches of a pipeline; they are closed after the test."""
    kept = []

    def make(define, **options):
        kept.append(FedBatches(pipeline_def(define, batch_size=4, num_threads=2, **options)()))
        return kept[-1]

    yield make
    for each in kept:
        each.close()


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
            batches.feed({"numbers": np.full(1 + i % 4, i, np.float32)})

    feeder = threading.Thread(target=feed)
    feeder.start()
    for i in range(50):
        batch = batches.take()
        assert batch.failure is None
        assert batch.outputs[0].as_array().tolist() == [2 * i] * (1 + i % 4)
    feeder.join()


@pytest.mark.parametrize("on_error", ["raise", "skip", "replace"])
def test_rows_and_batches_fail_alone(opened, on_error):
    batches = opened(images, on_error=on_error)
    good = cv2.imencode(".png", np.zeros((4, 6, 3), np.uint8))[1]
    bad = np.frombuffer(b"no image", np.uint8)
    for rows in ([good, bad, good], [bad], [bad, bad], [good]):
        batches.feed({"encoded": rows})
    first, second, third, last = (batches.take() for _ in range(4))
    assert list(first.failures) == [1]
    assert first.failures[1].kind == "DecodeError"
    assert "unknown format" in first.failures[1].text
    assert any("decoders.image" in note for note in first.failures[1].notes)
    assert first.outputs[0].shape() == [(4, 6, 3)] * 3
    assert first.failure is None
    for batch, count in ((second, 1), (third, 2)):
        assert sorted(batch.failures) == list(range(count))
        assert batch.failure.kind == "DecodeError"
        assert batch.outputs == ()
    assert (dict(last.failures), last.failure) == ({}, None)


def test_an_error_of_a_whole_batch_has_no_rows(opened):
    batches = opened(by_function)
    batches.feed({"numbers": np.float32([1, -1])})
    batches.feed({"numbers": np.float32([2])})
    failed = batches.take()
    assert (failed.failure.kind, failed.failure.text) == ("ValueError", "below 0")
    assert (dict(failed.failures), failed.is_of_machine) == ({}, False)
    assert batches.take().outputs[0].as_array().tolist() == [2]


def test_what_an_input_takes(opened):
    def several():
        pixels = fn.external_source(name="pixels", dtype=types.UINT8, layout="HWC")
        return pixels, fn.external_source(name="free")

    data = opened(several).data
    assert tuple(data["pixels"]) == (np.uint8, None, "HWC")
    assert tuple(data["free"]) == (None, None, None)


def test_close_wakes_who_takes(opened):
    batches = opened(images)
    closer = threading.Timer(0.05, batches.close)
    closer.start()
    with pytest.raises(PipelineStopped):
        batches.take()
    closer.join()


def test_other_inputs_are_refused(opened):
    with pytest.raises(ArgumentError, match="has data of its own"):
        opened(lambda: (images(), fn.readers.file(files=[__file__])[0]))
    with pytest.raises(ArgumentError, match="leave out debug"):
        opened(images, debug=True)
