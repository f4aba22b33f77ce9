import io

import numpy as np
import pytest

from penstock.decoders.video.frames import FrameReader
from penstock.decoders.video.pictures import ClipDecoder
from penstock.engine.errors import DecodeError
from penstock.engine.graph.context import HeapWorkspace
from penstock.formats.video.library import open_container
from penstock.formats.video.numbered_packets import is_raw, number_packets
from penstock.formats.video.packets import PacketFacts, read_facts

from ...videos import numbers_of, video_bytes


def clip(reader, numbers):
    return numbers_of(ClipDecoder().decode(reader, np.array(numbers), HeapWorkspace()))


def test_which_streams_are_raw():
    raw = [PacketFacts(None, None, True, offset=0)]
    assert is_raw(raw)
    assert not is_raw([*raw, PacketFacts(3, None, True, offset=9)])
    assert not is_raw([*raw, PacketFacts(None, None, True)])


def test_packets_and_the_times_of_their_frames():
    data = video_bytes("h264", count=12)
    container, stream = open_container(io.BytesIO(data))
    table, times, duration = number_packets(container, stream, read_facts(container, stream))
    assert float(duration * stream.time_base) == pytest.approx(1 / 30)  # the rate in the stream
    assert table[0, [0, 2]].tolist() == [0, 0]
    assert (np.diff(table[:, 0]) > 0).all()
    assert sorted(table[:, 2].tolist()) == list(range(12))
    assert (np.diff(table[:, 2]) < 0).any()  # the decoder changes the order
    assert times.tolist() == [duration * number for number in range(12)]


@pytest.mark.parametrize("form", ["h264", "hevc"])
def test_the_decoder_goes_on_where_it_is(form, monkeypatch):
    reader = FrameReader(io.BytesIO(video_bytes(form, group=8)))
    seeks = []
    seek = reader._seek
    monkeypatch.setattr(reader, "_seek", lambda key: (seeks.append(key), seek(key)))
    assert clip(reader, [17, 18]) == [17, 18]
    assert clip(reader, [20]) == [20]
    assert clip(reader, [3]) == [3]
    assert seeks == [2, 0]


def test_damage():
    data = bytearray(video_bytes("h264", count=40, group=10, bf="0"))
    index = FrameReader(io.BytesIO(bytes(data))).index
    start = int(index.packets[13, 0])
    data[start + 8 : start + 30] = b"\xff" * 22
    reader = FrameReader(io.BytesIO(bytes(data)))
    # The frame itself is missing, so the numbers of those behind it are one less.
    assert len(reader.index) == 39
    np.testing.assert_allclose(reader.index.seconds, np.delete(np.arange(40), 13) / 30, atol=1e-6)
    assert clip(reader, [*range(10), *range(19, 39)]) == [*range(10), *range(20, 40)]
    with pytest.raises(DecodeError, match=r"frame 1\d, at 0\.\d+ s, is damaged"):
        clip(reader, [14])
