from __future__ import annotations

import threading

import cv2
import numpy as np
import pytest

from penstock.decoders.image.decode import (
    OUTPUTS,
    decode,
    decode_to_fit,
    peek_shape,
)
from penstock.decoders.image.formats.base import MAX_PIXELS
from penstock.engine.errors import DecodeError

NATURAL_OUTPUT = {1: "GRAY", 2: "GRAY", 3: "RGB", 4: "RGB"}
COLORS = {1: 1, 2: 1, 3: 3, 4: 3}
KEYED = {"png_rgb8_color_key", "png_palette8_alpha"}


def load(image):
    return np.fromfile(image.path, np.uint8)


def test_jpeg_pixels_are_those_of_the_default_settings_of_libjpeg(image_zoo):
    from PIL import Image, ImageOps

    for name, image in image_zoo.items():
        if not name.startswith(("jpeg", "exif")) or name == "jpeg_cmyk_plain":
            continue  # Pillow inverts all CMYK, DALI and we what Adobe marked
        with Image.open(image.path) as opened:
            expected = np.asarray(ImageOps.exif_transpose(opened).convert("RGB"))
        np.testing.assert_array_equal(decode(load(image)), expected, err_msg=name)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32", "float16"])
def test_every_output_and_type_has_its_shape(image_zoo, output, dtype):
    for name in ("jpeg_420", "jpeg_gray", "jpeg_cmyk_plain", "exif_6", "png_rgb16", "jp2_gray8"):
        image = image_zoo[name]
        height, width = image.truth().shape[:2]
        channels = {"GRAY": 1, "ANY_DATA": image.shape[2]}.get(output, 3)
        result = decode(load(image), output=output, dtype=dtype)
        assert result.shape == (height, width, channels), name
        assert peek_shape(load(image), output=output) == result.shape
        assert result.dtype == dtype
        assert result.flags.c_contiguous
        if dtype.startswith("float"):
            assert 0.5 < result.max() <= 1


@pytest.mark.parametrize(
    "roi", [(0, 0, 0, 5), (3, 0, 2, 5), (-1, 0, 5, 5), (0, 0, 121, 5), (0, 0, 5, 161)]
)
def test_roi_outside_the_image_is_an_error(image_zoo, roi):
    with pytest.raises(ValueError, match="expected a part of the image of 120 x 160 pixels"):
        decode(load(image_zoo["jpeg_420"]), roi=roi)


def test_unknown_output_and_type_are_errors(image_zoo):
    data = load(image_zoo["jpeg_420"])
    with pytest.raises(ValueError, match="'rgb'; expected one of RGB, BGR"):
        decode(data, output="rgb")
    with pytest.raises(ValueError, match="float64; expected one of uint8"):
        decode(data, dtype="float64")


def test_result_lies_in_the_memory_given(image_zoo):
    scratch = np.zeros(10**7, np.uint8)
    for name in ("jpeg_420", "jpeg_gray", "jpeg_cmyk_adobe", "exif_6", "png_rgb16", "webp_lossy"):
        for output in OUTPUTS:
            for dtype in ("uint8", "float32"):
                calls = []

                def empty(shape, dtype, calls=calls):
                    calls.append(shape)
                    return scratch[: np.prod(shape) * dtype.itemsize].view(dtype).reshape(shape)

                data = load(image_zoo[name])
                result = decode(data, output=output, dtype=dtype, roi=(1, 2, 30, 40), empty=empty)
                assert len(calls) == 1
                assert np.shares_memory(result, scratch)
                expected = decode(data, output=output, dtype=dtype)[1:30, 2:40]
                np.testing.assert_allclose(result, expected, rtol=1e-6, err_msg=f"{name} {output}")


