import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.readers.video.clips import ClipRule, RangeRule
from penstock.readers.video.list_file import ListedVideo
from penstock.readers.video.source import ClipSource, read_indexes
from penstock.testing.readers import SourceConformance

from ...videos import video_file


def milliseconds(number):
    """Return the time of a frame in seconds, as WebM states it."""
    return round(number * 1000 / 30) / 1000


@pytest.fixture
def paths(tmp_path, user_cache):
    return [video_file(tmp_path / f"{n}.webm", "vp9.webm", count=n) for n in (7, 5)]


class TestClipSource(SourceConformance):
    @pytest.fixture
    def source(self, paths):
        videos = [ListedVideo(path, 3 + i) for i, path in enumerate(paths)]
        return ClipSource(videos, RangeRule(), ClipRule(3, step=3, pad_mode="constant"))

    @pytest.fixture
    def expected(self, paths):
        numbers = [[0, 1, 2], [3, 4, 5], [6, -1, -1], [0, 1, 2], [3, 4, -1]]
        return [
            (
                np.frombuffer(paths[i > 2].encode(), np.uint8),
                np.array(own, np.int32),
                np.array([3 + (i > 2)], np.int32),
                np.array([n if n < 0 else milliseconds(n) for n in own], float),
                np.array([milliseconds(own[0]), milliseconds(max(own)) + 0.033]),
            )
            for i, own in enumerate(numbers)
        ]

    def test_where_names_path_and_frame(self, source, paths):
        assert source.where(1) == f"{paths[0]}, frame 3"


def test_indexes_are_cached(paths, user_cache):
    first = read_indexes([*paths, paths[0]], {})
    assert set(first) == set(paths)
    cached = [*user_cache.glob("*.penstock-index")]
    assert len(cached) == 2
    stamps = [path.stat().st_mtime_ns for path in cached]
    again = read_indexes(paths, {})
    np.testing.assert_array_equal(again[paths[0]].times, first[paths[0]].times)
    assert again[paths[0]].time_base == first[paths[0]].time_base
    assert [path.stat().st_mtime_ns for path in cached] == stamps


def test_errors_name_the_file(paths, tmp_path):
    bad = tmp_path / "bad.mp4"
    bad.write_bytes(b"no video" * 100)
    with pytest.raises(DecodeError) as error:
        read_indexes([*paths, str(bad)], {})
    assert str(error.value).startswith(f"{bad}: ")


def test_streams_without_a_container_are_cached(tmp_path, user_cache):
    path = video_file(tmp_path / "a.h264", "h264", count=9)
    first, again = (read_indexes([path], {})[path] for _ in range(2))
    assert len(first.packets) == 9
    np.testing.assert_array_equal(again.packets, first.packets)
    assert again.end == first.end
