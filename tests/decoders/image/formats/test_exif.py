import io
import struct

import numpy as np
import pytest
from PIL import Image, ImageOps

from penstock.decoders.image.decode import decode
from penstock.decoders.image.formats import exif


def block(value, *, order="<", kind=3, count=1):
    mark = b"II" if order == "<" else b"MM"
    number = f"{order}I" if kind == 4 else f"{order}HH"
    values = (value,) if kind == 4 else (value, 0)
    entry = struct.pack(f"{order}HHI", 0x0112, kind, 1) + struct.pack(number, *values)
    return memoryview(mark + struct.pack(f"{order}HIH", 42, 8, count) + entry + bytes(4))


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("value", range(1, 9))
def test_reads_each_orientation_in_both_byte_orders(value, order):
    assert exif.orientation(block(value, order=order)) == value
    assert exif.orientation(block(value, order=order, kind=4)) == value
    assert exif.orientation(memoryview(b"Exif\0\0" + bytes(block(value, order=order)))) == value


@pytest.mark.parametrize("value", [0, 9, 65535])
def test_undefined_orientation_counts_as_upright(value):
    assert exif.orientation(block(value)) == 1


@pytest.mark.parametrize("order", ["<", ">"])
def test_reads_an_orientation_of_type_long(order):
    image = Image.new("RGB", (8, 4))
    entry = struct.pack(f"{order}HHII", 0x0112, 4, 1, 6)
    mark = b"II" if order == "<" else b"MM"
    content = mark + struct.pack(f"{order}HIH", 42, 8, 1) + entry + bytes(4)
    assert exif.orientation(memoryview(content)) == 6
    file = io.BytesIO()
    image.save(file, "JPEG", exif=b"Exif\0\0" + content)
    turned = ImageOps.exif_transpose(Image.open(file))
    assert decode(np.frombuffer(file.getvalue(), np.uint8)).shape[:2] == turned.size[::-1] == (8, 4)


def test_orientation_of_another_type_counts_as_upright():
    assert exif.orientation(block(6, kind=2)) == 1


def test_entry_count_beyond_the_data_is_no_error():
    assert exif.orientation(block(6, count=65535)) == 6


def test_every_cut_is_readable():
    whole = block(6, kind=4)
    found = [exif.orientation(whole[:size]) for size in range(len(whole) + 1)]
    assert set(found) == {1, 6}
    assert found[-1] == 6


def test_directory_beyond_the_data_counts_as_upright():
    assert exif.orientation(memoryview(b"II" + struct.pack("<HI", 42, 2**32 - 1))) == 1


def test_an_orientation_of_type_long_turns_an_image_as_pillow_turns_it():
    image = pytest.importorskip("PIL.Image")
    ops = pytest.importorskip("PIL.ImageOps")
    pixels = np.zeros((8, 16, 3), np.uint8)
    pixels[:, :8] = 255
    file = io.BytesIO()
    image.fromarray(pixels).save(file, "PNG", exif=b"Exif\0\0" + bytes(block(6, kind=4)))
    upright = np.asarray(ops.exif_transpose(image.open(file)))
    assert upright.shape == (16, 8, 3)
    np.testing.assert_array_equal(decode(np.frombuffer(file.getvalue(), np.uint8)), upright)
