"""A frame has the same bytes at random as in order, whatever encoder and container made it."""

import io
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from penstock.decoders.video.frames import FrameReader
from penstock.tests.formats.video.field_pairs import field_pairs
from penstock.tests.videos import in_own_thread

RNG = np.random.default_rng(5)
NOISE = cv2.GaussianBlur(RNG.integers(0, 256, (260, 400, 3), np.uint8), (7, 7), 3)
COUNT = 60
QUIET = "log-level=none"
OPEN_GROUPS = {"x264-params": "open-gop=1:bframes=3:b-pyramid=normal"}
REFRESH = {"intra-refresh": "1"}
# Container, encoder, options, pixels.
ENCODINGS = {
    "H.264 of open groups in MP4": ("mp4", "libx264", OPEN_GROUPS),
    "H.264 of open groups in a transport stream": ("mpegts", "libx264", OPEN_GROUPS),
    "H.264 of open groups in AVI": ("avi", "libx264", OPEN_GROUPS),
    "H.264 with B-frames in ASF": ("asf", "libx264", {"bf": "3"}),
    "H.264 with B-frames in MXF": ("mxf", "libx264", {"bf": "2"}),
    "H.264 in a program stream": ("mpeg", "libx264", {"bf": "2"}),
    "H.264 that refreshes in parts": ("mpegts", "libx264", REFRESH | {"bf": "0"}),
    "H.264 that refreshes in parts, with B-frames": ("mp4", "libx264", REFRESH),
    "H.264 of two fields": ("mpegts", "libx264", {"x264-params": "tff=1"}),
    "H.264 of two fields, the lower first": (
        "mpegts", "libx264", {"x264-params": "bff=1:open-gop=1:bframes=3:b-pyramid=normal"}
    ),
    "H.264 of two fields in MP4": ("mp4", "libx264", {"x264-params": "tff=1:bframes=2"}),
    "MPEG-2 of two fields": ("mpegts", "mpeg2video", {"bf": "2", "flags": "+ildct+ilme"}),
    "HEVC of fields": ("mpegts", "libx265", {"x265-params": f"interlace=tff:bframes=2:{QUIET}"}),
    "HEVC of open groups": ("mp4", "libx265", {"x265-params": f"open-gop=1:bframes=4:{QUIET}"}),
    "HEVC in a program stream": ("mpeg", "libx265", {"x265-params": f"bframes=4:{QUIET}"}),
    "MPEG-1 without a container": ("mpeg1video", "mpeg1video", {"bf": "2"}),
    "MPEG-2 of open groups": ("mpegts", "mpeg2video", {"bf": "2"}),
    "MPEG-4 in AVI": ("avi", "mpeg4", {"bf": "2"}),
    "VP8 with hidden frames": ("webm", "libvpx", {"auto-alt-ref": "1", "lag-in-frames": "16"}),
    "VP9 with hidden frames": ("webm", "libvpx-vp9", {"auto-alt-ref": "1", "lag-in-frames": "16"}),
    "AV1": ("mp4", "libsvtav1", {"preset": "10", "crf": "30"}),
    "Motion JPEG": ("avi", "mjpeg", {}, "yuvj420p"),
    "GIF": ("gif", "gif", {}, "rgb8"),
}  # fmt: skip


def scene(number):
    """Return a frame of a scene that moves: (96, 160, 3)."""
    image = NOISE[number : number + 96, 2 * number : 2 * number + 160].copy()
    image[10:40, 5 + number : 35 + number] = number * 4
    return image


def remuxed(data, container, time_base, times):
    """Copy a video's packets into another container, with times by their place."""
    file = io.BytesIO()
    with av.open(io.BytesIO(data)) as source, av.open(file, "w", format=container) as output:
        stream = output.add_stream_from_template(source.streams.video[0])
        packets = [packet for packet in source.demux(video=0) if packet.size]
        for time, packet in zip(times, packets, strict=True):
            packet.stream, packet.time_base = stream, time_base
            packet.pts = packet.dts = time
            output.mux(packet)
    return file.getvalue()


