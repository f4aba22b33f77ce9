"""The contract of formats: headers, requests, bounded reads, and errors."""

import numpy as np
import pytest

from penstock.decoders.image.formats import base
from penstock.engine.errors import DecodeError


def test_upright_size_exchanges_height_and_width_from_orientation_5_on():
    for orientation in range(1, 9):
        header = base.ImageHeader("JPEG", 20, 30, 3, 8, orientation)
        assert header.size() == ((30, 20) if orientation >= 5 else (20, 30))
        assert header.size(use_exif=False) == (20, 30)


def test_any_data_means_the_channels_of_the_file_or_its_own_space():
    spaces = {1: "GRAY", 2: "GRAYA", 3: "RGB", 4: "RGBA"}
    for channels, space in spaces.items():
        header = base.ImageHeader("PNG", 2, 3, channels, 8)
        assert header.space_of("ANY_DATA") == space
        assert header.space_of("BGR") == "BGR"
    assert base.ImageHeader("JPEG", 2, 3, 4, 8, space="CMYK").space_of("ANY_DATA") == "CMYK"


@pytest.mark.parametrize(
    ("space", "dtype", "orientation", "is_final"),
    [
        ("RGB", "uint8", 1, True),
        ("BGR", "uint8", 1, False),
        ("RGB", "uint16", 1, False),
        ("RGB", "uint8", 6, False),
    ],
)
def test_pixels_are_final_if_nothing_is_left_to_do(space, dtype, orientation, is_final):
    request = base.DecodeRequest(
        "RGB", np.dtype(dtype), orientation, (0, 0, 1, 1), 1, True, np.empty, base.ignore_blemish
    )
    assert request.is_final(space) == is_final


def test_reads_stay_inside_the_data():
    view = memoryview(bytes(range(8)))
    assert base.read_fields(">HH", view, 4, "X", "the size") == (0x0405, 0x0607)
    with pytest.raises(DecodeError, match="X: the data ends at byte 8 inside the size; expected"):
        base.read_fields(">HH", view, 5, "X", "the size")


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (-1, 5)])
def test_empty_images_are_refused(size):
    with pytest.raises(DecodeError, match="at byte 7; expected both to be positive"):
        base.checked_size("X", *size, at=7)
    assert base.checked_size("X", 1, 2, at=7) == (1, 2)
