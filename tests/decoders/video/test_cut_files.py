"""Videos of every container and codec, cut at 60 %: an error that names the place, or an exception.

The exceptions are those of docs/video.md: files that state no end, and lose their last packet.
"""

import io
from contextlib import suppress

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import DecodeError
from penstock.formats.media_ends import refuse_cut

from ...videos import FORMS, video_bytes

COUNT = 16
MORE = {
    "h264.flv": ("flv", "libx264", "yuv420p", {}),
    "mpeg4.nut": ("nut", "mpeg4", "yuv420p", {}),
    "vp8.ivf": ("ivf", "libvpx", "yuv420p", {}),
    "vp8.ogv": ("ogg", "libvpx", "yuv420p", {}),
    "raw.y4m": ("yuv4mpegpipe", "wrapped_avframe", "yuv420p", {}),
    "a.gif": ("gif", "gif", "rgb8", {}),
}
STATE_NO_END = {"h264.ts", "hevc open groups.ts", "hevc", "mpeg4.m4v", "raw.y4m", "a.gif"}
PLACE = r"frame \d+, at|data ends at byte \d+|cannot open it|cannot read on|may be cut off"


def frames_of(data):
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(fn.decoders.video(np.frombuffer(data, np.uint8)))
        return len(np.array(pipe.run()[0].at(0)))


@pytest.mark.parametrize("form", [*FORMS, *MORE])
def test_a_cut_video_is_no_shorter_one(form, monkeypatch):
    for name, encoding in MORE.items():
        monkeypatch.setitem(FORMS, name, encoding)
    data = video_bytes(form, COUNT, 8)
    assert frames_of(data) == COUNT
    cut = data[: len(data) * 6 // 10]
    if form in STATE_NO_END:
        with suppress(DecodeError):
            assert 0 < frames_of(cut) < COUNT
        return
    with pytest.raises(DecodeError, match=PLACE):
        frames_of(cut)


def test_a_cut_video_of_a_live_stream_states_no_end():
    data = video_bytes("vp8.webm", COUNT, 8, muxer={"live": "1"})
    assert 0 < frames_of(data[: len(data) * 6 // 10]) < COUNT


UNKNOWN = b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff"  # size of the segment


@pytest.mark.parametrize("form", ["vp8.webm", "ffv1.mkv", "h264 open groups.mkv"])
def test_a_cut_video_without_a_size_states_its_duration(form):
    """As MediaRecorder of browsers writes files, once the duration is filled in."""
    data = video_bytes(form, COUNT, 2)
    at = data.index(UNKNOWN[:4])
    data = data[:at] + UNKNOWN + data[at + len(UNKNOWN) :]
    assert frames_of(data) == COUNT
    for part in (0.6, 0.7):
        cut = int(len(data) * part)
        message = rf"data ends at byte {cut}, \d\.\d+ s after.*duration of \d\.\d+ s: it is cut off"
        with pytest.raises(DecodeError, match=message):
            frames_of(data[:cut])


def test_hostile_bytes_of_matroska_give_errors_or_frames():
    data = bytearray(video_bytes("vp8.webm", COUNT, 8))
    at = data.index(UNKNOWN[:4])
    data[at : at + len(UNKNOWN)] = UNKNOWN
    random = np.random.default_rng(5)
    for _ in range(300):
        changed = data.copy()
        for place in random.integers(0, 400 if random.random() < 0.7 else len(data), 3):
            changed[place] = random.integers(256)
        with suppress(DecodeError):
            refuse_cut(io.BytesIO(changed))


def test_files_joined_byte_by_byte_have_whole_packets():
    first, second = (video_bytes("h264.ts", 8, 8, start=start) for start in (0, 900))
    assert frames_of(first + second) == 16