@in_own_thread
def encode(container, codec, options, pixels="yuv420p"):
    file = io.BytesIO()
    with av.open(file, "w", format=container) as output:
        stream = output.add_stream(codec, rate=25, options=options)
        stream.height, stream.width, stream.pix_fmt, stream.gop_size = 96, 160, pixels, 12
        for number in range(COUNT):
            frame = av.VideoFrame.from_ndarray(scene(number), "rgb24").reformat(format=pixels)
            frame.pts, frame.time_base = number, Fraction(1, 25)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return file.getvalue()


def bytes_of(frame):
    return frame.to_ndarray().tobytes()


def in_order(data):
    """Return the bytes of all frames, as FFmpeg decodes them from the front."""
    with av.open(io.BytesIO(data)) as container:
        container.streams.video[0].thread_type = "NONE"
        return [bytes_of(frame) for frame in container.decode(video=0)]


def check(data):
    """Compare all frames in order, backwards, and at random, by readers that start anywhere."""
    expected = in_order(data)
    count = len(expected)
    reader = FrameReader(io.BytesIO(data))
    assert len(reader.index) == count
    orders = [range(count), range(count - 1, -1, -7), RNG.permutation(count)[:30].tolist()]
    for number in (number for order in orders for number in order):
        assert bytes_of(reader.advance_to(number)) == expected[number], number
    for number in {min(number, count - 1) for number in (59, 37, 14)}:
        fresh = FrameReader(io.BytesIO(data), reader.index)
        assert bytes_of(fresh.advance_to(number)) == expected[number], number
        fresh.close()
    reader.close()
    return reader.index


@pytest.mark.parametrize("name", ENCODINGS)
def test_frames_at_random_are_those_in_order(name):
    index = check(encode(*ENCODINGS[name]))
    assert len(index) == COUNT
    np.testing.assert_allclose(np.diff(index.seconds), 1 / 25, atol=0.011)  # GIF: 10 ms


@pytest.mark.slow
@pytest.mark.parametrize("together", [False, True], ids=["a packet each", "one packet"])
@pytest.mark.parametrize("count", [2, 9, 16, COUNT])
def test_frames_of_field_pairs(together, count):
    data = field_pairs([scene(number) for number in range(count)], together=together)
    with av.open(io.BytesIO(data)) as container:
        assert sum(packet.size > 0 for packet in container.demux(video=0)) == 2 * count
    with av.open(io.BytesIO(data)) as container:
        assert all(frame.interlaced_frame for frame in container.decode(video=0))
    index = check(data)
    assert len(index) == count
    np.testing.assert_allclose(np.diff(index.seconds), 1 / 25)


@pytest.mark.parametrize("container", ["mp4", "matroska"])
@pytest.mark.skipif(
    not hasattr(av.VideoCodecContext, "field_order"), reason="PyAV before 18 tells no fields"
)
def test_frames_of_field_pairs_that_were_copied(container):
    data = field_pairs([scene(number) for number in range(COUNT)], together=False)
    index = check(remuxed(data, container, Fraction(1, 50), range(2 * COUNT)))
    assert len(index) == COUNT
    np.testing.assert_allclose(np.diff(index.seconds), 1 / 25)


def test_the_first_packet_says_how_to_decode_all():
    # FFmpeg predicts lossless blocks of x264 before 151 in another way. One packet has the version.
    data = encode("mp4", "libx264", {"qp": "0", "bf": "2"})
    start = data.index(b"x264 - core ") + len(b"x264 - core ")
    old = data[:start] + b"142" + data[start + 3 :]
    assert in_order(old)[40] != in_order(data)[40]
    check(old)


def test_an_mp4_file_that_states_decoding_times_only():
    data = encode("mp4", "libx264", {"bf": "3"})
    index = check(remuxed(data, "mp4", Fraction(1, 25), range(COUNT)))
    np.testing.assert_allclose(np.diff(index.seconds), 1 / 25)


def test_frames_with_one_time_stamp_count_each():
    data = encode("webm", "libvpx", {"lag-in-frames": "0", "auto-alt-ref": "0"})
    index = check(remuxed(data, "webm", Fraction(1, 1400), range(COUNT)))  # WebM: milliseconds
    assert len(np.unique(index.times)) < COUNT
    assert (np.diff(index.times) >= 0).all()


def test_a_comment_behind_the_last_frame_of_a_gif():
    data = encode("gif", "gif", {}, "rgb8")
    assert data.endswith(b";")
    check(data[:-1] + b"\x21\xfe\x05after\x00;")
