"""Clips of several threads share what is decoded."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

import numpy as np
import pytest

from penstock.decoders.video import frames
from penstock.decoders.video.pictures import ClipDecoder
from penstock.decoders.video.shared_videos import SharedVideos
from penstock.engine.errors import DecodeError, PipelineStopped
from penstock.engine.graph.context import HeapWorkspace
from penstock.formats.video.library import decoded

from ...videos import damaged, numbers_of, video_bytes, video_file


@pytest.fixture
def passed(monkeypatch):
    """Times of the frames that were decoded."""
    passed = []

    def spy(packet):
        found = decoded(packet)
        passed.extend(frame.pts for frame in found or ())
        return found

    monkeypatch.setattr(frames, "decoded", spy)
    return passed


@pytest.fixture
def path(tmp_path):
    return video_file(tmp_path / "a.mp4", count=60, group=20)


def nothing():
    pass


def clips_of(videos, path, clips):
    """Read clips in a thread each, once all threads know what they want."""

    path = str(path)

    def read(lent, numbers):
        return numbers_of(ClipDecoder().decode(lent, np.array(numbers), HeapWorkspace()))

    with ExitStack() as stack, ThreadPoolExecutor(len(clips)) as pool:
        lent = [stack.enter_context(videos.lend(path, clip, nothing)) for clip in clips]
        return list(pool.map(read, lent, clips))


@pytest.mark.parametrize(
    "clips",
    [
        [range(start, start + 6) for start in range(0, 60, 6)],  # one behind the other
        [range(start, start + 9) for start in range(0, 50, 3)],  # that overlap
        [range(start, start + 19, 2) for start in range(1, 40, 7)],  # every second frame
        [[3, 25, 59], [0, 1, 17, 44], [59], [20, 21, 40]],
        [range(60)] * 3,
    ],
)
def test_clips_that_are_read_at_once_decode_no_frame_twice(path, passed, clips):
    videos = SharedVideos()
    clips = [list(clip) for clip in clips]
    for _ in range(3):
        assert clips_of(videos, path, clips) == clips
        assert len(passed) == len(set(passed)) <= 60
        passed.clear()
        videos.close()


def test_clips_one_after_the_other_go_on_where_the_last_one_ended(path, passed):
    videos = SharedVideos()
    for start in range(0, 60, 5):
        assert clips_of(videos, path, [[*range(start, start + 5)]])
    assert len(passed) == len(set(passed)) == 60
    videos.close()


@pytest.mark.parametrize(
    ("step", "length", "stride"), [(3, 9, 1), (1, 5, 1), (4, 5, 2), (1, 6, 2), (2, 4, 3), (9, 4, 2)]
)
def test_frames_stay_for_the_next_clip_if_clips_overlap(path, passed, step, length, stride):
    videos = SharedVideos(step=step)
    reach = (length - 1) * stride
    for start in range(0, 60 - reach, step):
        clip = [*range(start, start + reach + 1, stride)]
        assert clips_of(videos, path, [clip]) == [clip]
        (video,) = videos._videos.values()
        assert set(video.kept) <= set(range(start + step, start + reach + 1))
    assert len(passed) == len(set(passed))
    videos.close()


def test_no_frames_stay_if_too_many_would(path, tuned):
    from penstock.decoders.video import shared_videos

    tuned(shared_videos, MAX_EXPECTED_FRAMES=5)
    videos = SharedVideos(step=1)
    for length, kept in ((6, 5), (7, 0)):
        clips_of(videos, path, [[*range(length)]])
        (video,) = videos._videos.values()
        assert len(video.kept) == kept
    videos.close()


def test_frames_of_another_video_are_dropped(path, tmp_path):
    videos = SharedVideos(step=1)
    clips_of(videos, path, [[*range(9)]])
    other = video_file(tmp_path / "b.mp4", count=4)
    clips_of(videos, other, [[*range(4)]])
    (video,) = videos._videos.values()
    assert len(video.index) == 4
    videos.close()


def test_a_file_that_was_replaced_shares_nothing(path, tmp_path):
    videos = SharedVideos(step=1)
    assert clips_of(videos, path, [[0, 1, 2]]) == [[0, 1, 2]]
    video_file(path, count=30, first=100)
    assert clips_of(videos, path, [[1, 2]]) == [[101, 102]]
    videos.close()


def test_a_thread_that_waits_ends_with_the_pipeline(path, monkeypatch, tuned):
    from penstock.decoders.video import shared_videos

    tuned(shared_videos, WAIT_SECONDS=0.01)
    videos, goes_on, started = SharedVideos(), threading.Event(), threading.Event()

    def slow(packet):
        started.set()
        assert goes_on.wait(60)
        return decoded(packet)

    def stopped():
        raise PipelineStopped("closed")

    monkeypatch.setattr(frames, "decoded", slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(clips_of, videos, path, [[2]])
        assert started.wait(60)
        with videos.lend(path, [3], stopped) as lent, pytest.raises(PipelineStopped):
            list(lent.read([3]))
        goes_on.set()
        assert first.result() == [[2]]
    videos.close()


def test_clips_that_skip_a_damaged_frame_do_not_depend_on_those_that_want_it(tmp_path):
    options = {"qp": "1", "preset": "ultrafast", "bf": "2", "b-pyramid": "none"}
    path = tmp_path / "b.mp4"
    path.write_bytes(damaged(video_bytes(group=30, **options), 13))  # no frame refers to this one
    videos = SharedVideos()
    with videos.lend(str(path), [12, 13], nothing) as bad:
        assert clips_of(videos, path, [[14, 15], [11, 12, 16]]) == [[14, 15], [11, 12, 16]]
        with pytest.raises(DecodeError, match="frame 13, at"):
            list(bad.read([12, 13]))
    videos.close()


def test_an_error_is_that_of_its_clip_alone(path, monkeypatch):
    videos = SharedVideos()
    damaged = []

    def broken(packet):
        return None if packet.pts in damaged else decoded(packet)

    with videos.lend(path, [0], nothing) as lent:
        damaged.append(int(lent.index.times[30]))
    monkeypatch.setattr(frames, "decoded", broken)
    read = partial(clips_of, videos, path)
    assert read([[20, 21], [40, 41], [10, 59]]) == [[20, 21], [40, 41], [10, 59]]
    for _ in range(3):
        with pytest.raises(DecodeError, match=r"frame 30, at 1\.000 s, is damaged or missing"):
            read([[30, 31], [41]])
    (video,) = videos._videos.values()
    assert video.runs == video.clips == []
    assert not video.kept
    videos.close()
