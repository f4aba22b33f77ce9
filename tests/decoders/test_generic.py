from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from penstock.decoders.image import decode
from penstock.engine.errors import DecodeError


def codestream(image: Any) -> NDArray[np.uint8]:
    content = image.path.read_bytes()
    return np.frombuffer(content[content.index(b"\xff\x4f\xff\x51") :], np.uint8)


@pytest.mark.parametrize("name", ["jp2_rgb8", "jp2_grey8", "jp2_rgb16", "jp2_grey16"])
@pytest.mark.parametrize("output", ["RGB", "GRAY", "ANY_DATA"])
def test_raw_codestreams_of_jpeg_2000_decode_as_their_files_do(
    image_zoo: dict[str, Any], name: str, output: str
) -> None:
    image = image_zoo[name]
    expected = decode(np.fromfile(image.path, np.uint8), output=output)
    np.testing.assert_array_equal(decode(codestream(image), output=output), expected)


def test_raw_codestreams_are_decoded_in_silence(
    image_zoo: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    decode(codestream(image_zoo["jp2_rgb8"]))
    assert capfd.readouterr().err == ""


def test_first_frame_of_an_animation_is_decoded() -> None:
    from PIL import Image

    first = np.random.default_rng(2).integers(0, 256, (20, 30, 3)).astype(np.uint8)
    frames = [Image.fromarray(first), Image.fromarray(255 - first)]
    for extension, options in ((".png", {}), (".webp", {"lossless": True})):
        data = encode_animation(frames, extension, options)
        np.testing.assert_array_equal(decode(data), first)


def encode_animation(frames: Any, extension: str, options: dict[str, Any]) -> NDArray[np.uint8]:
    import io

    target = io.BytesIO()
    kind = {".png": "PNG", ".webp": "WEBP"}[extension]
    frames[0].save(target, kind, save_all=True, append_images=frames[1:], **options)
    return np.frombuffer(target.getvalue(), np.uint8)


def test_samples_of_pnm_are_not_rescaled_to_their_maximum() -> None:
    data = np.frombuffer(b"P5 3 1 20\n" + bytes([0, 7, 20]), np.uint8)
    assert decode(data, output="GRAY").ravel().tolist() == [0, 7, 20]


def test_image_that_the_library_refuses_is_a_decode_error() -> None:
    data = cv2.imencode(".webp", np.zeros((20, 30, 3), np.uint8))[1]
    data[30:] = 0xFF
    with pytest.raises(DecodeError, match=r"^WebP: OpenCV cannot decode the data: 30 x 20 pixels"):
        decode(data)
