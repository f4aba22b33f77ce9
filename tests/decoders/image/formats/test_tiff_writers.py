"""What writers of TIFF leave out or add: sizes of strips, tags with defaults, lines, fill."""

import io
import struct
import zlib

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.decoders.image.formats.tiff import (
    FILL_ORDER,
    PHOTOMETRIC,
    STRIP_OFFSETS,
    STRIP_SIZES,
    read_directory,
)
from penstock.engine.errors import DecodeError

PICTURE = (np.indices((20, 32)).sum(0) * 7 % 251).astype(np.uint8)
PAGE = np.indices((60, 80)).sum(0) % 7 < 3
ENCODERS = {
    8: zlib.compress,
    5: imagecodecs.lzw_encode,
    32773: imagecodecs.packbits_encode,
    50000: imagecodecs.zstd_encode,
    34925: imagecodecs.lzma_encode,
}


def file_of(tags, *contents):
    """Return a file of tags, (tag, type, values), and contents. "0" is the first one's offset."""
    codes = {3: "H", 4: "I"}
    directory_end = 8 + 2 + 12 * len(tags) + 4
    long = sum(len(v) * struct.calcsize(codes[k]) for _, k, v in tags if len(v) > 1)
    starts = {}
    at = directory_end + long
    for number, content in enumerate(contents):
        starts[str(number)] = at
        at += len(content)
    entries, values = b"", b""
    for tag, kind, numbers in tags:
        layout = f"<{len(numbers)}{codes[kind]}"
        packed = struct.pack(layout, *(starts.get(number, number) for number in numbers))
        if len(numbers) > 1:
            entry = struct.pack("<I", directory_end + len(values))
            values += packed
        else:
            entry = packed.ljust(4, b"\0")
        entries += struct.pack("<HHI", tag, kind, len(numbers)) + entry
    head = b"II*\0" + struct.pack("<IH", 8, len(tags))
    return np.frombuffer(head + entries + bytes(4) + values + b"".join(contents), np.uint8)


def gray(compression, lines, *strips):
    """Return the picture in strips of so many lines."""
    tags = [(256, 4, [32]), (257, 4, [20]), (258, 3, [8]), (259, 3, [compression]), (262, 3, [1])]
    tags += [(273, 4, [str(number) for number in range(len(strips))]), (277, 3, [1])]
    tags += [(278, 4, [lines]), (279, 4, [len(strip) for strip in strips])]
    return file_of(tags, *strips)


def by_pillow(data):
    return np.asarray(Image.open(io.BytesIO(data.tobytes())).convert("L"))


@pytest.mark.parametrize("lines", [16, 64])
@pytest.mark.parametrize("compression", ENCODERS)
def test_the_last_strip_may_be_stored_at_full_height(compression, lines):
    padded = np.concatenate([PICTURE, np.zeros((-20 % lines, 32), np.uint8)])
    strips = [padded[top : top + lines].tobytes() for top in range(0, 20, lines)]
    data = gray(compression, lines, *(bytes(ENCODERS[compression](strip)) for strip in strips))
    np.testing.assert_array_equal(by_pillow(data), PICTURE)
    np.testing.assert_array_equal(decode(data, output="GRAY")[..., 0], PICTURE)


@pytest.mark.parametrize("compression", ENCODERS)
def test_a_last_strip_of_too_few_lines_is_damaged(compression):
    strips = [PICTURE[:16].tobytes(), PICTURE[16:19].tobytes()]
    data = gray(compression, 16, *(bytes(ENCODERS[compression](strip)) for strip in strips))
    with pytest.raises(DecodeError, match="TIFF: strip or tile 1 is damaged"):
        decode(data, output="GRAY")


@pytest.mark.parametrize("lines", [1 << 16, (1 << 32) - 1])
def test_a_strip_of_many_lines_takes_no_more_memory(lines):
    data = gray(8, lines, zlib.compress(PICTURE.tobytes())[:-6])
    with pytest.raises(DecodeError, match="TIFF: strip or tile 0 is damaged"):
        decode(data, output="GRAY")


def saved(image, compression, **tags):
    """Return a file of Pillow, and its directory."""
    file = io.BytesIO()
    image.save(file, "TIFF", compression=compression, tiffinfo=tags.get("tags", {}))
    data = np.frombuffer(file.getvalue(), np.uint8).copy()
    return data, read_directory(memoryview(data))