def test_a_whole_image_is_the_memory_given(image_zoo):
    """Or the batch would copy the image to memory of its own."""
    for name in ("jpeg_420", "jpeg_gray", "jpeg_cmyk_adobe", "exif_6", "png_rgb16", "webp_lossy"):
        given = []

        def empty(shape, dtype, given=given):
            given.append(np.empty(shape, dtype))
            return given[-1]

        assert decode(load(image_zoo[name]), empty=empty) is given[0], name


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("scale", [1, 2, 4, 8])
def test_decode_to_fit_stops_at_the_size_needed(image_zoo, generator, orientation, scale):
    from PIL import Image

    picture = generator.scene(17, 403, 509)
    jpeg = cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
    tag = (
        b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0" + bytes([orientation, 0, 0, 0]) + bytes(4)
    )
    segment = b"Exif\0\0" + tag
    head = b"\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment
    data = np.frombuffer(jpeg[:2] + head + jpeg[2:], np.uint8)

    roi = (13, 21, 391, 380)
    fit = (int((391 - 13) / scale), int((380 - 21) / scale))
    decoded = decode_to_fit(data, fit=fit, roi=roi)
    y0, x0, y1, x1 = decoded.window
    assert (y1 - y0, x1 - x0) == pytest.approx(((391 - 13) / scale, (380 - 21) / scale))
    assert y0 >= 0 <= x0
    height, width = decoded.image.shape[:2]
    assert height - 1 < y1 <= height
    assert width - 1 < x1 <= width

    def resized(pixels, box):
        image = Image.fromarray(np.ascontiguousarray(pixels))
        size = (fit[1], fit[0])
        return np.asarray(
            image.resize(size, Image.Resampling.BILINEAR, (box[1], box[0], box[3], box[2])), float
        )

    expected = resized(decode(data), roi)
    assert np.abs(resized(decoded.image, decoded.window) - expected).mean() < 3


def test_other_formats_are_decoded_in_full_to_fit(image_zoo):
    data = load(image_zoo["png_rgb8"])
    decoded = decode_to_fit(data, fit=(2, 2), roi=(1, 2, 90, 101))
    assert decoded.window == (0.0, 0.0, 89.0, 99.0)
    np.testing.assert_array_equal(decoded.image, decode(data)[1:90, 2:101])


def test_bad_files_are_refused(bad_files):
    for name, bad in bad_files.items():
        if bad.path.is_dir():
            continue
        data = np.fromfile(bad.path, np.uint8)
        if bad.outcome == "fine":
            assert decode(data).size > 0, name
            continue
        with pytest.raises(DecodeError) as caught:
            decode(data)
        assert str(caught.value).endswith("."), name


def test_bombs_are_refused_before_memory_is_taken(bad_files):
    asked = []

    def empty(shape, dtype):
        asked.append(shape)
        return np.empty(shape, dtype)

    for name in ("jpeg_bomb", "png_bomb"):
        data = np.fromfile(bad_files[name].path, np.uint8)
        with pytest.raises(DecodeError, match=f"expected {MAX_PIXELS} pixels at most"):
            decode(data, empty=empty)
    assert asked == []


FRAGILE = (
    "jpeg_1x1", "jpeg_8x8", "exif_6", "jpeg_cmyk_plain", "jpeg_progressive", "png_gray_alpha8",
    "png_palette4", "png_exif_6", "tiff_rgb8_lzw", "tiff_rgb8_jpeg", "tiff_rgba8", "tiff_exif_6",
    "bmp_palette8", "bmp_rgba32", "webp_lossy_alpha", "webp_lossless", "webp_exif_6", "jp2_rgb8",
    "jp2_gray16", "pbm_binary", "pgm_ascii", "ppm16_binary",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAGILE)
def test_cut_off_and_flipped_bytes_give_an_image_or_a_decode_error(image_zoo, name):
    rng = np.random.default_rng(11)
    sound = load(image_zoo[name])
    refused = 0
    # The end marker of a JPEG and half of the last number of a text may be missing.
    for size in np.linspace(0, len(sound) - 6, 40).astype(int):
        with pytest.raises(DecodeError):
            decode(sound[:size])
    for trial in range(150):
        data = sound.copy()
        limit = 400 if trial % 2 else len(data)  # every other one hits the header
        data[rng.integers(0, min(limit, len(data)))] = rng.integers(0, 256)
        try:
            assert decode(data, output=OUTPUTS[trial % len(OUTPUTS)]).ndim == 3
        except DecodeError:
            refused += 1
    assert refused > 0


def test_threads_decode_the_same(image_zoo):
    names = ["jpeg_420", "exif_6", "png_rgb8", "tiff_rgb8_deflate", "jp2_rgb8"]
    expected = {name: decode(load(image_zoo[name])) for name in names}
    wrong = []

    def work():
        wrong.extend(
            name
            for name in names * 5
            if not np.array_equal(decode(load(image_zoo[name])), expected[name])
        )

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
