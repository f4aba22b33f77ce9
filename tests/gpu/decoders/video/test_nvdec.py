"""NVIDIA's video decoder: frames are those that were asked for, and their memory stays theirs."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.decoders.video import decoder_pool
from penstock.decoders.video.decoder_pool import DecoderPool

from ....videos import numbers_of, video_bytes, video_file

pytestmark = pytest.mark.gpu

SIZE = 192, 256  # the decoder takes no smaller videos of some codecs
RNG = np.random.default_rng(8)
ON_GPU = {
    **dict.fromkeys(("h264.mp4", "h264 open groups.mkv", "h264.ts", "h264"), 2),
    **dict.fromkeys(("hevc.mp4", "hevc open groups.ts", "hevc", "hevc 4:4:4.mkv"), 2),
    **dict.fromkeys(("vp8.webm", "vp9.webm", "vp9.ivf"), 2),
    # The encoders' and decoders' cosine transforms round differently.
    **dict.fromkeys(("mpeg4.avi", "mpeg4.mp4", "mpeg2.mpg"), 8),
    "hevc 10 bit.mkv": 4,  # the CPU dithers
}
ON_CPU = ("h264 4:4:4.mp4", "h264 4:2:2.mov", "h264 4:2:2 10 bit.mkv", "ffv1.mkv", "prores.mov")
ON_EITHER = {"av1.mkv": 2, "av1 10 bit.mp4": 4, "mpeg2.m2v": 8, "mjpeg.avi": 2}


@pytest.fixture(autouse=True)
def gpu(cupy):
    return cupy


def clips(device, videos, numbers, **options):
    """Return clips of videos, and the statistics."""
    with Pipeline(batch_size=len(videos), num_threads=4, **options) as pipe:
        encoded = fn.external_source(lambda: [np.frombuffer(v, np.uint8) for v in videos])
        frames = fn.external_source(lambda: [np.asarray(n, np.int32) for n in numbers])
        pipe.set_outputs(fn.decoders.video(encoded, frames=frames, device=device))
        (output,) = pipe.run()
        return [np.array(row) for row in output.as_cpu().rows()], str(pipe.stats())


def check(form, largest, **options):
    """Compare random clips of a form with the CPU's; return the statistics.

    Frames differ by bars of light and dark, so frames that agree have the same number.
    """
    options = {"size": SIZE} | options
    videos = [video_bytes(form, first=first, **options) for first in (0, 64, 128)] * 3
    numbers = [np.arange(30)] * 3 + [RNG.integers(0, 30, 6) for _ in videos[3:]]
    wanted, _ = clips("cpu", videos, numbers)
    made, stats = clips("mixed", videos, numbers)
    for clip, other in zip(made, wanted, strict=True):
        assert np.abs(clip.astype(int) - other).max() <= largest
    return stats


@pytest.mark.parametrize("form", ON_GPU)
def test_the_gpu_decodes_the_frames_that_were_asked_for(form):
    assert "decoded by the CPU" not in check(form, ON_GPU[form])


@pytest.mark.parametrize("form", ON_CPU)
def test_the_cpu_decodes_what_the_gpu_cannot(form):
    largest = 4 if "10 bit" in form or "prores" in form else 0
    assert "clips decoded by the CPU" in check(form, largest)


@pytest.mark.parametrize("form", ON_EITHER)
def test_what_only_some_gpus_decode(form):
    check(form, ON_EITHER[form])


def test_videos_too_small_for_the_gpu():
    check("hevc.mp4", 0, size=(96, 128))


def test_groups_of_one_frame_and_of_all_frames():
    for group in (1, 300):
        check("h264.mp4", 2, group=group)


def test_turned_videos_of_other_matrices():
    for rotation in (90, 180, -90):
        check("h264.mp4", 2, rotation=rotation, colorspace="bt709", color_range="pc")


def test_times_that_vary():
    times = np.cumsum(RNG.integers(20, 400, size=30)).tolist()
    check("h264.mp4", 2, times=times, start=9000)


def reader_batches(paths, device, batches, **options):
    with Pipeline(batch_size=6, num_threads=4, seed=1) as pipe:
        out = fn.readers.video(
            device=device, filenames=paths, sequence_length=5, step=3, name="clips", **options
        )
        pipe.set_outputs(out)
        kept = [pipe.run()[0] for _ in range(batches)]
        return [np.array(batch.as_cpu().as_array()) for batch in kept]


@pytest.mark.parametrize("shuffles", [False, True])
def test_batches_stay_what_they_were(shuffles, tmp_path):
    paths = [
        video_file(tmp_path / f"{i}.mp4", size=SIZE, first=100 * i, count=60, group=20)
        for i in range(3)
    ]
    wanted = reader_batches(paths, "cpu", 25, random_shuffle=shuffles)
    for one, other in zip(
        reader_batches(paths, "gpu", 25, random_shuffle=shuffles), wanted, strict=True
    ):
        assert np.abs(one.astype(int) - other).max() <= 2


def test_decoders_go_from_file_to_file(tmp_path, monkeypatch):
    made = []
    make = DecoderPool._make

    def note(pool, config):
        made.append(config)
        return make(pool, config)

    monkeypatch.setattr(DecoderPool, "_make", note)
    paths = [video_file(tmp_path / f"{i}.mp4", size=SIZE, first=i, count=9) for i in range(60)]
    (wanted,), (found,) = (
        [np.concatenate(reader_batches(paths, device, 20))] for device in ("cpu", "gpu")
    )
    assert [*map(numbers_of, found)] == [*map(numbers_of, wanted)]
    assert 1 <= len(made) <= decoder_pool.MAX_DECODERS


def test_fed_videos_in_sequences():
    with Pipeline(batch_size=2, num_threads=2) as pipe:
        pipe.set_outputs(
            fn.experimental.inputs.video(name="video", sequence_length=4, device="mixed")
        )
        for first in (0, 100):
            data = np.frombuffer(video_bytes(size=SIZE, first=first, count=24), np.uint8)
            pipe.feed_input("video", [data])
        batches = [pipe.run()[0].as_cpu().as_array() for _ in range(6)]
        assert "decoded by the CPU" not in str(pipe.stats())
    frames = np.concatenate(batches).reshape(-1, *SIZE, 3)
    assert numbers_of(frames) == [*range(24), *range(100, 124)]


def test_damage_gives_frames_or_an_error():
    whole = np.frombuffer(video_bytes(size=SIZE, qp="10"), np.uint8)
    videos = []
    for _ in range(12):
        data = whole.copy()
        data[RNG.integers(2000, data.size - 2000, 20)] ^= 0xA5
        videos.append(data.tobytes())
    videos[0] = whole.tobytes()
    made, _ = clips("mixed", videos, [[0, 29]] * 12, on_error="replace")
    assert {clip.shape for clip in made} == {(2, *SIZE, 3)}
    assert numbers_of(made[0]) == [0, 29]


def test_a_video_without_the_table_at_its_end_is_replaced():
    whole = video_bytes(size=SIZE)
    made, _ = clips("mixed", [whole, whole[:2000]], [[3], [3]], on_error="replace")
    assert [numbers_of(clip) for clip in made] == [[3], [3]]
