"""JPEG files: the requirements on every format, and what is special to JPEG."""

from __future__ import annotations

import struct

import cv2
import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.decoders.image.formats import jpeg
from penstock.decoders.image.table import read_header
from penstock.engine.errors import DecodeError
from penstock.testing.decoders import EncodedImage, FormatConformance

from ..zoo import zoo_images


class TestJpeg(FormatConformance):
    format_name = "JPEG"

    @pytest.fixture
    def images(self, image_zoo) -> dict[str, EncodedImage]:
        return zoo_images(image_zoo, "jpeg", "exif")


def as_data(content):
    return np.frombuffer(content, np.uint8)


def frame(*, bits=8, height=8, width=8, components=3):
    body = struct.pack(">BHHB", bits, height, width, components) + bytes(3 * components)
    return b"\xff\xd8\xff\xc0" + struct.pack(">H", len(body) + 2) + body + b"\xff\xda\0\x02"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bits": 9}, "9 bits per sample at byte 6; expected 8 or 12"),
        ({"components": 2}, "2 components"),
        ({"width": 0}, "0 x 8 pixels"),
    ],
)
def test_unsupported_frames_are_refused_by_name(options, words):
    with pytest.raises(DecodeError, match=words):
        read_header(as_data(frame(**options)))


def test_size_of_a_bomb_can_be_peeked_at():
    header = read_header(as_data(frame(height=65535, width=65535)))
    assert (header.height, header.width) == (65535, 65535)


def test_a_cut_segment_is_named_with_its_offset():
    with pytest.raises(DecodeError, match=r"JPEG: .* at byte \d+; expected .*\. "):
        read_header(as_data(b"\xff\xd8\xff\xe0\x00\x10JFIF"))


@pytest.mark.parametrize("body", [b"Exif\0\0", b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0XX*\0"])
def test_damaged_metadata_count_as_upright(body):
    data = cv2.imencode(".jpg", np.zeros((8, 16, 3), np.uint8))[1].tobytes()
    segment = b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body
    assert read_header(as_data(data[:2] + segment + data[2:])).orientation == 1


def many_scans(count):
    """Return a progressive file whose last scan comes `count` times more."""
    picture = np.full((64, 64, 3), 90, np.uint8)
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1].tobytes()
    last = data[data.rindex(b"\xff\xda") : -2]
    return as_data(data[:-2] + last * count + b"\xff\xd9")


@pytest.mark.parametrize("read", [read_header, decode])
def test_files_of_very_many_scans_are_refused(read):
    with pytest.raises(DecodeError, match=r"JPEG: 4\d\d scans; expected 100 at most"):
        read(many_scans(400))


def test_the_limit_of_scans_is_a_setting(tuned):
    tuned(jpeg, MAX_SCANS=3)
    with pytest.raises(DecodeError, match="expected 3 at most"):
        decode(many_scans(0))


def test_a_sequential_file_may_hold_the_marker_of_a_scan_behind_its_picture():
    data = cv2.imencode(".jpg", np.full((64, 64, 3), 90, np.uint8))[1]
    longer = np.concatenate([data, as_data(b"\xff\xda" * 500)])
    np.testing.assert_array_equal(decode(longer), decode(data))


def test_rgb_in_jpeg_is_known(image_zoo):
    views = {n: memoryview(i.path.read_bytes()) for n, i in image_zoo.items() if n[:4] == "jpeg"}
    three = {name: view for name, view in views.items() if jpeg.parse_header(view).channels == 3}
    rgb = {name for name, view in three.items() if jpeg.holds_rgb(view)}
    assert rgb == {name for name in three if "rgb" in name}
    assert rgb
