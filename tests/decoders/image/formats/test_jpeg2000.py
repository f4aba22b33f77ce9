"""JPEG 2000 files: the requirements on every format, and what is special to JPEG 2000."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.decoders.image.table import read_header

from ..conformance import EncodedImage, FormatConformance, zoo_images


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