@pytest.mark.parametrize("lines", [16, 60])
@pytest.mark.parametrize("compression", ["raw", "group4", "tiff_lzw", "tiff_adobe_deflate"])
def test_a_size_of_0_stands_for_all_bytes_up_to_the_next_strip(compression, lines):
    image = Image.fromarray(PAGE if compression == "group4" else PAGE * np.uint8(255))
    data, directory = saved(image, compression, tags={278: lines})
    field = directory.fields[STRIP_SIZES]
    size = field.count * struct.calcsize("<" + field.code)
    data[field.at : field.at + size] = 0
    np.testing.assert_array_equal(decode(data, output="GRAY")[..., 0], PAGE * np.uint8(255))


@pytest.mark.parametrize("behind", [0, 1000])
@pytest.mark.parametrize("compression", [1, 8])
def test_a_strip_of_size_0_at_the_end_of_the_file_is_damaged(compression, behind):
    data = gray(compression, 20, b"").copy()
    field = read_directory(memoryview(data)).fields[STRIP_OFFSETS]
    assert struct.unpack_from("<I", data, field.at)[0] == len(data)
    struct.pack_into("<I", data, field.at, len(data) + behind)
    with pytest.raises(DecodeError, match="TIFF: "):
        decode(data, output="GRAY")


@pytest.mark.parametrize("compression", ["group3", "group4"])
def test_white_is_zero_in_fax_without_a_photometric_interpretation(compression):
    data, directory = saved(Image.fromarray(PAGE), compression)
    data[directory.fields[PHOTOMETRIC].at - 8] = 0xFE  # another tag, which nobody knows
    white_is_zero = Image.open(io.BytesIO(data.tobytes())).tag_v2.get(262) is None
    assert white_is_zero
    np.testing.assert_array_equal(by_pillow(data), decode(data, output="GRAY")[..., 0])


@pytest.mark.parametrize("is_mirrored", [False, True])
@pytest.mark.parametrize("fill", [2, 7, 40])
def test_fill_before_the_end_codes_is_no_damage(fill, is_mirrored):
    data, directory = saved(Image.fromarray(PAGE), "group4", tags={278: 60})
    start, size = directory.value(273), directory.value(279)
    strip = "".join(f"{byte:08b}" for byte in data[start : start + size])
    end = "000000000001" * 2
    codes = strip[: strip.rindex(end)]
    bits = codes + "0" * (-len(codes) % 8 + 8 * fill) + end
    filled = np.packbits([int(bit) for bit in bits])
    damaged = np.packbits([int(bit) for bit in codes + "0" * 8 * (fill + 2) + codes])
    tags = [(256, 4, [80]), (257, 4, [60]), (258, 3, [1]), (259, 3, [4])]
    for content, is_sound in ((filled, True), (damaged, False)):
        if is_mirrored:
            content = np.packbits(np.unpackbits(content).reshape(-1, 8)[:, ::-1])
        form = [
            (PHOTOMETRIC, 3, [directory.value(PHOTOMETRIC)]),
            (FILL_ORDER, 3, [1 + is_mirrored]),
        ]
        places = [(273, 4, ["0"]), (277, 3, [1]), (278, 4, [60]), (279, 4, [len(content)])]
        file = file_of([*tags, *form, *places], content.tobytes())
        if is_sound:
            expected = PAGE * np.uint8(255)
            np.testing.assert_array_equal(decode(file, output="GRAY")[..., 0], expected)
        else:
            with pytest.raises(DecodeError, match="run of zeros inside the CCITT data"):
                decode(file, output="GRAY")


@pytest.mark.parametrize("subsampling", [0, 2])
@pytest.mark.parametrize("has_size", [True, False])
def test_old_jpeg_without_tables_of_strips(subsampling, has_size):
    image, stream = Image.fromarray(np.dstack([PICTURE] * 3)), io.BytesIO()
    image.save(stream, "JPEG", quality=95, subsampling=subsampling)
    jpeg, factor = stream.getvalue(), 2 if subsampling else 1
    tags = [(256, 4, [32]), (257, 4, [20]), (258, 3, [8, 8, 8]), (259, 3, [6]), (262, 3, [6])]
    tags += [(277, 3, [3]), (278, 4, [20]), (513, 4, ["0"])]
    tags += [(514, 4, [len(jpeg)])] * has_size
    data = file_of([*tags, (530, 3, [factor, factor])], jpeg)
    np.testing.assert_array_equal(decode(data, output="GRAY")[..., 0], by_pillow(data))
