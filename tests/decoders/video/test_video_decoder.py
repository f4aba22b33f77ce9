import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError, DecodeError
from penstock.formats.video import pictures

from ...readers.tars import archive
from ...videos import Sound, numbers_of, tone, video_bytes


def array(data):
    return np.frombuffer(data, np.uint8)


@pytest.fixture(scope="module")
def videos():
    return [array(video_bytes(form, count=n)) for form, n in [("h264.mp4", 12), ("vp9.webm", 9)]]


def decode(videos, device="cpu", **arguments):
    with Pipeline(batch_size=len(videos), num_threads=2) as pipe:
        encoded = fn.external_source(lambda: videos, batch=True)
        given = {
            name: fn.external_source([value], cycle=True, batch=True)
            if isinstance(value, np.ndarray)
            else value
            for name, value in arguments.items()
        }
        frames = fn.decoders.video(encoded, device=device, **given)
        pipe.set_outputs(frames)
        (output,) = pipe.run()
        assert output.layout() == "FHWC"
        return [np.array(row) for row in output.as_cpu().rows()]


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        ({}, range(12), range(9)),
        ({"frames": [8, 0, 8]}, [8, 0, 8], [8, 0, 8]),
        ({"start_frame": 7}, range(7, 12), [7, 8]),
        ({"start_frame": 1, "end_frame": 6, "stride": 2}, [1, 3, 5], [1, 3, 5]),
        ({"start_frame": 7, "sequence_length": 3, "pad_mode": "edge"}, [7, 8, 9], [7, 8, 8]),
        ({"start_frame": 7, "sequence_length": 3, "pad_mode": "none"}, [7, 8, 9], [7, 8]),
        ({"start_frame": 7, "sequence_length": 3}, [7, 8, 9], [7, 8, 0]),
    ],
)
def test_the_frames_that_were_asked_for(videos, arguments, first, second):
    one, other = decode(videos, **arguments)
    assert numbers_of(one) == list(first)
    assert numbers_of(other) == list(second)


def test_arguments_may_vary_by_sample(videos):
    one, other = decode(
        videos,
        start_frame=np.array([2, 5]),
        sequence_length=np.array([3, 1]),
    )
    assert numbers_of(one) == [2, 3, 4]
    assert numbers_of(other) == [5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"frames": [1], "stride": 2}, "`frames` excludes stride"),
        ({"end_frame": 3, "sequence_length": 1}, "`end_frame` excludes `sequence_length`"),
        ({"pad_mode": "wrap"}, "'pad_mode' must be 'none', 'constant'"),
        ({"fill_value": [1, 2]}, "fill_value has 2 values"),
        ({"frames": [-1]}, "at least 0"),
        ({"stride": 0}, "at least 1"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_at_once(arguments, message):
    with Pipeline(batch_size=1, num_threads=1) as pipe, pytest.raises(ArgumentError, match=message):
        fn.decoders.video(fn.external_source(lambda: [array(b"x")], batch=True), **arguments)
    pipe.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"frames": [3, 12], "pad_mode": "none"}, "the video has 12 frames"),
        ({"start_frame": 12}, "start_frame is 12, but the video has 12 frames"),
        ({"start_frame": 4, "end_frame": 2}, "end_frame is 2, before start_frame, 4"),
    ],
)
def test_frames_that_the_video_lacks_are_refused(videos, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        decode(videos[:1], **arguments)


def test_bytes_that_are_no_video_are_refused():
    with pytest.raises(DecodeError, match="FFmpeg cannot open it"):
        decode([array(b"no video" * 99)])


@pytest.fixture(scope="module")
def films():
    sounds = [Sound("pcm_s16le", 8000), Sound("pcm_s16le", 8000, channels=1)]
    return [
        array(video_bytes("h264 4:2:2.mov", count=30, sound=sound, preset="ultrafast"))
        for sound in sounds
    ]


def with_sound(films, **arguments):
    with Pipeline(batch_size=len(films), num_threads=2) as pipe:
        encoded = fn.external_source(lambda: films, batch=True)
        pipe.set_outputs(*fn.decoders.video(encoded, audio=True, **arguments))
        return [[np.array(row) for row in output.rows()] for output in pipe.run()]


def test_sound_of_the_frames(films):
    frames, sounds, rates = with_sound(films, frames=[9, 3])
    assert numbers_of(frames[1]) == [9, 3]
    assert [sound.shape for sound in sounds] == [(1867, 2), (1867, 1)]  # of the frames 3 to 9
    for sound in sounds:
        np.testing.assert_allclose(sound[:, 0], tone((800 + np.arange(1867)) / 8000), atol=1e-4)
    assert [rate.item() for rate in rates] == [8000, 8000]


def test_sound_at_another_rate_and_without_frames_of_the_video(films):
    _, sounds, rates = with_sound(
        films, start_frame=28, sequence_length=9, audio_rate=4000, audio_downmix=True
    )
    assert [sound.shape for sound in sounds] == [(267,), (267,)]  # of the frames 28 and 29
    assert [rate.item() for rate in rates] == [4000, 4000]
    _, sounds, _ = with_sound(films, frames=[99])
    assert [sound.shape for sound in sounds] == [(0, 2), (0, 1)]


def test_a_video_without_sound_is_refused(videos):
    with pytest.raises(DecodeError, match="has no audio stream"):
        with_sound(videos)


def test_videos_of_an_archive_with_sound(films, tmp_path):
    path = tmp_path / "a.tar"
    path.write_bytes(archive({"1.mov": films[0].tobytes(), "1.txt": b"one"}))
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        encoded, text = fn.readers.webdataset(paths=str(path), ext=["mov", "txt"])
        frames, sound, rate = fn.decoders.video(
            encoded, sequence_length=3, stride=2, audio=True, audio_rate=16000
        )
        pipe.set_outputs(frames, sound, rate, text)
        frames, sound, rate, text = pipe.run()
    assert numbers_of(np.array(frames[0])) == [0, 2, 4]
    assert np.array(sound[0]).shape == (2668, 2)  # 1334 samples of 5 frames at 8000 Hz
    assert np.array(rate[0]) == 16000
    assert bytes(np.array(text[0])) == b"one"


def test_clips_have_a_limit_that_on_error_knows(videos, monkeypatch):
    monkeypatch.setattr(pictures, "MOST_PIXELS", 10 * 96 * 160)
    decode(videos)  # as large as the size of their files allows
    monkeypatch.setattr(pictures, "MOST_PIXELS_OF_A_BYTE", 1)
    with pytest.raises(DecodeError, match=r"12 frames of 96 x 160 pixels; .* is 153600 pixels, 10"):
        decode(videos)
    with Pipeline(batch_size=2, num_threads=1, on_error="replace") as pipe:
        pipe.set_outputs(fn.decoders.video(fn.external_source(lambda: videos, batch=True)))
        (frames,) = pipe.run()
        assert frames.valid.tolist() == [False, True]


@pytest.mark.parametrize("start", range(0, 60, 11))
def test_clips_at_any_start_of_a_program_stream(start):
    data = array(video_bytes("h264.mpg", count=60, group=15))
    (clip,) = decode([data], start_frame=start, sequence_length=5)
    assert numbers_of(clip) == [*range(start, start + 5)]
