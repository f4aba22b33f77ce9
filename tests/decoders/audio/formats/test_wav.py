"""WAV files by hand: sizes that do not fit, odd formats, and hostile numbers."""

import struct

import numpy as np
import pytest

from penstock.decoders.audio.formats.wav import find_samples, open_stream, plain_layout, recognize
from penstock.engine.errors import DecodeError


def chunk(name, content, size=None):
    padding = bytes(len(content) % 2)
    return name + struct.pack("<I", len(content) if size is None else size) + content + padding


def fields(codec=1, channels=1, rate=16000, width=2, bits=None, block=None):
    block = channels * width if block is None else block
    bits = 8 * width if bits is None else bits
    return struct.pack("<HHIIHH", codec, channels, rate, rate * block & 0xFFFFFFFF, block, bits)


def wav(*chunks, magic=b"RIFF"):
    body = b"WAVE" + b"".join(chunks)
    return np.frombuffer(magic + struct.pack("<I", len(body)) + body, np.uint8)


def floats(data):
    stream = open_stream(data)
    out = np.empty((stream.header.frames, stream.header.channels), np.float32)
    stream.read(0, out)
    return out


DATA = chunk(b"data", b"\x00\x40\x00\xc0")


def test_samples_with_chunks_around_them():
    data = wav(chunk(b"LIST", b"odd"), chunk(b"fmt ", fields()), DATA, chunk(b"id3 ", b"xyz"))
    assert floats(data).ravel().tolist() == [0.5, -0.5]


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0x7FFFFFFF, 0xFFFFFFFE])
def test_an_unknown_size_means_the_rest_of_the_file(size):
    data = wav(chunk(b"fmt ", fields()), chunk(b"data", b"\x00\x40\x00\xc0", size))
    assert floats(data).ravel().tolist() == [0.5, -0.5]


def test_rf64_says_the_size_in_a_chunk_of_its_own():
    sizes = chunk(b"ds64", struct.pack("<QQQI", 0, 2, 1, 0))
    data = wav(sizes, chunk(b"fmt ", fields()), chunk(b"data", bytes(4), 0xFFFFFFFF), magic=b"RF64")
    assert floats(data).shape == (1, 1)


def test_an_extensible_format_names_its_codec():
    tail = bytes.fromhex("000000001000800000aa00389b71")
    more = struct.pack("<HHI", 22, 24, 0) + struct.pack("<H", 1) + tail
    layout = plain_layout(
        wav(chunk(b"fmt ", fields(0xFFFE, width=3) + more), chunk(b"data", bytes(6)))
    )
    assert (layout.width, layout.header.frames, layout.header.integers) == (3, 2, True)


def test_incomplete_samples_at_the_end_are_left_out():
    assert floats(wav(chunk(b"fmt ", fields(channels=2)), chunk(b"data", bytes(7)))).shape == (1, 2)


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ([], "no chunk of samples"),
        ([chunk(b"fmt ", fields())], "no chunk of samples"),
        ([DATA], "before their format"),
        ([chunk(b"fmt ", fields()), chunk(b"PE\xd0K", b""), DATA], r"named b'PE\\xd0K' at byte 36"),
        ([chunk(b"fmt ", fields()[:12]), DATA], "format chunk of 12 bytes"),
        ([chunk(b"fmt ", fields(), 2**31)], "format chunk of 2147483648 bytes"),
        ([chunk(b"fmt ", fields(rate=0)), DATA], "0 Hz"),
        ([chunk(b"fmt ", fields(rate=2**31)), DATA], "2147483648 Hz"),
        ([chunk(b"fmt ", fields(channels=0)), DATA], "0 channels"),
        ([chunk(b"fmt ", fields(channels=2000, width=1)), DATA], "2000 channels"),
        ([chunk(b"fmt ", fields(block=0)), DATA], "blocks of 0 bytes"),
        ([chunk(b"fmt ", fields(block=3, channels=2)), DATA], "blocks of 3 bytes"),
        ([chunk(b"fmt ", fields(bits=0)), DATA], "0 bits"),
        ([chunk(b"fmt ", fields(bits=24)), DATA], "24 bits"),
        ([chunk(b"fmt ", fields(3, width=2)), DATA], "16 bits"),
        ([chunk(b"fmt ", fields()), chunk(b"data", bytes(4), 6)], "inside the samples"),
    ],
)
def test_bad_files_are_refused(chunks, message):
    with pytest.raises(DecodeError, match=f"^WAV: .*{message}"):
        open_stream(wav(*chunks))


def test_unknown_codecs_are_refused_by_libsndfile():
    with pytest.raises(DecodeError, match="libsndfile cannot decode"):
        open_stream(wav(chunk(b"fmt ", fields(0x7777)), DATA))


def test_recognition():
    assert recognize(b"RIFF\0\0\0\0WAVE")
    assert not recognize(b"RIFF\0\0\0\0AVI ")
    assert not recognize(b"RIF")


def test_a_pipe_of_more_than_4_gib_reaches_to_the_end(tmp_path):
    head = wav(chunk(b"fmt ", fields()), chunk(b"data", b"", size=0xFFFFFFFF)).tobytes()
    with open(tmp_path / "sparse.wav", "wb") as file:
        file.write(head)
        file.truncate(len(head) + (5 << 30))
    data = np.memmap(tmp_path / "sparse.wav", np.uint8, "r")
    samples = find_samples(data)
    assert (samples.offset, samples.size) == (len(head), 5 << 30)
