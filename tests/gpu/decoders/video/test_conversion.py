"""Planes to pictures on the GPU: the numbers are those of the CPU."""

import io
from types import SimpleNamespace

import av
import numpy as np
import pytest

from penstock.decoders.video import conversion
from penstock.decoders.video.clip_frames import FORMATS, NO_FRAMES, collect
from penstock.decoders.video.contexts import DisplayInfo
from penstock.decoders.video.conversion import PlaneConversion
from penstock.decoders.video.decoder_pool import DecoderPool
from penstock.decoders.video.frames import FrameReader
from penstock.decoders.video.pictures import ClipDecoder, PictureMaker
from penstock.engine.errors import DecodeError
from penstock.engine.graph.context import HeapWorkspace

from ....videos import FORMS, video_bytes

RNG = np.random.default_rng(6)


class Frames:
    """A reader of frames that were made for a test."""

    codec = "ffv1"
    nbytes = 0

    def __init__(self, frames, display=None):
        self._frames = frames
        self.index = SimpleNamespace(seconds=np.arange(len(frames)) / 30)
        self.display = display

    def read(self, numbers):
        for number in numbers:
            yield number, self._frames[number]


def random_frame(name, size):
    """Return a frame of noise."""
    frame = av.VideoFrame(size[1], size[0], name)
    bits = next((bits for bits in (16, 14, 12, 10, 9) if f"p{bits}" in name), 8)
    for plane in frame.planes:
        dtype = np.uint16 if FORMATS[name].is_wide else np.uint8
        lines = np.frombuffer(plane, dtype).reshape(plane.height, -1)
        lines[:] = RNG.integers(0, 1 << bits, lines.shape)
    return frame


def on_gpu(gpu_batch, readers, numbers, space="RGB", dtype=np.uint8, normalized=False, fill=(0,)):
    batch, _ = gpu_batch([np.zeros(1)] * len(readers))
    clips = [collect(r, np.asarray(n), space) for r, n in zip(readers, numbers, strict=True)]
    result = PlaneConversion(space, dtype, normalized, fill).run(batch, clips)
    return [np.array(row) for row in result.as_cpu().rows()]


EIGHT = [name for name, form in FORMATS.items() if not (form.is_wide or form.is_interleaved)]
WIDE = ["yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv420p12le", "yuv444p16le"]


@pytest.mark.parametrize("size", [(96, 160), (33, 47), (2, 2), (1, 5)])
def test_eight_bits_agree(gpu_batch, size):
    frames = [random_frame(name, size) for name in EIGHT]
    (made,) = on_gpu(gpu_batch, [Frames(frames)], [range(len(frames))])
    for name, frame, picture in zip(EIGHT, frames, made, strict=True):
        wanted = PictureMaker("RGB").picture(frame)
        np.testing.assert_array_equal(picture, wanted, name)


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("size", [(96, 160), (34, 46)])
def test_more_bits_agree(gpu_batch, name, size):
    frame = random_frame(name, size)
    ((made,),) = on_gpu(gpu_batch, [Frames([frame])], [[0]])
    difference = np.abs(PictureMaker("RGB").picture(frame).astype(int) - made)
    # On the CPU, FFmpeg dithers luma and chroma.
    assert difference.max() <= 4
    assert difference.mean() < 1


