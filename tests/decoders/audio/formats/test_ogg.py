"""Ogg pages: their checksums, and streams that end early."""

import io

import numpy as np
import pytest
import soundfile

from penstock.decoders.audio.formats.ogg import check_pages, checksum
from penstock.decoders.audio.table import open_audio, open_audio_file
from penstock.engine.errors import DecodeError

from ....sounds import encoded, speech_like

FILE = encoded(speech_like(2.0), 16000, "OGG", "VORBIS")
STARTS = [i for i in range(len(FILE)) if FILE.startswith(b"OggS", i)]


def bitwise(page):
    """Return RFC 3533's checksum, bit by bit."""
    register = 0
    for byte in page[:22] + bytes(4) + page[26:]:
        register ^= byte << 24
        for _ in range(8):
            register = (register << 1 ^ (0x04C11DB7 if register >> 31 else 0)) & 0xFFFFFFFF
    return register


def test_the_checksum_is_that_of_the_rfc():
    page = FILE[STARTS[0] : STARTS[1]]
    assert checksum(page) == bitwise(page) == int.from_bytes(page[22:26], "little")


def test_a_whole_stream_passes_also_with_bytes_behind_it():
    check_pages(FILE)
    check_pages(FILE + b"OggX")


@pytest.mark.parametrize("end", [0, 10, 26, 27, STARTS[1], STARTS[-1], STARTS[-1] + 26, -1])
def test_a_stream_that_ends_early_is_refused(end):
    with pytest.raises(DecodeError, match="expected another page"):
        check_pages(FILE[:end])


@pytest.mark.parametrize("gap", [b"\0", b"junk" * 300, b"xOggS", b"xOggS" + bytes(300)])
@pytest.mark.parametrize("form", ["VORBIS", "OPUS"])
def test_bytes_between_pages_do_no_harm(gap, form, tmp_path):
    whole = encoded(speech_like(2.0), 16000, "OGG", form)
    starts = [i for i in range(len(whole)) if whole.startswith(b"OggS", i)]
    expected, rate = soundfile.read(io.BytesIO(whole), dtype="float32", always_2d=True)
    for start in starts[2:]:
        content = whole[:start] + gap + whole[start:]
        (tmp_path / "a.ogg").write_bytes(content)
        streams = [open_audio(np.frombuffer(content, np.uint8))]
        if b"OggS" not in gap:  # libsndfile skips other gaps by itself
            streams.append(open_audio_file(str(tmp_path / "a.ogg")))
        for stream in streams:
            with stream:
                assert stream.header.rate == rate
                found = np.empty((stream.header.frames, 1), np.float32)
                stream.read(0, found)
            np.testing.assert_array_equal(found, expected)


def test_a_gap_in_place_of_a_page_is_damage():
    first, second = STARTS[2:4]
    with pytest.raises(DecodeError, match=r"Ogg: page 3 follows \d+ bytes that are no page"):
        check_pages(FILE[:first] + bytes(second - first) + FILE[second:])


def test_many_false_pages_are_refused_soon():
    false = (b"OggS" + bytes(22) + b"\xff" * 256) * 2000
    with pytest.raises(DecodeError, match="expected another page"):
        check_pages(FILE[: STARTS[2]] + b"\0" + false)


def test_every_flipped_bit_is_noticed():
    places = np.random.default_rng(0).integers(0, len(FILE), 200)
    for place in places.tolist():
        data = bytearray(FILE)
        data[place] ^= 1 << place % 8
        with pytest.raises(DecodeError, match=r"^Ogg: "):
            check_pages(bytes(data))
