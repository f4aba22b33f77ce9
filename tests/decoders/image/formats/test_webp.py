"""WebP files: the requirements on every format, and what is special to WebP."""

from __future__ import annotations

import io

import cv2
import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.engine.errors import DecodeError
from penstock.testing.decoders import EncodedImage, FormatConformance

from ..zoo import zoo_images


class TestWebp(FormatConformance):
    format_name = "WebP"

    @pytest.fixture
    def images(self, image_zoo) -> dict[str, EncodedImage]:
        return zoo_images(image_zoo, "webp")


def test_an_image_that_the_library_refuses_is_a_decode_error():
    data = cv2.imencode(".webp", np.zeros((20, 30, 3), np.uint8))[1]
    data[30:] = 0xFF
    with pytest.raises(DecodeError, match=r"^WebP: OpenCV cannot decode the data: 30 x 20 pixels"):
        decode(data)


@pytest.mark.parametrize("name", ["webp_exif_6", "webp_lossy_alpha", "webp_lossless_alpha"])
def test_damage_that_pillow_finds_in_the_extended_form_is_found(image_zoo, name):
    sound = image_zoo[name].path.read_bytes()
    refused = 0
    for offset in range(len(sound) // 4, len(sound) - 80, len(sound) // 20):
        damaged = sound[:offset] + b"\xff" * 60 + sound[offset + 60 :]
        try:
            Image.open(io.BytesIO(damaged)).load()
        except OSError:
            refused += 1
            with pytest.raises(DecodeError):
                decode(np.frombuffer(damaged, np.uint8), output="ANY_DATA")
    assert refused > 0


def test_damaged_alpha_is_found_where_alpha_is_wanted(image_zoo):
    data = np.fromfile(image_zoo["webp_lossy_alpha"].path, np.uint8)
    colors = decode(data)
    alpha = bytes(data).index(b"ALPH") + 8
    data[alpha + 3 : alpha + 40] = 0xFF
    np.testing.assert_array_equal(decode(data), colors)
    with pytest.raises(DecodeError):
        decode(data, output="ANY_DATA")


def test_first_frame_of_an_animation_is_decoded():
    first = np.random.default_rng(2).integers(0, 256, (20, 30, 3)).astype(np.uint8)
    frames = [Image.fromarray(first), Image.fromarray(255 - first)]
    file = io.BytesIO()
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    np.testing.assert_array_equal(decode(np.frombuffer(file.getvalue(), np.uint8)), first)


def animation(*frames, **options):
    file = io.BytesIO()
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:], **options)
    return file.getvalue()


@pytest.mark.parametrize("lossless", [True, False])
def test_first_frame_with_alpha_is_that_of_pillow(lossless, generator):
    colors = generator.scene(5, 40, 60)
    alpha = np.zeros((40, 60, 1), np.uint8)
    alpha[10:, :50] = 200
    first = Image.fromarray(np.concatenate([colors, alpha], axis=2))
    content = animation(first, first.rotate(180), lossless=lossless)
    expected = np.asarray(Image.open(io.BytesIO(content)).convert("RGBA"))
    result = decode(np.frombuffer(content, np.uint8), output="ANY_DATA")
    np.testing.assert_array_equal(result, expected)


def test_a_frame_smaller_than_the_canvas():
    content = bytearray(animation(Image.new("RGB", (30, 20), "red"), Image.new("RGB", (30, 20))))
    content[24:30] = (49).to_bytes(3, "little") + (39).to_bytes(3, "little")  # the canvas
    frame = content.index(b"ANMF") + 8
    content[frame : frame + 6] = (5).to_bytes(3, "little") + (4).to_bytes(3, "little")
    result = decode(np.frombuffer(bytes(content), np.uint8)).astype(int)
    assert result.shape == (40, 50, 3)
    inside = result[8:28, 10:40]
    assert abs(inside - (255, 0, 0)).max() < 6
    assert result.sum() == inside.sum()
    content[frame : frame + 3] = (11).to_bytes(3, "little")
    with pytest.raises(DecodeError, match="WebP: a frame outside of the canvas"):
        decode(np.frombuffer(bytes(content), np.uint8))


def test_an_animation_without_frames_is_refused():
    content = animation(Image.new("RGB", (30, 20), "red"), Image.new("RGB", (30, 20)))
    data = np.frombuffer(content.replace(b"ANMF", b"XXXX"), np.uint8)
    with pytest.raises(DecodeError, match="WebP: an animation without a frame"):
        decode(data)
