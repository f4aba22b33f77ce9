"""JPEG 2000 files: the requirements on every format, and what is special to JPEG 2000."""

from __future__ import annotations

import io
import struct
import sys
from fractions import Fraction
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image, ImageCms

from penstock.decoders.image.decode import decode, peek_shape
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError, MissingDependencyError
from penstock.testing.decoders import EncodedImage, FormatConformance

from ..zoo import zoo_images


class TestJpeg2000(FormatConformance):
    format_name = "JPEG 2000"

    @pytest.fixture
    def images(self, image_zoo) -> dict[str, EncodedImage]:
        return zoo_images(image_zoo, "jp2")


def codestream(image):
    content = image.path.read_bytes()
    return np.frombuffer(content[content.index(b"\xff\x4f\xff\x51") :], np.uint8)


@pytest.mark.parametrize("name", ["jp2_rgb8", "jp2_gray8", "jp2_rgb16", "jp2_gray16"])
@pytest.mark.parametrize("output", ["RGB", "GRAY", "ANY_DATA"])
def test_raw_codestreams_decode_as_their_files_do(image_zoo, name, output):
    image = image_zoo[name]
    data = np.fromfile(image.path, np.uint8)
    assert read_header(codestream(image)) == read_header(data)
    expected = decode(data, output=output)
    np.testing.assert_array_equal(decode(codestream(image), output=output), expected)


def test_raw_codestreams_are_decoded_in_silence(image_zoo, capfd):
    assert decode(codestream(image_zoo["jp2_rgb8"])).size
    assert capfd.readouterr().err == ""


def noise(*shape: int, bits: int = 8, seed: int = 3) -> Any:
    samples = np.random.default_rng(seed).integers(0, 1 << bits, shape)
    return samples.astype(np.uint8 if bits <= 8 else np.uint16)


def as_data(content: Any) -> Any:
    return np.frombuffer(bytes(content), np.uint8)


def saved(image: Image.Image, **options: Any) -> bytes:
    """Return a lossless JP2 file of Pillow."""
    file = io.BytesIO()
    image.save(file, "JPEG2000", **options)
    return file.getvalue()


def with_color(content: bytes, box: bytes) -> Any:
    """Return a JP2 file of Pillow with another content of its color box."""
    at, start = content.index(b"colr") - 4, content.index(b"jp2h") - 4
    length, whole = (struct.unpack_from(">I", content, each)[0] for each in (at, start))
    changed = struct.pack(">I4s", 8 + len(box), b"colr") + box
    head = struct.pack(">I", whole - length + len(changed)) + content[start + 4 : at]
    return as_data(content[:start] + head + changed + content[at + length :])


def enumerated(number: int) -> bytes:
    return struct.pack(">BBBI", 1, 0, 0, number)


@pytest.mark.parametrize("bits", range(1, 17))
@pytest.mark.parametrize("shape", [(20, 30), (20, 30, 3), (20, 30, 4)])
@pytest.mark.parametrize("form", ["jp2", "j2k"])
def test_every_depth_spans_the_range(bits, shape, form):
    pixels = noise(*shape, bits=bits)
    data = as_data(
        imagecodecs.jpeg2k_encode(
            pixels, level=0, bitspersample=bits, codecformat=form, reversible=True
        )
    )
    levels = pixels.reshape(20, 30, -1) / ((1 << bits) - 1)
    assert read_header(data).bits == bits
    result = decode(data, output="ANY_DATA", dtype=np.float32)
    np.testing.assert_allclose(result, levels, atol=1e-6)
    for dtype in (np.uint8, np.uint16):
        result = decode(data, output="ANY_DATA", dtype=dtype)
        scaled = np.floor(levels * np.iinfo(dtype).max + 0.5)
        assert np.abs(result - scaled).max() <= (bits > 8)
    window = decode(data, dtype=np.uint16, roi=(3, 5, 11, 30))
    np.testing.assert_array_equal(window, decode(data, dtype=np.uint16)[3:11, 5:])


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_signed_samples_lie_around_the_middle(dtype):
    pixels = noise(20, 30, bits=8 * np.dtype(dtype).itemsize).view(dtype)
    data = as_data(imagecodecs.jpeg2k_encode(pixels, level=0, reversible=True))
    expected = np.asarray(Image.open(io.BytesIO(data.tobytes())))
    result = decode(data, output="GRAY", dtype=expected.dtype)
    np.testing.assert_array_equal(result[..., 0], expected)


def test_deeper_samples_are_numbers():
    numbers = np.arange(600, dtype=np.uint32).reshape(20, 30) * 1000
    data = as_data(imagecodecs.jpeg2k_encode(numbers, level=0, bitspersample=20, reversible=True))
    result = decode(data, output="GRAY", dtype=np.int32)
    np.testing.assert_array_equal(result[..., 0], numbers)


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
@pytest.mark.parametrize("raw", [False, True])
def test_files_of_pillow(mode, raw):
    pixels = noise(20, 30, len(mode)).squeeze()
    data = as_data(saved(Image.fromarray(pixels), no_jp2=raw))
    assert peek_shape(data, output="ANY_DATA") == (20, 30, len(mode))
    np.testing.assert_array_equal(decode(data, output="ANY_DATA").squeeze(), pixels)


@pytest.mark.parametrize("channels", [5, 8])
def test_many_components(channels):
    pixels = noise(20, 30, channels)
    data = as_data(imagecodecs.jpeg2k_encode(pixels, level=0, reversible=True))
    np.testing.assert_array_equal(decode(data, output="ANY_DATA"), pixels)
    np.testing.assert_array_equal(decode(data), pixels[..., :3])


