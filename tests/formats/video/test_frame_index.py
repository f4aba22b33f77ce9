import io
from fractions import Fraction

import av
import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.formats.video import frame_index
from penstock.formats.video.frame_index import FrameIndex, read_index
from penstock.formats.video.library import open_container

from ...videos import video_bytes


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
    packets = [(0, 0, False, 1), (2, 2, True, 1), (1, 1, False, 1), (3, 3, False, 1)]
    index = frame_index._index(packets, Fraction(1, 1))
    assert index.times.tolist() == [2, 3]
    assert index.keys.tolist() == [0]


def test_a_time_that_occurs_twice_counts_once():
    packets = [(0, 0, True, 1), (1, 1, False, 1), (1, 2, False, 1)]
    assert len(frame_index._index(packets, Fraction(1, 1))) == 2


def test_no_key_frame_is_an_error():
    with pytest.raises(DecodeError, match="no key frame"):
        frame_index._index([(0, 0, False, 1)], Fraction(1, 1))


def test_streams_without_a_container_are_refused():
    """Raw H.264 has no times and cannot be sought."""
    with av.open(io.BytesIO(video_bytes(bf="0"))) as container:
        output = io.BytesIO()
        with av.open(output, "w", format="h264") as raw:
            stream = raw.add_stream_from_template(container.streams.video[0])
            for packet in container.demux(video=0):
                if packet.size:
                    packet.stream = stream
                    raw.mux(packet)
    with pytest.raises(DecodeError, match="FFmpeg cannot seek in it"):
        index_of(output.getvalue())
