"""Videos for the GPU: the frames are those of the CPU operator."""

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import DecodeError

from ....videos import Sound, video_bytes

VIDEOS = [np.frombuffer(video_bytes(count=n), np.uint8) for n in (8, 5, 11)]


def decode(device, videos=VIDEOS, **options):
    with Pipeline(batch_size=len(videos), num_threads=2, **options) as pipe:
        encoded = fn.external_source(lambda: videos, batch=True)
        starts = fn.external_source(lambda: np.array([0, 2, 4]), batch=True)
        frames = fn.decoders.video(
            encoded, device=device, start_frame=starts, sequence_length=4, pad_mode="edge"
        )
        pipe.set_outputs(frames)
        (output,) = pipe.run()
        return [np.array(row) for row in output.as_cpu().rows()]


def test_frames_agree(device_stage):
    for one, other in zip(decode("cpu"), decode("mixed"), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_bad_video_is_replaced(device_stage):
    videos = [VIDEOS[0], VIDEOS[1][:99], VIDEOS[2]]
    rows = decode("mixed", videos, on_error="replace")
    assert [row.shape[0] for row in rows] == [4, 4, 4]


@pytest.mark.parametrize("name", ["video", "experimental"])
def test_readers_hand_out_clips_on_the_gpu(device_stage, name, tmp_path):
    path = tmp_path / "a.mp4"
    path.write_bytes(VIDEOS[0].tobytes())
    reader = fn.readers.video if name == "video" else fn.experimental.readers.video
    with Pipeline(batch_size=2, num_threads=2) as pipe:
        options = {"filenames": [str(path)], "labels": [3], "sequence_length": 4}
        on_gpu, label = reader(device="gpu", **options)
        on_cpu, _ = reader(device="cpu", **options)
        pipe.set_outputs(on_gpu, label, on_cpu)
        gpu, labels, cpu = pipe.run()
        np.testing.assert_array_equal(gpu.as_cpu().as_array(), cpu.as_array())
        assert labels.as_cpu().as_array().tolist() == [[3], [3]]


def test_a_fed_video_arrives_on_the_gpu(device_stage):
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(
            fn.experimental.inputs.video(name="video", sequence_length=3, device="mixed")
        )
        pipe.feed_input("video", [VIDEOS[0]])
        (clips,) = pipe.run()
        assert clips.as_cpu().as_array().shape == (2, 3, 96, 160, 3)


def test_sound_agrees(device_stage):
    films = [
        np.frombuffer(video_bytes("mjpeg.avi", count=9, sound=Sound("pcm_s16le", 8000)), np.uint8)
    ] * 2

    def rows(device):
        with Pipeline(batch_size=2, num_threads=2) as pipe:
            encoded = fn.external_source(lambda: films, batch=True)
            pipe.set_outputs(*fn.decoders.video(encoded, device=device, audio=True, start_frame=2))
            return [np.array(row) for out in pipe.run() for row in out.as_cpu().rows()]

    for one, other in zip(rows("cpu"), rows("mixed"), strict=True):
        np.testing.assert_array_equal(one, other)


def test_readers_hand_out_sound_on_the_gpu(device_stage, tmp_path):
    path = tmp_path / "a.avi"
    path.write_bytes(video_bytes("mjpeg.avi", count=9, sound=Sound("pcm_s16le", 8000)))
    with Pipeline(batch_size=2, num_threads=2) as pipe:
        options = {"filenames": [str(path)], "audio": True, "sequence_length": 4}
        _, *on_gpu = fn.experimental.readers.video(device="gpu", **options)
        _, *on_cpu = fn.experimental.readers.video(**options)
        pipe.set_outputs(*on_gpu, *on_cpu)
        *gpu, sound, rate = pipe.run()
    for one, other in zip(gpu, (sound, rate), strict=True):
        for a, b in zip(one.as_cpu().rows(), other.rows(), strict=True):
            np.testing.assert_array_equal(np.array(a), np.array(b))


def test_fed_videos_follow_one_another_on_the_gpu(device_stage):
    def clips(device):
        with Pipeline(batch_size=2, num_threads=1, prefetch_queue_depth=2) as pipe:
            options = {"sequence_length": 3, "last_sequence_policy": "pad"}
            pipe.set_outputs(fn.experimental.inputs.video(name="video", device=device, **options))
            for video in VIDEOS:
                pipe.feed_input("video", [video])
            batches = [pipe.run()[0] for _ in range(5)]
            return [np.array(row) for batch in batches for row in batch.as_cpu().rows()]

    for one, other in zip(clips("cpu"), clips("mixed"), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_fed_video_that_is_damaged_is_an_error_on_the_gpu(device_stage):
    data = np.frombuffer(video_bytes(count=20, bf="0", qp="1", preset="ultrafast"), np.uint8).copy()
    data[len(data) // 3 : len(data) // 2] ^= 0xA5
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(
            fn.experimental.inputs.video(name="video", sequence_length=11, device="mixed")
        )
        pipe.feed_input("video", [data])
        with pytest.raises(DecodeError, match=r"frame \d+, at 0\.\d+ s, is damaged or missing"):
            pipe.run()
