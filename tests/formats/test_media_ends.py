"""Files that end before the place that their headers name; and files that name none."""

import io
from contextlib import suppress

import av
import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.formats.media import open_media
from penstock.formats.media_ends import refuse_cut

from ..decoders.audio.ffmpeg_sounds import encoded
from ..videos import video_bytes

VIDEOS = ["h264 open groups.mkv", "vp9.webm", "wmv2.asf", "mpeg2.mxf", "mjpeg.avi", "vp9.ivf"]
SOUNDS = [("matroska", "flac"), ("webm", "libopus"), ("asf", "wmav2"), ("ac3", "ac3")]
SOUNDS += [("wv", "wavpack")]
AMR = b"#!AMR\n" + (b"\x3c" + bytes(31)) * 20  # of 12.2 kbit/s
WIDE_AMR = b"#!AMR-WB\n" + (b"\x44" + bytes(60)) * 20


def contents():
    yield from (encoded(*form) for form in SOUNDS)
    yield from (video_bytes(form, 20, 10) for form in VIDEOS)
    yield from (AMR, WIDE_AMR)


def test_cut_files_are_refused(tmp_path):
    for content in contents():
        refuse_cut(io.BytesIO(content))
        for size in (len(content) * 6 // 10, len(content) * 9 // 10):
            file = io.BytesIO(content[: size - 1])  # within a frame
            file.seek(3)
            with pytest.raises(DecodeError, match=f"the data ends at byte {size - 1}, and the fil"):
                refuse_cut(file)
            (tmp_path / "cut").write_bytes(content[: size - 1])
            with pytest.raises(DecodeError, match=r"ends? at byte"):
                open_media(str(tmp_path / "cut"), sounds=True)


def test_a_file_object_keeps_its_position():
    file = io.BytesIO(AMR)
    file.seek(7)
    refuse_cut(file)
    assert file.tell() == 7


def test_bytes_behind_a_file_do_no_harm():
    for content in contents():
        if not content.startswith(b"DKIF"):  # FFmpeg, too, takes all bytes of IVF for frames
            refuse_cut(io.BytesIO(content + b"TAG" + bytes(125)))


def test_a_size_of_an_avi_that_counts_its_own_head():
    content = bytearray(video_bytes("mjpeg.avi", 20, 10))
    content[4:8] = len(content).to_bytes(4, "little")
    refuse_cut(io.BytesIO(content))


def test_files_that_name_no_end():
    with av.open(live := io.BytesIO(), "w", format="matroska", options={"live": "1"}) as output:
        stream = output.add_stream("pcm_s16le", rate=8000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 8000), np.int16), "s16", "mono")
        frame.sample_rate = 8000
        output.mux(stream.encode(frame))
    whole = live.getvalue()
    for content in (whole, whole[:-100], video_bytes("h264.ts", 20, 10)[:-100], b"", b"\x0bw"):
        refuse_cut(io.BytesIO(content))


def test_any_bytes_are_whole_or_cut():
    generator = np.random.default_rng(0)
    for content in contents():
        for _ in range(100):
            data = bytearray(content[: generator.integers(200)])
            for at in generator.integers(len(data), size=4) if data else ():
                data[at] = generator.integers(256)
            with suppress(DecodeError):
                refuse_cut(io.BytesIO(data))
