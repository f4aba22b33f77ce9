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

from ...sounds import file_of

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


COVER = b"ID3\4\0\0" + bytes([0, 6, 10, 0]) + bytes(range(256)) * 389  # 99,584 bytes


@pytest.mark.parametrize("has_count", [True, False])
def test_mp3_behind_a_large_picture(tmp_path, has_count):
    file = io.BytesIO()
    soundfile.write(file, parts(0.5, 0.5), RATE, format="MP3")
    content = file.getvalue() if has_count else without_tag(parts(0.5, 0.5))
    whole = COVER + content
    expected = decoded(open_audio(np.frombuffer(content, np.uint8)))
    found = decoded(open_audio(np.frombuffer(whole, np.uint8)))
    np.testing.assert_array_equal(found, expected)
    if not has_count:
        return
    cut = np.frombuffer(whole[: len(COVER) + len(content) // 2], np.uint8)
    cut.tofile(tmp_path / "a.mp3")
    for stream in (open_audio(cut), open_audio_file(str(tmp_path / "a.mp3"))):
        with pytest.raises(DecodeError, match=r"MP3: \d+ samples could be decoded where 88200"):
            decoded(stream)


@pytest.mark.parametrize("front", [b"", ID3])
@pytest.mark.parametrize("zeros", [1, 100, 60_000])
def test_zeros_before_the_first_frame_are_left_out(tmp_path, front, zeros):
    for content in (file_of(parts(0.5, 0.5), RATE, "MP3").tobytes(), without_tag(parts(0.5, 0.5))):
        expected = decoded(open_audio(np.frombuffer(content, np.uint8)))
        padded = np.frombuffer(front + bytes(zeros) + content, np.uint8)
        padded.tofile(tmp_path / "a.mp3")
        np.testing.assert_array_equal(decoded(open_audio(padded)), expected)
        np.testing.assert_array_equal(decoded(open_audio_file(str(tmp_path / "a.mp3"))), expected)


def test_the_frame_of_a_vbri_tag_is_no_sound():
    content = without_tag(parts(0.5, 0.3), bitrate_mode="VARIABLE", compression_level=0.5)
    expected = by_ffmpeg(content)
    frames = len(expected) // 1152
    fields = struct.pack(">HHHII", 1, 0, 75, len(content), frames)
    head = content[:2] + bytes([0x90 | content[2] & 0x0C, content[3]])  # 128 kbit/s
    tagged = (head + bytes(32) + b"VBRI" + fields).ljust(417, b"\0") + content
    assert len(by_ffmpeg(tagged)) == len(expected)  # FFmpeg knows the tag
    found = decoded(open_audio(np.frombuffer(tagged, np.uint8)))
    np.testing.assert_allclose(found, expected, atol=2e-4)
    with pytest.raises(DecodeError, match=r"MP3: 4\d+ samples could be decoded where 87552"):
        open_audio(np.frombuffer(tagged[: len(tagged) // 2], np.uint8))


@pytest.mark.parametrize("bits", [32_000, 192_000, 384_000])
def test_layer_2_keeps_all_its_samples(tmp_path, bits):
    content = layer_2(bits)
    expected = soundfile.read(io.BytesIO(content), dtype="float32", always_2d=True)[0]
    assert len(expected) == len(by_ffmpeg(content)) == 48 * 1152
    data = np.frombuffer(content, np.uint8)
    data.tofile(tmp_path / "a.mp2")
    np.testing.assert_allclose(decoded(open_audio(data)), expected, atol=1e-6)
    found = decoded(open_audio_file(str(tmp_path / "a.mp2")))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def layer_2(bits):
    """Encode 48 frames by FFmpeg: noise, in which headers of layer III appear by chance."""
    file = io.BytesIO()
    channels = 1 if bits < 64_000 else 2
    noise = np.random.default_rng(0).integers(-9000, 9000, (1, 48 * 1152 * channels)).astype("i2")
    layout = "mono" if channels == 1 else "stereo"
    with av.open(file, "w", format="mp2") as output:
        stream = output.add_stream("mp2", rate=48000, layout=layout)
        stream.bit_rate = bits
        frame = av.AudioFrame.from_ndarray(noise, format="s16", layout=layout)
        frame.sample_rate, frame.pts = 48000, 0
        frames = av.AudioResampler("s16", layout, 48000, frame_size=1152)
        for part in [*frames.resample(frame), *frames.resample(None)]:
            output.mux(stream.encode(part))
        output.mux(stream.encode(None))
    return file.getvalue()


def test_layer_1_keeps_all_its_frames():
    frame = b"\xff\xff\x44\xc0" + bytes(12 * 128_000 // 48_000 * 4 - 4)  # mono, at 48 kHz
    assert decoded(open_audio(np.frombuffer(frame * 20, np.uint8))).shape == (20 * 384, 1)


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


def test_a_wav_of_a_pipe_above_4_gib_ends_with_the_file(tmp_path):
    for size, width in ((0xFFFFFFFF, 2), (0x7FFFF000, 2), (0x7FFFEFFF, 3)):
        whole = wav(8, 1, width)
        whole[40:44] = struct.pack("<I", size)
        samples = 2**33 // width
        with open(tmp_path / "a.wav", "wb") as file:
            file.write(whole)
            file.truncate(44 + samples * width - 8)  # a sparse file
            file.seek(0, io.SEEK_END)
            file.write(bytes(range(1, 9)))
        with open_audio_file(str(tmp_path / "a.wav")) as stream:
            assert stream.header.frames == samples
            end = np.empty((8 // width, 1), np.int32)
            stream.read(samples - len(end), end)
            assert end.all()


def test_chunks_behind_samples_of_2_gib_are_no_samples(tmp_path):
    whole = wav(8, 1, 2)
    whole[40:44] = struct.pack("<I", 0x7FFFF000)
    with open(tmp_path / "a.wav", "wb") as file:
        file.write(whole)
        file.truncate(44 + 0x7FFFF000)
        file.seek(0, io.SEEK_END)
        file.write(b"LIST" + struct.pack("<I", 4) + b"INFO")
    with open_audio_file(str(tmp_path / "a.wav")) as stream:
        assert stream.header.frames == 0x7FFFF000 // 2


@pytest.mark.parametrize("riff_size", [0, 8])
def test_a_wav_whose_writer_was_stopped(riff_size):
    whole = wav(800, 1, 2)
    expected = decoded(open_audio(np.frombuffer(bytes(whole), np.uint8)))
    whole[4:8], whole[40:44] = struct.pack("<I", riff_size), bytes(4)
    found = decoded(open_audio(np.frombuffer(bytes(whole), np.uint8)))
    np.testing.assert_array_equal(found, expected)


def test_a_wav_without_samples_stays_empty():
    assert decoded(open_audio(np.frombuffer(bytes(wav(0, 1, 2)), np.uint8))).shape == (0, 1)
