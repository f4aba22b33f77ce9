"""Threads begin to decode a batch's files for the CPU while the batch waits for a lane."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.decoders.image.mixed import MixedDecoding
from penstock.decoders.image.plain_jpeg import PlainJpeg
from penstock.engine.errors import DecodeError
from penstock.engine.run import device_stage as stage_module
from penstock.engine.threads import TeamCall

pytest.importorskip("nvidia.nvimgcodec")

FIRST = 12
"""Number of a batch that is queued after others are done, so that the decoder has its threads."""


@pytest.fixture
def begun(monkeypatch):
    """Note for each batch in which thread it was begun, and its rows with errors."""
    outcomes: list[tuple[str, list[int]]] = []

    def note(self: MixedDecoding, *arguments: Any, original: Any = MixedDecoding._begin) -> Any:
        result = original(self, *arguments)
        outcomes.append((threading.current_thread().name, sorted(result.errors)))
        return result

    monkeypatch.setattr(MixedDecoding, "_begin", note)
    return outcomes


@pytest.fixture
def in_threads(begun, monkeypatch):
    """Have all batches but the first begun by the decoder's threads, never by the lane."""

    def result(call: TeamCall[Any], original: Any = TeamCall.result) -> Any:
        while call._work:
            time.sleep(0.001)
        return original(call)

    monkeypatch.setattr(TeamCall, "result", result)
    return begun


@pytest.fixture
def files(image_zoo):
    """Files for the GPU and for the CPU."""
    paths = [image.path for image in image_zoo.values()]
    jpeg = [path for path in paths if path.suffix == ".jpg"][:6]
    other = [path for path in paths if path.suffix == ".png"][:3]
    return [np.frombuffer(path.read_bytes(), np.uint8) for path in jpeg + other]


def pipeline(batches: Any, operator: str = "image", on_error: str = "raise", **options: Any) -> Any:
    size = len(batches(0))
    pipe = Pipeline(batch_size=size, num_threads=2, seed=3, device_id=0, on_error=on_error)
    numbers = iter(range(1000))
    with pipe:
        encoded = fn.external_source(source=lambda: batches(next(numbers)))
        decode = getattr(fn.decoders, operator)
        pipe.set_outputs(decode(encoded, device="mixed", hw_decoder_load=0.0, **options))
    pipe.build()
    return pipe


def test_results_are_those_of_the_lane(device_stage, files, begun, monkeypatch):
    def run() -> list[Any]:
        pipe = pipeline(lambda number: files, "image_random_crop")
        return [pipe.run()[0].as_cpu().rows() for _ in range(FIRST + 4)]

    early = run()
    assert any("decoder" in thread for thread, _ in begun)
    begun.clear()
    monkeypatch.setattr(stage_module, "begin_batch_step", lambda step, batch: None)
    late = run()
    assert all("device" in thread for thread, _ in begun)
    for batch, wanted in zip(early, late, strict=True):
        for row, expected in zip(batch, wanted, strict=True):
            np.testing.assert_array_equal(row, expected)


def test_a_damaged_file_is_reported_by_the_lane(device_stage, files, in_threads):
    damaged = [*files[:-1], np.frombuffer(b"no image at all", np.uint8)]
    pipe = pipeline(lambda number: damaged if number == FIRST else files)
    for _ in range(FIRST):
        pipe.run()
    with pytest.raises(DecodeError, match="unknown format") as caught:
        pipe.run()
    assert any("GPU stage" in note for note in caught.value.__notes__)
    assert any(f"sample {len(files) - 1}" in note for note in caught.value.__notes__)
    assert [rows for thread, rows in in_threads if "decoder" in thread and rows] == [
        [len(files) - 1]
    ]


def test_damaged_pixels_are_reported_with_their_sample(device_stage, files, begun):
    png = files[-1]
    damaged = [*files[:-1], np.concatenate([png[: len(png) // 2], png[-12:]])]
    pipe = pipeline(lambda number: damaged if number >= FIRST else files, on_error="skip")
    batches = [pipe.run()[0] for _ in range(FIRST + 2)]
    assert batches[0].valid is None or batches[0].valid.all()
    for batch in batches[FIRST:]:
        assert batch.valid.tolist() == [True] * (len(files) - 1) + [False]
    assert any("decoder" in thread for thread, _ in begun)


def test_a_window_outside_of_the_image(device_stage, files, in_threads):
    width = 10

    def crop() -> Any:
        return [np.array([10.0, float(width)], np.float32)] * len(files)

    with Pipeline(batch_size=len(files), num_threads=2, device_id=0) as pipe:
        encoded = fn.external_source(source=lambda: files)
        size = fn.external_source(source=crop)
        pipe.set_outputs(fn.decoders.image_crop(encoded, crop=size, device="mixed"))
    for _ in range(FIRST):
        assert pipe.run()[0].as_cpu().rows()[0].shape == (10, 10, 3)
    width = 5000
    with pytest.raises(ValueError, match="reaches out") as caught:
        [pipe.run() for _ in range(FIRST)]
    assert any("GPU stage" in note for note in caught.value.__notes__)
    assert any("decoder" in thread and len(rows) == len(files) for thread, rows in in_threads)


def test_threads_begin_while_all_lanes_are_at_work(device_stage, files, begun, monkeypatch):
    from_threads: list[bool] = []

    def decode(self: PlainJpeg, *arguments: Any, original: Any = PlainJpeg.decode) -> Any:
        if len(begun) >= FIRST:
            deadline = time.monotonic() + 30
            while not from_threads and time.monotonic() < deadline:
                from_threads.extend([True for name, _ in begun[FIRST:] if "decoder" in name])
                time.sleep(0.01)
        return original(self, *arguments)

    monkeypatch.setattr(PlainJpeg, "decode", decode)
    pipe = pipeline(lambda number: files)
    for _ in range(3 * FIRST):
        pipe.run()
    assert from_threads
