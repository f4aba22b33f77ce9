import io
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from penstock.decoders.video import pictures
from penstock.decoders.video.frames import FrameReader
from penstock.decoders.video.pictures import ClipDecoder, PictureMaker
from penstock.engine.errors import DecodeError, PipelineStopped
from penstock.engine.graph.context import HeapWorkspace

from ...videos import numbers_of, picture, video_bytes

LOSSLESS = {"qp": "0", "preset": "ultrafast"}


def decode(data, numbers=(0,), **options):
    reader = FrameReader(io.BytesIO(data))
    return ClipDecoder(**options).decode(reader, np.array(numbers), HeapWorkspace())


@pytest.mark.parametrize("rotation", [90, 180, -90])
def test_turned_videos_are_turned_upright(rotation):
    plain = decode(video_bytes(**LOSSLESS))[0]
    turned = decode(video_bytes(rotation=rotation, **LOSSLESS))[0]
    np.testing.assert_array_equal(turned, np.rot90(plain, rotation // 90))


def widths(frame):
    return [plane.width for plane in frame.planes]


def rgb_of(y, u, v, matrix, full):
    """ITU-R BT.601, BT.709 and BT.2020."""
    weights = {
        "bt709": (0.2126, 0.0722),
        "smpte170m": (0.299, 0.114),
        "bt2020nc": (0.2627, 0.0593),
    }
    red, blue = weights[matrix]
    scale, offset, chroma = (255, 0, 255) if full else (219, 16, 224)
    y, u, v = (y - offset) / scale, (u - 128) / chroma, (v - 128) / chroma
    r, b = y + 2 * (1 - red) * v, y + 2 * (1 - blue) * u
    green = (y - red * r - blue * b) / (1 - red - blue)
    return np.clip(np.array([r, green, b]) * 255, 0, 255)


@pytest.mark.parametrize("matrix", ["bt709", "smpte170m", "bt2020nc"])
@pytest.mark.parametrize("span", ["tv", "pc"])
@pytest.mark.parametrize("form", ["h264 4:4:4.mp4", "h264 4:2:2 10 bit.mkv"])
def test_colors_follow_the_matrix_and_the_range(matrix, span, form):
    data = video_bytes(form, count=4, colorspace=matrix, color_range=span, **LOSSLESS)
    reader = FrameReader(io.BytesIO(data))
    ((_, frame),) = reader.read([3])
    dtype, unit = (np.uint16, 4) if "10" in form else (np.uint8, 1)
    planes = [np.frombuffer(p, dtype).reshape(96, -1)[70] / unit for p in frame.planes]
    y, u, v = (plane[18 * width // 160] for plane, width in zip(planes, widths(frame), strict=True))
    made = PictureMaker("RGB").picture(frame)[70, 18]
    np.testing.assert_allclose(made, rgb_of(y, u, v, matrix, span == "pc"), atol=2)


def test_ycbcr_floats_and_filled_frames():
    data = video_bytes("h264 4:4:4.mp4", **LOSSLESS)
    box = decode(data, [0], space="YCbCr")[0, 70, 10]
    np.testing.assert_allclose(box, [103.5, 107.2, 189.5], atol=2)  # (200, 60, 60) in BT.601
    floats = decode(data, [0, -1], dtype=np.float32, normalized=True, fill=(255, 0, 51))
    np.testing.assert_allclose(floats[0], decode(data)[0] / 255, atol=1e-6)
    np.testing.assert_allclose(floats[1, 5, 5], [1, 0, 0.2], atol=1e-6)
    assert decode(data, [0], dtype=np.float32).max() > 100


def test_a_clip_of_filled_frames_alone_has_the_video_s_size():
    assert decode(video_bytes(), [-1, -1], fill=(7,)).shape == (2, 96, 160, 3)


def test_pixels_are_those_of_the_picture():
    image = decode(video_bytes("h264 4:4:4.mp4", **LOSSLESS), [5])[0]
    assert np.abs(image.astype(int) - picture(5)).mean() < 1.5


def test_a_change_of_size_is_refused_within_a_clip_only():
    data = video_bytes("h264.ts", count=10) + video_bytes(
        "h264.ts", count=10, size=(64, 160), start=3000, first=10
    )
    numbers = len(FrameReader(io.BytesIO(data)).index)
    assert numbers == 20
    assert numbers_of(decode(data, [2, 5])) == [2, 5]
    assert decode(data, [12]).shape == (1, 64, 160, 3)
    with pytest.raises(DecodeError, match=r"frame 12, at .* has 64 x 160 pixels, but the clip's"):
        decode(data, [2, 12])


def packed(image, count, options):
    """Return a video of one picture, as H.264 in MP4."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as output:
        stream = output.add_stream("libx264", rate=30, options=options)
        stream.height, stream.width, _ = image.shape
        frame = av.VideoFrame.from_ndarray(image, "rgb24").reformat(format="yuv420p")
        for number in range(count):
            frame.pts, frame.time_base = number, Fraction(1, 30)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return file.getvalue()


def test_a_small_file_of_large_black_frames_is_refused(monkeypatch):
    monkeypatch.setattr(pictures, "MOST_PIXELS", 1 << 27)
    data = packed(np.zeros((1088, 1920, 3), np.uint8), 100, {"preset": "ultrafast", "threads": "1"})
    match = rf"100 frames of 1088 x 1920 pixels; .* with {len(data)} bytes is 134217728 pixels, 64"
    with pytest.raises(DecodeError, match=match):
        decode(data, range(100))
    assert decode(data, range(2)).shape == (2, 1088, 1920, 3)


def test_a_large_clip_of_an_honest_file_is_decoded(monkeypatch):
    monkeypatch.setattr(pictures, "MOST_PIXELS", 1 << 21)
    slide = np.full((540, 960, 3), 250, np.uint8)
    for line in range(6):
        text = f"{line}. What the lecture says"
        cv2.putText(slide, text, (40, 70 + 70 * line), cv2.FONT_HERSHEY_COMPLEX, 1, (20, 20, 60), 2)
    data = packed(slide, 40, {"preset": "veryfast"})
    assert decode(data, range(40)).shape == (40, 540, 960, 3)


class StoppedWorkspace(HeapWorkspace):
    """A workspace whose pipeline is closed after two frames."""

    checks = 0

    def check_running(self):
        self.checks += 1
        if self.checks > 2:
            raise PipelineStopped("closed")


def test_a_long_clip_ends_with_its_pipeline():
    reader = FrameReader(io.BytesIO(video_bytes()))
    workspace = StoppedWorkspace()
    with pytest.raises(PipelineStopped):
        ClipDecoder().decode(reader, np.arange(8), workspace)
    assert workspace.checks == 3
    reader.close()
