import io
import os
from pathlib import Path

import pytest

from penstock.formats.video import open_videos
from penstock.formats.video.open_videos import (
    OpenVideos,
    known_index,
    open_frames,
    open_sound,
    state_of,
)
from penstock.testing.descriptors import open_below

from ...videos import Sound, video_file


@pytest.fixture
def videos():
    videos = OpenVideos(open_frames)
    yield videos
    videos.close()


def test_a_video_stays_open_for_the_next_clip(videos, tmp_path):
    path = video_file(tmp_path / "a.mp4")
    with videos.lend(path) as first:
        assert len(first.index) == 30
        with videos.lend(path) as meanwhile:
            assert meanwhile is not first
            assert meanwhile.index is first.index
    with videos.lend(path) as again:
        assert again in (first, meanwhile)
    assert known_index(state_of(path)) is first.index


def test_the_least_used_videos_are_closed(videos, tmp_path, tuned):
    tuned(open_videos, MAX_IDLE_VIDEOS=2, MAX_INDEXES=2)
    paths = [video_file(tmp_path / f"{i}.mp4", count=3) for i in range(4)]
    for path in paths:
        with videos.lend(path):
            pass
    assert len(open_below(tmp_path)) == 2
    assert [known_index(state_of(path)) is None for path in paths] == [True, True, False, False]
    videos.close()
    assert open_below(tmp_path) == []


def test_a_file_that_was_replaced_is_opened_again(videos, tmp_path):
    path = video_file(tmp_path / "a.mp4")
    with videos.lend(path) as reader:
        assert len(reader.index) == 30
    os.replace(video_file(tmp_path / "b.mp4", count=5), path)
    with videos.lend(path) as reader:
        assert len(reader.index) == 5


def test_a_video_is_closed_after_an_error(videos, tmp_path):
    path = video_file(tmp_path / "a.mp4")
    with pytest.raises(ValueError), videos.lend(path) as first:
        raise ValueError
    with videos.lend(path) as second:
        assert second is not first


def test_a_url_stays_open_by_its_name(tmp_path):
    path = video_file(tmp_path / "a.mp4", sound=Sound("aac"))
    asked = []

    def open_url(url):
        asked.append(url)
        return io.BytesIO(Path(path).read_bytes()), (url, 0, 5, "version")

    videos = OpenVideos(open_sound, open_url)
    for _ in range(2):
        with videos.lend("http://host/a.mp4") as track:
            assert track.rate == 32000
    assert asked == ["http://host/a.mp4"]
    with videos.lend(path) as track:
        assert track.channels == 2
    assert len(asked) == 1
    videos.close()
