"""Files that do not state how many samples they hold, or state a size that nobody knew."""

from __future__ import annotations

import io
import struct
import wave

import av
import numpy as np
import pytest
import soundfile

from penstock.decoders.audio.formats.mp3 import first_frame
from penstock.decoders.audio.table import open_audio, open_audio_file
from penstock.engine.errors import DecodeError

RATE = 44100
ID3 = b"ID3\4\0\0" + bytes([0, 0, 0x40, 0]) + bytes(8192)  # a tag of 8,192 bytes
ID3V1 = b"TAG" + bytes(125)


def decoded(stream):
    with stream:
        out = np.empty((stream.header.frames, stream.header.channels), np.float32)
        stream.read(0, out)
        return out


def by_ffmpeg(content):
    with av.open(io.BytesIO(content)) as container:
        return np.concatenate([frame.to_ndarray().T for frame in container.decode(audio=0)])


def without_tag(signal, **options):
    """Encode MP3, and leave out the first frame, which states the number of frames."""
    file = io.BytesIO()
    soundfile.write(file, signal, RATE, format="MP3", **options)
    content = file.getvalue()
    frame = first_frame(content)
    assert frame is not None
    assert frame.stated >= len(signal)
    second = first_frame(content[frame.start + 4 :])
    assert second is not None
    return content[frame.start + 4 + second.start :]


def parts(first, second):
    noise = np.random.default_rng(5).uniform(-1, 1, (2 * RATE, 2))
    noise[: RATE // 2] *= first
    noise[RATE // 2 :] *= second
    return noise


@pytest.mark.parametrize(("first", "second"), [(0.5, 0), (0, 0.5)])
@pytest.mark.parametrize("tags", [(b"", b""), (ID3, b""), (ID3, ID3V1)])
def test_mp3_of_variable_rate_without_a_count(tmp_path, first, second, tags):
    # A loud first frame makes a guess of the length too small, a silent one too large.
    content = without_tag(parts(first, second), bitrate_mode="VARIABLE", compression_level=0.1)
    expected = by_ffmpeg(content)
    tagged = tags[0] + content + tags[1]
    found = decoded(open_audio(np.frombuffer(tagged, np.uint8)))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, atol=2e-4)
    path = tmp_path / "a.mp3"
    path.write_bytes(tagged)
    with open_audio_file(str(path)) as stream:
        window = np.empty((500, 2), np.float32)
        stream.read(60_000, window)
    np.testing.assert_array_equal(window, found[60_000:60_500])


def test_an_mp3_whose_last_frame_is_cut_keeps_the_frames_before():
    content = without_tag(parts(0.5, 0.5), bitrate_mode="CONSTANT")
    whole = decoded(open_audio(np.frombuffer(content, np.uint8)))
    cut = decoded(open_audio(np.frombuffer(content[:-100], np.uint8)))
    assert len(whole) - 1152 <= len(cut) <= len(whole)
    np.testing.assert_allclose(cut, whole[: len(cut)], atol=1e-6)


def test_an_mp3_that_states_its_count_and_is_cut_is_refused():
    file = io.BytesIO()
    soundfile.write(file, parts(0.5, 0.5), RATE, format="MP3")
    content = file.getvalue()
    with pytest.raises(DecodeError, match=r"MP3: \d+ samples could be decoded where 88200"):
        decoded(open_audio(np.frombuffer(content[: len(content) // 2], np.uint8)))


def test_mp3_in_wav():
    frames = without_tag(parts(0.5, 0.1), bitrate_mode="CONSTANT")
    form = struct.pack("<HHIIHHHHIHHH", 0x55, 2, RATE, 16000, 1, 0, 12, 1, 2, 417, 1, 1393)
    body = (
        b"WAVEfmt " + struct.pack("<I", len(form)) + form
        + b"fact" + struct.pack("<II", 4, 999_999)  # a number that no decoder reaches
        + b"data" + struct.pack("<I", len(frames)) + frames
    )  # fmt: skip
    content = b"RIFF" + struct.pack("<I", len(body)) + body
    found = decoded(open_audio(np.frombuffer(content, np.uint8)))
    expected = by_ffmpeg(frames)
    assert abs(len(found) - len(expected)) <= 1152
    length = min(len(found), len(expected))
    np.testing.assert_allclose(found[:length], expected[:length], atol=2e-4)


def wav(frames, channels, width):
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(width)
        writer.setframerate(8000)
        noise = np.random.default_rng(0).integers(0, 256, frames * channels * width, np.uint8)
        writer.writeframes(noise.tobytes())
    return bytearray(file.getvalue())


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0x7FFFFFFF, 0x7FFFF000, 0x7FFFEFFC, 0x7FFF0000])
@pytest.mark.parametrize(("channels", "width"), [(1, 2), (2, 3), (6, 2)])
def test_sizes_that_stand_for_the_rest_of_the_file(size, channels, width):
    whole = wav(800, channels, width)
    expected = decoded(open_audio(np.frombuffer(bytes(whole), np.uint8)))
    whole[40:44] = struct.pack("<I", size)
    found = decoded(open_audio(np.frombuffer(bytes(whole), np.uint8)))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("riff_size", [0, 8])
def test_a_wav_whose_writer_was_stopped(riff_size):
    whole = wav(800, 1, 2)
    expected = decoded(open_audio(np.frombuffer(bytes(whole), np.uint8)))
    whole[4:8], whole[40:44] = struct.pack("<I", riff_size), bytes(4)
    found = decoded(open_audio(np.frombuffer(bytes(whole), np.uint8)))
    np.testing.assert_array_equal(found, expected)


def test_a_wav_without_samples_stays_empty():
    assert decoded(open_audio(np.frombuffer(bytes(wav(0, 1, 2)), np.uint8))).shape == (0, 1)
