import io
from fractions import Fraction

import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.formats.video import frame_index
from penstock.formats.video.frame_index import FrameIndex, read_index
from penstock.formats.video.library import open_container
from penstock.formats.video.packets import PacketFacts

from ...videos import video_bytes


def packet(time, **named):
    return PacketFacts(time, time, **{"is_key": False, **named})


def index_of(data):
    return read_index(*open_container(io.BytesIO(data)))


def test_key_frames_and_times():
    index = index_of(video_bytes("vp9.webm", count=20, group=6))
    assert index.keys.tolist() == [0, 6, 12, 18]
    np.testing.assert_allclose(index.seconds, np.arange(20) / 30, atol=1e-3)
    assert [index.key_of(number) for number in (0, 5, 6, 19)] == [0, 0, 1, 3]


def test_numbers_of_times():
    index = FrameIndex(np.array([5, 7, 9]), np.array([0]), np.array([5]), Fraction(1, 10), 11)
    assert [index.number_of(time) for time in (5, 9, 8, 4, 10, None)] == [0, 2] + [None] * 4


def test_frames_before_the_first_key_frame_are_left_out():
    packets = [packet(0), packet(2, is_key=True), packet(1), packet(3)]
    index = frame_index._index(packets, Fraction(1, 1))
    assert index.times.tolist() == [2, 3]
    assert index.keys.tolist() == [0]


def test_a_time_that_occurs_twice_counts_once():
    packets = [packet(0, is_key=True), packet(1), packet(1)]
    assert len(frame_index._index(packets, Fraction(1, 1))) == 2


def test_no_key_frame_is_an_error():
    with pytest.raises(DecodeError, match="no key frame"):
        frame_index._index([packet(0)], Fraction(1, 1))


def test_spans_of_frames():
    index = FrameIndex(np.array([5, 7, 9]), np.array([0]), np.array([5]), Fraction(1, 10), 12)
    assert index.span(np.array([1, 0])) == (0.5, 0.9)
    assert index.span(np.array([-1, 2, -1])) == (0.9, 1.2)
    assert index.span(np.array([-1])) == (0, 0)


def test_the_last_frame_ends_as_its_packet_says():
    assert index_of(video_bytes(count=7)).end / 12000 == pytest.approx(7 / 30)
    packets = [packet(0, is_key=True), packet(4)]
    assert frame_index._index(packets, Fraction(1, 1)).end == 8


def test_decoding_starts_at_hidden_key_frames():
    hidden = {"is_key": True, "is_hidden": True}
    packets = [
        packet(-9, **hidden),
        packet(-5, **hidden),
        packet(0),
        packet(1),
        packet(9, **hidden),
    ]
    index = frame_index._index(packets, Fraction(1, 1))
    assert index.times.tolist() == [0, 1]
    assert index.keys.tolist() == [0]
    assert index.key_seeks.tolist() == [-5]
