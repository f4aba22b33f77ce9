"""Training on photographs out of records that processes read."""

import gc
import time

import cv2
import numpy as np
import pytest
import simplejpeg

from penstock import fn, pipeline_def, tfrecord
from penstock.engine.control.groups import GroupLimits, GroupSize
from penstock.engine.processes import helper_processes
from penstock.engine.run.grouping import Grouping
from penstock.readers import record_reader
from penstock.readers.reading import processes as reading_processes
from penstock.testing.emulator import EmulatedGpuDevice
from penstock.tests.readers import tfrecord_files as tf

COUNT, BATCH = 200, 8


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A TFRecord file of images, one of which the GPU does not decode, with long comments."""
    path = tmp_path_factory.mktemp("records") / "a.tfrecord"
    ramp = np.add.outer(np.arange(48), 2 * np.arange(64)).astype(np.uint8)
    pixels = np.stack([ramp, ramp.T.reshape(48, 64), 255 - ramp], axis=-1)
    plain = [
        simplejpeg.encode_jpeg(pixels, colorsubsampling=sampling)
        for sampling in ("420", "444", "420")
    ]
    progressive = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1].tobytes()
    contents = [*plain, progressive]
    comment = b"\xff\xfe" + (6002).to_bytes(2, "big") + bytes(6000)
    contents = [content[:2] + comment + content[2:] for content in contents]
    examples = (
        tf.example({"image": contents[i % len(contents)], "label": i}) for i in range(COUNT)
    )
    tf.write_records(path, examples)
    return path


@pytest.mark.parametrize("samples", [BATCH, 4 * BATCH])
def test_processes_read_them(device_stage, path, tuned, monkeypatch, samples):
    tuned(record_reader, MIN_CORES=1)
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)
    size = GroupSize(samples, 0.0, 1e9)
    monkeypatch.setattr(Grouping, "limits", GroupLimits(usual=size, large=size, calm=0.0))
    monkeypatch.setattr(reading_processes, "processes_of_cores", lambda: 2)

    def make(**options):
        @pipeline_def(batch_size=BATCH, num_threads=2, seed=1)
        def define():
            features = {
                "image": tfrecord.FixedLenFeature([], tfrecord.string, ""),
                "label": tfrecord.FixedLenFeature([], tfrecord.int64, -1),
            }
            record = fn.readers.tfrecord(
                path=str(path), features=features, random_shuffle=True, **options
            )
            images = fn.decoders.image(record["image"], device="mixed")
            return fn.resize(images, size=[16, 16]), record["label"].gpu()

        return define()

    def run(pipe):
        images, labels = (output.as_cpu().as_array() for output in pipe.run())
        return images.astype(int), labels.tolist()

    with make() as pipe, make(prefetch_queue_depth=0) as alone:
        batches = 0
        while "2 processes of its own read" not in str(pipe.stats()) or batches < 12:
            batches += 1
            assert batches < 10_000
            time.sleep(0.05)  # leave the processes a core to start on
            found, expected = run(pipe), run(alone)
            assert found[1] == expected[1]
            assert abs(found[0] - expected[0]).mean() < 1  # several decoders share the files
        assert ("are computed together" in str(pipe.stats())) == (samples > BATCH)
    assert np.unique(found[1]).size == BATCH


def test_no_memory_stays_pinned(device_stage, path, tuned):
    tuned(record_reader, MIN_CORES=1)
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)

    @pipeline_def(batch_size=BATCH, num_threads=1)
    def define():
        features = {"image": tfrecord.FixedLenFeature([], tfrecord.string, "")}
        return fn.readers.tfrecord(path=str(path), features=features)["image"].gpu()

    before = set(EmulatedGpuDevice.pinned_blocks)
    pipe = define()
    while "of its own read" not in str(pipe.stats()):
        pipe.run()
        time.sleep(0.02)
    for _ in range(20):
        pipe.run()
    pipe.close()
    del pipe
    gc.collect()
    assert set(EmulatedGpuDevice.pinned_blocks) <= before