@pytest.mark.parametrize(
    ("planar", "other", "shift"),
    [
        ("yuv420p", "nv12", 0),
        ("yuv422p", "nv16", 0),
        ("yuv444p", "nv24", 0),
        ("yuv420p10le", "p010le", 6),
        ("yuv420p12le", "p012le", 4),
        ("yuv422p10le", "p210le", 6),
        ("yuv444p10le", "yuv444p16le", 6),
    ],
)
def test_the_gpu_s_formats_are_the_cpu_s_in_another_order(gpu_batch, planar, other, shift):
    frame, twin = random_frame(planar, (33, 47)), av.VideoFrame(47, 33, other)
    dtype = np.uint16 if FORMATS[planar].is_wide else np.uint8
    rows = [np.frombuffer(p, dtype).reshape(p.height, -1)[:, : p.width] for p in frame.planes]
    others = [np.frombuffer(p, dtype).reshape(p.height, -1) for p in twin.planes]
    if len(others) == 2:
        rows[1:] = [np.stack(rows[1:], axis=-1).reshape(len(rows[1]), -1)]
    for target, row in zip(others, rows, strict=True):
        target[:, : row.shape[1]] = row << shift
    ((one,), (two,)) = on_gpu(gpu_batch, [Frames([frame]), Frames([twin])], [[0], [0]])
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("rotation", [0, 90, 180, -90])
@pytest.mark.parametrize("space", ["RGB", "YCbCr"])
def test_turns_matrices_and_ranges_agree(gpu_batch, rotation, space):
    for matrix in ("bt709", "bt2020nc", "smpte170m"):
        for span in ("tv", "pc"):
            options = {"colorspace": matrix, "color_range": span, "rotation": rotation}
            data = video_bytes(count=4, size=(64, 96), **options)
            reader, pooled = (
                FrameReader(io.BytesIO(data), pool=p) for p in (None, DecoderPool(None))
            )
            made = on_gpu(gpu_batch, [reader, pooled], [[3, 0], [3, 0]], space)
            wanted = ClipDecoder(space).decode(reader, np.array([3, 0]), HeapWorkspace())
            for clip in made:
                np.testing.assert_array_equal(clip, wanted)


def test_what_the_container_states_counts_where_frames_state_nothing(gpu_batch):
    plain = random_frame("yuv420p", (32, 48))
    stated = random_frame("yuv420p", (32, 48))
    for plane, other in zip(plain.planes, stated.planes, strict=True):
        np.frombuffer(other, np.uint8)[:] = np.frombuffer(plane, np.uint8)
    stated.colorspace, stated.color_range = 1, 2
    display = DisplayInfo(rotation=90, matrix=1, color_range=2)
    ((made,), (own,)) = on_gpu(gpu_batch, [Frames([plain], display), Frames([stated])], [[0], [0]])
    np.testing.assert_array_equal(made, np.rot90(own))


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float16])
@pytest.mark.parametrize("normalized", [False, True])
def test_types_filled_frames_and_order(gpu_batch, dtype, normalized):
    numbers = [np.array([5, -1, 2, 5, 0]), np.array([-1, -1]), np.array([1])]
    videos = [video_bytes(count=6, size=size) for size in [(64, 96), (50, 70), (64, 96)]]
    readers = [FrameReader(io.BytesIO(data)) for data in videos]
    options = {"dtype": dtype, "normalized": normalized, "fill": (9, 200, 31)}
    made = on_gpu(gpu_batch, readers, numbers, **options)
    for clip, reader, number in zip(made, readers, numbers, strict=True):
        wanted = ClipDecoder(**options).decode(reader, number, HeapWorkspace())
        assert clip.dtype == wanted.dtype
        np.testing.assert_array_equal(clip, wanted)


@pytest.mark.parametrize("form", FORMS)
def test_videos_agree(gpu_batch, form):
    reader = FrameReader(io.BytesIO(video_bytes(form, count=6)))
    (made,) = on_gpu(gpu_batch, [reader], [[1, 4]])
    wanted = ClipDecoder().decode(reader, np.array([1, 4]), HeapWorkspace())
    largest = 3 if "10 bit" in form or "prores" in form else 0
    assert np.abs(wanted.astype(int) - made).max() <= largest


def test_pictures_beyond_one_launch(gpu_batch, monkeypatch):
    monkeypatch.setattr(conversion, "_MOST", 3)
    frames = [random_frame("yuv420p", (8, 8)) for _ in range(7)]
    (made,) = on_gpu(gpu_batch, [Frames(frames)], [range(7)])
    for frame, picture in zip(frames, made, strict=True):
        np.testing.assert_array_equal(PictureMaker("RGB").picture(frame), picture)


def test_clips_without_frames(gpu_batch):
    batch, _ = gpu_batch([np.zeros(1)] * 2)
    result = PlaneConversion("RGB", np.uint8, False, (0,)).run(batch, [NO_FRAMES, NO_FRAMES])
    assert result.as_cpu().as_array().shape == (2, 0, 1, 1, 3)


def test_a_change_of_size_is_refused():
    frames = [random_frame("yuv420p", size) for size in ((8, 8), (8, 10))]
    with pytest.raises(DecodeError, match=r"frame 1, at 0\.033 s, has 8 x 10 pixels"):
        collect(Frames(frames), np.array([0, 1]), "RGB")
