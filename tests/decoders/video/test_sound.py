import io

import numpy as np
import pytest

from penstock.decoders.video.frames import FrameReader
from penstock.decoders.video.sound import SoundTrack
from penstock.engine.errors import DecodeError

from ...videos import UNITS, Sound, tone, video_bytes

# Form of the video and the sound.
FILMS = {
    "aac.mp4": ("mpeg4.mp4", Sound("aac")),
    "aac.ts": ("h264.ts", Sound("aac", 48000)),
    "aac.mkv": ("h264 open groups.mkv", Sound("aac", 44100)),
    "opus.mkv": ("h264 open groups.mkv", Sound("libopus", 48000)),
    "flac.mkv": ("h264 open groups.mkv", Sound("flac", 44100, channels=1)),
    "mp3.mp4": ("mpeg4.mp4", Sound("libmp3lame")),
    "mp2.ts": ("h264.ts", Sound("mp2")),
    "pcm.mov": ("h264 4:2:2.mov", Sound("pcm_s16le", 44100)),
    "pcm.avi": ("mjpeg.avi", Sound("pcm_u8", 8000, channels=1)),
}
RNG = np.random.default_rng(4)


def film(name, start=0, **changes):
    form, sound = FILMS[name]
    return video_bytes(form, count=30, start=start, sound=sound, preset="ultrafast", **changes)


def opened(data):
    """Return the track, and the number of the sample with which the first frame begins."""
    track = SoundTrack(io.BytesIO(data))
    reader = FrameReader(io.BytesIO(data))
    reader.close()
    return track, round(reader.index.seconds[0] * track.rate)


def read(track, first, count):
    out = np.empty((count, track.channels), np.float32)
    track.read(first, out)
    return out


def shift_of(found, first, rate, most=60):
    """Return by how many samples a sound comes too early."""
    middle = found[most:-most, 0]
    heights = [
        middle @ tone((np.arange(first + most, first + len(found) - most) + lag) / rate)
        for lag in range(-most, most + 1)
    ]
    return int(np.argmax(heights)) - most


def slip_of(name, start):
    """Return by how many samples the file itself may be wrong.

    Matroska rounds the time of Opus's first packet to milliseconds, MP4 that of an edit list.
    """
    rounded = name == "opus.mkv" or (name == "mp3.mp4" and start)
    return FILMS[name][1].rate // 1000 if rounded else 1


@pytest.mark.parametrize("start", [0, UNITS // 2])
@pytest.mark.parametrize("name", FILMS)
def test_the_sound_is_that_of_its_time(name, start):
    track, zero = opened(film(name, start if name != "pcm.avi" else 0))
    sound = FILMS[name][1]
    assert (track.rate, track.channels) == (sound.rate, sound.channels)
    begin, length = track.rate // 4, track.rate // 2
    found = read(track, zero + begin, length)
    assert abs(shift_of(found, begin, track.rate)) <= slip_of(name, start)
    if track.channels == 2:
        np.testing.assert_allclose(found[:, 1], -found[:, 0], atol=0.05)
    track.close()


@pytest.mark.parametrize("name", FILMS)
def test_a_window_has_what_the_whole_has(name):
    track, zero = opened(film(name, UNITS // 2 if name != "pcm.avi" else 0))
    whole = read(track, zero, track.rate * 9 // 10)
    for _ in range(8):
        first, end = np.sort(RNG.integers(0, len(whole), 2))
        found = read(track, zero + first, end - first)
        np.testing.assert_allclose(found, whole[first:end], atol=2e-3)


def test_silence_where_the_track_has_no_samples():
    sound = Sound("pcm_s16le", 8000, seconds=0.5, delay=0.25)
    track, zero = opened(video_bytes("h264 4:2:2.mov", count=30, sound=sound))
    found = read(track, zero - 100, 9000)
    assert (found[:2100] == 0).all()
    assert (found[6100:] == 0).all()
    np.testing.assert_allclose(found[2100:6100, 0], tone(0.25 + np.arange(4000) / 8000), atol=1e-4)
    assert read(track, 40000, 10).tolist() == [[0, 0]] * 10
    assert read(track, 100, 0).shape == (0, 2)


def test_a_file_without_sound():
    with pytest.raises(DecodeError, match="has no audio stream"):
        SoundTrack(io.BytesIO(video_bytes(count=2)))


def test_damage_names_its_time():
    import av

    data = bytearray(film("flac.mkv"))
    with av.open(io.BytesIO(data)) as container:
        packets = [p for p in container.demux(audio=0) if p.size]
        packet = packets[len(packets) // 2]
        position = data.find(bytes(packet)[:24])
        seconds = float(packet.pts * packet.time_base)
    data[position : position + 24] = bytes(24)
    track, zero = opened(bytes(data))
    read(track, zero, 4000)
    with pytest.raises(DecodeError, match=rf"the audio at {seconds:.3f} s is damaged"):
        read(track, zero, 40000)
    assert abs(shift_of(read(track, zero + 30000, 8000), 30000, track.rate)) <= 1


def test_a_change_of_the_channels_is_refused():
    data = film("aac.ts") + video_bytes(
        "h264.ts", count=30, start=UNITS, sound=Sound("aac", 48000, channels=1), preset="ultrafast"
    )
    track, zero = opened(data)
    with pytest.raises(DecodeError, match=r"s has 1 channels at 48000 Hz, but the track begins"):
        read(track, zero, 80000)
