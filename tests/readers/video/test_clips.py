from fractions import Fraction

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.formats.video.frame_index import FrameIndex
from penstock.readers.video.clips import ClipRule, RangeRule, clip_table
from penstock.readers.video.list_file import ListedVideo


def index(count):
    return FrameIndex(np.arange(count), np.array([0]), np.array([0]), Fraction(1, 10), count)


def clips(count, **rule):
    table = clip_table([range(count)], ClipRule(**rule))
    return [table.numbers(i).tolist() for i in range(len(table))]


def test_clips_follow_one_another():
    assert clips(10, length=4, step=4) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert clips(10, length=3, stride=2, step=3) == [[0, 2, 4], [3, 5, 7]]
    padded = clips(10, length=4, step=4, pad_mode="constant")
    assert padded[2:] == [[8, 9, -1, -1]]


def test_clips_of_whole_strides():
    rule = {"length": 3, "stride": 2, "whole_strides": True}
    assert clips(10, step=3, **rule) == [[0, 2, 4], [3, 5, 7]]
    assert clips(10, step=3, pad_mode="edge", **rule) == [[0, 2, 4], [3, 5, 7], [6, 8, 9]]
    assert clips(12, step=6, pad_mode="edge", **rule) == [[0, 2, 4], [6, 8, 10]]
    assert clips(4, step=1, pad_mode="constant", **rule) == [[0, 2, -1]]


def test_all_incomplete_clips_are_padded():
    padded = clips(6, length=3, stride=2, step=2, pad_mode="constant")
    assert padded == [[0, 2, 4], [2, 4, -1], [4, -1, -1]]


def test_frames_at_equal_distances():
    assert clips(10, length=4, uniform=True) == [[0, 3, 6, 9]]
    assert clips(3, length=5, uniform=True) == [[0, 1, 1, 2, 2]]


def test_several_videos():
    table = clip_table([range(2, 6), range(0), range(1, 4)], ClipRule(2, step=2))
    assert table.videos.tolist() == [0, 0, 2]
    assert [table.numbers(i).tolist() for i in range(3)] == [[2, 3], [4, 5], [1, 2]]


def test_ranges_without_a_clip_are_told():
    ranges = [range(8), range(50, 12), range(8, 4), range(2), range(1), range(9)]
    names = [f"{number}.mp4" for number in range(6)]
    message = (
        r"4 of 6 videos .* no clip of 3 frames .*: 1.mp4 \(0 frames\), 2.mp4 \(0 frames\), "
        r"3.mp4 \(2 frames\) and 1 more. Correct their start and end"
    )
    with pytest.warns(RuntimeWarning, match=message):
        table = clip_table(ranges, ClipRule(3, step=3), names)
    assert sorted(set(table.videos.tolist())) == [0, 5]


def test_no_clip_is_an_error():
    with pytest.raises(ArgumentError, match=r"no video has a clip of 20 frames.* has 10 frames"):
        clips(10, length=20)


@pytest.mark.parametrize(
    ("limits", "rule", "expected"),
    [
        ((None, None), {}, range(10)),
        ((0.2, 0.5), {}, range(2, 5)),
        ((0.2, 0.5), {"includes_end": True}, range(2, 6)),
        ((0.21, 0.48), {}, range(2, 5)),
        ((0.21, 0.48), {"rounding": "start_up_end_down"}, range(3, 4)),
        ((0.21, 0.48), {"rounding": "all_up"}, range(3, 5)),
        ((0.21, 0.48), {"rounding": "all_down"}, range(2, 4)),
        ((0.3, 99), {}, range(3, 10)),
        ((5, None), {}, range(0)),
        ((2, 7), {"in_frames": True}, range(2, 7)),
        ((-4, -1), {"in_frames": True}, range(6, 9)),
        ((1.5, 3.5), {"in_frames": True, "rounding": "start_up_end_down"}, range(2, 3)),
    ],
)
def test_ranges(limits, rule, expected):
    frames = RangeRule(**rule).frames(ListedVideo("a", 0, *limits), index(10))
    assert list(frames) == list(expected)