@pytest.mark.parametrize("number", [18, 24])
def test_ycc_gives_rgb(number):
    picture = Image.fromarray(noise(5, 8, 3) // 2 + 64).resize((64, 40), Image.Resampling.BICUBIC)
    ycc = np.asarray(picture.convert("YCbCr"))
    data = with_color(saved(Image.fromarray(ycc)), enumerated(number))
    assert np.abs(decode(data).astype(int) - np.asarray(picture)).max() <= 3


def by_ffmpeg(picture: Image.Image, form: str, container: str) -> tuple[Any, Any]:
    """Return a lossless JPEG 2000 file of FFmpeg, and its YCbCr planes with repeated samples."""
    av = pytest.importorskip("av", reason="PyAV is not installed")
    frame = av.VideoFrame.from_image(picture)
    frame = frame.reformat(format=form, dst_colorspace="ITU601", dst_color_range="JPEG")
    frame.pts = 0
    encoder = av.CodecContext.create("jpeg2000", "w")
    encoder.width, encoder.height = picture.size
    encoder.pix_fmt, encoder.time_base = form, Fraction(1, 25)
    encoder.options = {"format": container, "pred": "dwt53"}
    packet, *_ = [*encoder.encode(frame), *encoder.encode(None)]
    planes = []
    for plane in frame.planes:
        rows = np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)
        rows = rows[:, : plane.width]
        down, across = -(-picture.height // plane.height), -(-picture.width // plane.width)
        rows = rows.repeat(down, axis=0).repeat(across, axis=1)
        planes.append(rows[: picture.height, : picture.width])
    return as_data(bytes(packet)), np.stack(planes, axis=-1)


@pytest.mark.parametrize("container", ["jp2", "j2k"])
@pytest.mark.parametrize("form", ["yuv420p", "yuv422p"])
def test_subsampled_chroma_gives_the_pixels_of_ffmpeg_s_planes(form, container):
    picture = Image.fromarray(noise(5, 8, 3)).resize((61, 43), Image.Resampling.BICUBIC)
    data, ycc = by_ffmpeg(picture, form, container)
    expected = np.asarray(Image.fromarray(ycc, "YCbCr").convert("RGB")).astype(int)
    assert peek_shape(data) == (43, 61, 3)
    assert np.abs(decode(data) - expected).max() <= 3


@pytest.mark.parametrize("container", ["jp2", "j2k"])
@pytest.mark.parametrize(
    ("form", "steps"), [("yuv410p", "4 x 4"), ("yuv411p", "4 x 1"), ("yuv440p", "1 x 2")]
)
def test_other_subsamplings_are_named(form, steps, container, capfd):
    data, _ = by_ffmpeg(Image.fromarray(noise(43, 61, 3)), form, container)
    message = f"a subsampling by 1 x 1, {steps}, {steps} columns and lines is not supported.*PNG"
    with pytest.raises(DecodeError, match=message):
        decode(data)
    assert capfd.readouterr().err == ""


def test_inks_are_mixed():
    inks = noise(20, 30, 4)
    data = with_color(saved(Image.fromarray(inks)), enumerated(12))
    np.testing.assert_array_equal(decode(data, output="ANY_DATA"), inks)
    expected = np.asarray(Image.fromarray(inks, "CMYK").convert("RGB"))
    assert np.abs(decode(data).astype(int) - expected).max() <= 1


def test_profiles_change_no_pixels():
    pixels = noise(20, 30, 3)
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    profile = srgb.replace(b"rXYZ", b"----").replace(b"bXYZ", b"rXYZ").replace(b"----", b"bXYZ")
    data = with_color(saved(Image.fromarray(pixels)), b"\2\0\0" + profile)
    assert (imagecodecs.jpeg2k_decode(data) != pixels).any()
    np.testing.assert_array_equal(decode(data), pixels)


def test_palettes_give_their_colors():
    indices, colors = noise(20, 30) % 16, noise(16, 3)
    content = saved(Image.fromarray(indices))
    palette = struct.pack(">HB3B", 16, 3, 7, 7, 7) + colors.tobytes()
    mapping = b"".join(struct.pack(">HBB", 0, 1, column) for column in range(3))
    boxes = b"".join(
        struct.pack(">I4s", 8 + len(body), name) + body
        for name, body in ((b"pclr", palette), (b"cmap", mapping))
    )
    at = content.index(b"jp2h") - 4
    (length,) = struct.unpack_from(">I", content, at)
    whole = content[:at] + struct.pack(">I", length + len(boxes)) + content[at + 4 : at + length]
    data = with_color(whole + boxes + content[at + length :], enumerated(16))
    assert peek_shape(data, output="ANY_DATA") == (20, 30, 3)
    np.testing.assert_array_equal(decode(data, output="ANY_DATA"), colors[indices])


@pytest.mark.parametrize("space", [14, 19])
def test_color_spaces_that_nothing_converts_are_named(space):
    data = with_color(saved(Image.fromarray(noise(20, 30, 3))), enumerated(space))
    assert peek_shape(data) == (20, 30, 3)
    with pytest.raises(DecodeError, match=r"the color space CIE.* is not supported"):
        decode(data)


def test_components_of_mixed_depth_are_named():
    data = as_data(saved(Image.fromarray(noise(20, 30, 2)))).copy()
    data[data.tobytes().index(b"\xff\x4f\xff\x51") + 45] = 3
    assert peek_shape(data) == (20, 30, 3)
    with pytest.raises(DecodeError, match=r"components of \[4, 8\] bits.* is not supported"):
        decode(data)


def test_a_missing_library_is_named_with_its_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    data = as_data(saved(Image.fromarray(noise(20, 30))))
    assert peek_shape(data) == (20, 30, 3)
    with pytest.raises(MissingDependencyError, match=r"needs imagecodecs.*\[images\]"):
        decode(data)
