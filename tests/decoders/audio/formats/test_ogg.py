"""Ogg pages: their checksums, and streams that end early."""

import numpy as np
import pytest

from penstock.decoders.audio.formats.ogg import check_pages, checksum
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


def test_every_flipped_bit_is_noticed():
    places = np.random.default_rng(0).integers(0, len(FILE), 200)
    for place in places.tolist():
        data = bytearray(FILE)
        data[place] ^= 1 << place % 8
        with pytest.raises(DecodeError, match=r"^Ogg: "):
            check_pages(bytes(data))
