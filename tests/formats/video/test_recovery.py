import io

import pytest

from penstock.formats.video.library import open_container, packets_of
from penstock.formats.video.recovery import is_shown, starts_exactly

from ...videos import video_bytes

IDR, SLICE = b"\0\0\1\x65\x88", b"\0\0\1\x41\x9a"
USER_DATA = b"\0\0\1\x06\x05\x03\0\0\3\1\2\x80"  # the third zero is kept apart by a 3


def recovery(bits, before=b""):
    return b"\0\0\0\1\x06" + before + bytes([6, 1, bits, 0x80])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (IDR, True),
        (SLICE, True),  # the container's word
        (recovery(0b1100_0000) + SLICE, True),  # 0 frames
        (recovery(0b0101_0000) + SLICE, False),  # 1 frame
        (USER_DATA + recovery(0b0010_0110) + SLICE, False),
        (recovery(0b0010_0110, before=b"\x05\x02\1\2") + SLICE, False),
        (b"\0\0\1\x06\xff\xff" + SLICE, True),  # cut off
        (b"\0\0\1\x06\x06" + IDR, True),
        (b"", True),
        (b"\0\0\1", True),
    ],
)
def test_gradual_refreshes_are_no_places_to_start(data, expected):
    assert starts_exactly("h264", None, data) is expected
    assert starts_exactly("hevc", None, data) is True


def test_units_with_lengths_in_place_of_start_codes():
    header = bytes([1, 100, 0, 10, 0xFF])
    unit = recovery(0b0010_0110)[4:]
    data = len(unit).to_bytes(4, "big") + unit + (2).to_bytes(4, "big") + b"\x41\x9a"
    assert starts_exactly("h264", header, data) is False
    assert starts_exactly("h264", header, (99).to_bytes(4, "big") + unit) is False  # a lie
    assert starts_exactly("h264", header, data[:3]) is True


def keys_of(form, **options):
    container, stream = open_container(io.BytesIO(video_bytes(form, 40, 10, **options)))
    codec, header = stream.codec_context.name, stream.codec_context.extradata
    packets = [packet for packet in packets_of(container, stream) if packet.size]
    return [starts_exactly(codec, header, packet) for packet in packets if packet.is_keyframe]


@pytest.mark.parametrize("form", ["h264.mp4", "h264.ts", "h264 open groups.mkv"])
def test_key_frames_of_an_encoder(form):
    assert len(found := keys_of(form)) >= 4
    assert all(found)
    if form != "h264 open groups.mkv":
        found = keys_of(form, **{"intra-refresh": "1"})
        assert not any(found[1:])


def test_which_packets_of_vp8_are_shown():
    assert is_shown("vp8", b"\x10")
    assert not is_shown("vp8", b"\x00")
    assert is_shown("vp9", b"\x00")
