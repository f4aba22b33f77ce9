"""What the GPU's decoders leave to the CPU: memory, errors and counts are those of the batch."""

from __future__ import annotations

import io
import threading

import numpy as np
import pytest
from PIL import Image

from penstock import Pipeline, fn
from penstock.decoders.on_cpu import CpuFallback
from penstock.engine.run.budget import Budget
from penstock.testing.agreement import source

from ...sounds import file_of, speech_like
from ...videos import video_bytes

ROWS = 3


def png() -> np.ndarray:
    file = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").save(file, "PNG")
    return np.frombuffer(file.getvalue(), np.uint8)


def ogg() -> np.ndarray:
    return file_of(speech_like(1.0, 16000), 16000, "OGG")


def video() -> np.ndarray:
    return np.frombuffer(video_bytes(count=8), np.uint8)


FILES = {"image": png, "audio": ogg, "video": video}


@pytest.mark.parametrize("medium", FILES)
def test_the_budget_learns_of_what_the_cpu_decodes(device_stage, medium, monkeypatch):
    if medium == "video" and device_stage:
        pytest.skip("a real GPU decodes this video")
    learned: list[int] = []

    def learn(budget, batch, original=Budget.learn):
        if budget.bytes_of(batch) == batch.memory.taken_bytes:
            learned.append(batch.memory.taken_bytes // batch.count)
        original(budget, batch)

    monkeypatch.setattr(Budget, "learn", learn)
    files = [FILES[medium]()] * ROWS
    with Pipeline(batch_size=ROWS, num_threads=2, device_id=0) as pipe:
        decoded = getattr(fn.decoders, medium)(source(files), device="mixed")
        pipe.set_outputs(decoded[0] if isinstance(decoded, list) else decoded)
        for _ in range(4):
            (batch,) = pipe.run()
        # Frames lie in FFmpeg's memory, with half the numbers: chroma is halved twice.
        shares = {"video": 0.5}
        decoded_bytes = sum(row.nbytes for row in batch.as_cpu().rows()) * shares.get(medium, 1.0)
        kinds = {"video": "clips"}
        assert f"{kinds.get(medium, 'files')} decoded by the CPU" in str(pipe.stats())
    assert learned
    assert min(learned) >= decoded_bytes


def test_rows_that_fail_are_errors_of_the_batch(gpu_batch):
    def decode(row):
        if row % 2:
            raise ValueError(f"row {row}")
        return row, threading.current_thread().name

    batch, _ = gpu_batch(list(np.zeros((6, 1))))
    fallback = CpuFallback("rows decoded by the CPU")
    fallback.open(batch.device)
    fallback.open(batch.device)
    waited = batch.device.times.wait_ns["threads"]
    found = dict(fallback.finish(batch, fallback.start([0, 1, 2, 5], decode)))
    assert {row: value[0] for row, value in found.items()} == {0: 0, 2: 2}
    assert {row: str(error) for row, error in batch.errors.items()} == {1: "row 1", 5: "row 5"}
    assert batch.device.times.wait_ns["threads"] > waited
    assert fallback.event_counts() == {}
    fallback.count(0)
    fallback.count(4)
    assert fallback.event_counts() == {"rows decoded by the CPU": 4}
    fallback.close()
    fallback.close()
