import threading

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError, DecodeError, PipelineStopped

from ...videos import numbers_of, video_bytes


def array(data):
    return np.frombuffer(data, np.uint8)


@pytest.fixture
def pipe(request):
    options = getattr(request, "param", {})
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        video = fn.experimental.inputs.video(name="video", sequence_length=5, **options)
        pipe.set_outputs(video, fn.shapes(video))
        yield pipe


def numbers(pipe):
    clips, _ = pipe.run()
    assert clips.layout() == "FHWC"
    return [numbers_of(clip) for clip in clips.rows()]


def test_a_video_in_batches_of_sequences(pipe):
    pipe.feed_input("video", [array(video_bytes(count=32))])
    assert numbers(pipe) == [[*range(start, start + 5)] for start in (0, 5, 10)]
    assert numbers(pipe) == [[*range(15, 20)], [*range(20, 25)], [*range(25, 30)]]
    assert numbers(pipe) == [[30, 31]]


def test_the_next_video_follows(pipe):
    pipe.feed_input("video", array(video_bytes(count=4)))
    pipe.feed_input("video", array(video_bytes("vp9.webm", count=6)))
    assert numbers(pipe) == [[0, 1, 2, 3]]
    assert numbers(pipe) == [[0, 1, 2, 3, 4], [5]]
    with pytest.raises(PipelineStopped, match="feed_input"):
        pipe.run()


@pytest.mark.parametrize("pipe", [{"last_sequence_policy": "pad"}], indirect=True)
def test_black_frames_fill_the_last_sequence(pipe):
    pipe.feed_input("video", [array(video_bytes(count=7))])
    (first, last) = numbers(pipe)
    assert first == [0, 1, 2, 3, 4]
    assert last == [5, 6, 0, 0, 0]


@pytest.mark.parametrize("pipe", [{"blocking": True}], indirect=True)
def test_a_run_waits_for_a_video(pipe):
    data = array(video_bytes(count=3))
    threading.Timer(0.1, pipe.feed_input, ("video", [data])).start()
    assert numbers(pipe) == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (array(b"no video" * 99), DecodeError, "FFmpeg cannot open it"),
        (np.zeros((2, 9), np.uint8), ArgumentError, r"one dimension.*shape \(2, 9\)"),
        (np.zeros(9), ArgumentError, "got float64"),
    ],
)
def test_other_data_are_refused(pipe, data, error, message):
    with pytest.raises(error, match=message):
        pipe.feed_input("video", data)


@pytest.mark.parametrize("pipe", [{"no_copy": False}, {"no_copy": True}], indirect=True)
def test_bytes_that_lie_apart_are_put_together(pipe):
    apart = np.repeat(array(video_bytes(count=4)), 2)[::2]
    pipe.feed_input("video", apart)
    assert numbers(pipe) == [[0, 1, 2, 3]]


def test_a_policy_that_there_is_not():
    with (
        Pipeline(batch_size=1, num_threads=1),
        pytest.raises(ArgumentError, match="'partial' or 'pad'"),
    ):
        fn.experimental.inputs.video(sequence_length=2, last_sequence_policy="drop")


@pytest.mark.parametrize("pipe", [{}, {"no_copy": True}], indirect=True)
def test_a_batch_of_one_video_as_programs_for_dali_make_it(pipe):
    data = array(video_bytes(count=4))
    for batch in (np.array([[data]]), np.array([data]), [[data]]):
        pipe.feed_input("video", batch)
        assert numbers(pipe) == [[0, 1, 2, 3]]
    with pytest.raises(ArgumentError, match=r"a batch has one video; got uint8 of shape \(1, 2, "):
        pipe.feed_input("video", np.array([[data, data]]))
