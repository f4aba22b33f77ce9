"""Strips and tiles that do not decode to their full size are errors, never black pixels."""

import io
import struct

import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.decoders.image.formats.tiff import STRIP_OFFSETS, STRIP_SIZES, read_directory
from penstock.engine.errors import DecodeError

from ..tiff_files import written

RGB = 2


def picture():
    ramp = np.add.outer(np.arange(90), np.arange(120)).astype(np.uint8)
    return np.dstack([ramp, ramp[::-1], np.full_like(ramp, 128)])


def tiff(compression, pixels=None):
    from PIL import Image

    file = io.BytesIO()
    image = Image.fromarray(picture() if pixels is None else pixels)
    image.save(file, "TIFF", compression=compression, tiffinfo={278: 16})
    return bytearray(file.getvalue())


def set_short(file, tag, value):
    entry = bytes(file).index(struct.pack("<HHI", tag, 3, 1))
    struct.pack_into("<H", file, entry + 8, value)
    return file


def array(content):
    return np.frombuffer(bytes(content), np.uint8)


@pytest.mark.parametrize(
    "compression", ["raw", "tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "packbits"]
)
def test_every_supported_compression_decodes(compression):
    np.testing.assert_array_equal(decode(array(tiff(compression))), picture())


@pytest.mark.parametrize("compression", ["group3", "group4"])
def test_fax_decodes(compression):
    bilevel = picture()[..., 0] > 100
    decoded = decode(array(tiff(compression, bilevel)), output="GRAY")[..., 0]
    np.testing.assert_array_equal(decoded, bilevel * np.uint8(255))


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "jpeg"])
def test_damage_is_found_without_a_word_on_standard_error(compression, capfd):
    sound = tiff(compression)
    expected = decode(array(sound))
    refused = 0
    for offset in range(40, len(sound) - 300, len(sound) // 25):
        damaged = sound.copy()
        damaged[offset : offset + 40] = bytes([offset % 2 * 255]) * 40
        try:
            pixels = decode(array(damaged))
        except DecodeError:
            refused += 1
        else:  # the damage may give other, valid codes, but no line is missing
            assert (pixels == expected).all(axis=2).mean() > 0.2
            assert not (pixels == 0).all(axis=(1, 2)).any()
    assert refused > 0
    assert capfd.readouterr().err == ""


def test_packbits_of_too_few_bytes_are_found():
    noise = np.random.default_rng(1).integers(0, 256, (90, 120, 3)).astype(np.uint8)
    damaged = tiff("packbits", noise)
    size = read_directory(memoryview(bytes(damaged))).value(STRIP_SIZES)
    damaged[8 + size - 400 : 8 + size] = bytes([128]) * 400  # a byte that stands for nothing
    with pytest.raises(DecodeError, match=r"TIFF: strip or tile 0 is damaged .* at byte 8"):
        decode(array(damaged))


def strips_of(file):
    """Return (offset, size) of each strip."""
    directory = read_directory(memoryview(bytes(file)))
    return list(zip(directory.values(STRIP_OFFSETS), directory.values(STRIP_SIZES), strict=True))


def test_a_changed_run_of_packbits_is_found_wherever_it_is():
    stripes = np.repeat(np.arange(90, dtype=np.uint8)[:, None] // 7, 120, axis=1)
    file = tiff("packbits", stripes)
    start, size = strips_of(file)[1]
    assert size == 2 * 16  # one run of two bytes a line
    for at in range(start, start + size, 2):
        for change in (1, -1):
            damaged = bytearray(file)
            damaged[at] += change
            with pytest.raises(DecodeError, match=r"strip or tile 1 (is damaged|holds)"):
                decode(array(damaged))


@pytest.mark.parametrize("padding", [b"", b"\0", b"\x80", b"\x80\x80"])
def test_padding_of_packbits_is_no_damage(padding):
    assert decode(packbits(b"\xf7\x05" + padding), output="GRAY").ravel().tolist() == [5] * 10


@pytest.mark.parametrize(
    "strip", [b"\xf6\x05", b"\xf7\x05\x01", b"\xf8\x05", b"\xf8\x05\x02\1\2", b""]
)
def test_packbits_that_do_not_end_with_the_pixels_are_refused(strip):
    with pytest.raises(DecodeError, match="TIFF: "):
        decode(packbits(strip), output="GRAY")


def packbits(strip):
    """Return a file of one strip for 10 pixels in a line."""
    import tifffile

    file = io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        writer.write(iter([strip or b"\0"]), shape=(1, 10), dtype=np.uint8, compression="packbits")
    return array(file.getvalue())


def test_a_hole_in_fax_data_is_found_wherever_it_is():
    noise = np.random.default_rng(2).random((90, 120)) < 0.3
    file = tiff("group4", noise)
    for number, (start, size) in enumerate(strips_of(file)):
        for at in range(start, start + size - 8, 8):
            damaged = bytearray(file)
            damaged[at : at + 4] = bytes(4)
            with pytest.raises(DecodeError, match=f"strip or tile {number} .*run of zeros"):
                decode(array(damaged), output="GRAY")


@pytest.mark.parametrize("density", [0.0, 0.001, 0.5, 0.999, 1.0])
def test_fax_without_damage_has_no_hole(density):
    pixels = np.random.default_rng(3).random((40, 5000)) < density
    decoded = decode(array(tiff("group4", pixels)), output="GRAY")[..., 0]
    np.testing.assert_array_equal(decoded, pixels * np.uint8(255))


@pytest.mark.parametrize("compression", ["raw", "tiff_lzw", "tiff_adobe_deflate", "packbits"])
def test_a_strip_of_too_few_lines_is_named(compression):
    file = tiff(compression)
    for tag, field_type, size in ((257, 4, 4), (257, 3, 2)):
        head = struct.pack("<HHI", tag, field_type, 1)
        if head in bytes(file):
            offset = bytes(file).index(head) + 8
            file[offset : offset + size] = (95).to_bytes(size, "little")
    with pytest.raises(
        DecodeError, match=r"TIFF: strip or tile 5 (holds|is damaged) .* at byte \d+"
    ):
        decode(array(file))


def test_strip_outside_the_data_is_named(make_tiff):
    data = make_tiff(picture(), RGB)
    with pytest.raises(DecodeError, match=r"the data ends at byte \d+ inside strip or tile 0"):
        decode(data[:-1])


def test_strips_of_more_bytes_than_the_file_are_refused():
    file = written(picture(), photometric="rgb", compression="zlib", rowsperstrip=30)
    starts = [start for start, _ in strips_of(file)]
    field = read_directory(memoryview(file)).fields[STRIP_SIZES]
    for number, start in enumerate(starts):
        at = field.at + number * struct.calcsize(field.code)
        struct.pack_into("<" + field.code, file, at, len(file) - start)
    with pytest.raises(DecodeError, match=r"strips or tiles of \d+ bytes in all"):
        decode(file)


def test_bytes_behind_the_pixels_may_be_missing():
    file = written(picture(), photometric="rgb")
    field = read_directory(memoryview(file)).fields[STRIP_SIZES]
    struct.pack_into("<" + field.code, file, field.at, 2 * len(file))
    np.testing.assert_array_equal(decode(file), picture())


def test_missing_strips_are_counted(make_tiff):
    file = bytearray(make_tiff(np.zeros((8, 12, 3), np.uint8), RGB, planar=2).tobytes())
    set_short(file, 284, 1)
    with pytest.raises(DecodeError, match="strip or tile 0 holds 96 bytes at byte"):
        decode(array(file))


def lzw_file(pixels, predictor=1):
    from PIL import Image

    stored = io.BytesIO()
    tags = {278: 7, 317: predictor}  # lines of a strip, predictor
    Image.fromarray(pixels).save(stored, "TIFF", compression="tiff_lzw", tiffinfo=tags)
    return stored.getvalue()


@pytest.mark.parametrize("shape", [(40, 30), (40, 30, 3), (40, 30, 4)])
@pytest.mark.parametrize("predictor", [1, 2])
def test_a_strip_of_lzw_that_ends_early_is_refused(shape, predictor):
    pixels = np.random.default_rng(2).integers(0, 256, shape, np.uint8)
    file = lzw_file(pixels, predictor)
    np.testing.assert_array_equal(decode(array(file), output="ANY_DATA").squeeze(), pixels)
    for number, (start, size) in enumerate(strips_of(file)):
        for kept in (size // 4, size // 2, size * 7 // 8):
            cut = file[: start + kept] + b"\xff" * (size - kept) + file[start + size :]
            with pytest.raises(DecodeError, match=f"strip or tile {number} "):
                decode(array(cut))


COMPRESSIONS = ["lzw", "zlib", "zstd", "lzma", "packbits", "webp", "jpeg", "lerc", "jpeg2000"]
COMPRESSIONS += ["jpegxl"]


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_cut_off_strips_are_refused_and_nothing_is_printed(compression, capfd):
    sound = written(picture(), photometric="rgb", compression=compression, rowsperstrip=30)
    np.testing.assert_allclose(decode(sound).astype(int), picture(), atol=30)
    for start, size in strips_of(sound):
        for kept in (size // 3, size - size // 8):
            cut = sound.copy()
            cut[start + kept : start + size] = 0xFF
            with pytest.raises(DecodeError, match=r"TIFF: .* is damaged|the library cannot"):
                decode(cut)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("compression", ["lzw", "zlib", None])
def test_cut_off_chroma_is_refused(compression):
    """libtiff, which converts such colors, would leave the strip black."""
    sound = subsampled(compression)
    decode(sound)
    for number, (start, size) in enumerate(strips_of(sound)[1:], 1):
        cut = sound.copy()
        cut[start + size // 2 : start + size] = 0xFF
        if compression is None:
            table = read_directory(memoryview(bytes(cut))).fields[STRIP_SIZES].at
            cut[table + 4 * number : table + 4 * number + 4] = 0
            cut[table + 4 * number] = 1
        with pytest.raises(DecodeError, match=f"TIFF: strip or tile {number} is damaged"):
            decode(cut)


def subsampled(compression):
    """Return a file of 16 x 24 pixels in YCbCr, four pixels for a sample of chroma."""
    import imagecodecs

    encode = {"lzw": imagecodecs.lzw_encode, "zlib": imagecodecs.zlib_encode, None: bytes}
    units = np.random.default_rng(1).integers(60, 200, (8, 12, 6)).astype(np.uint8)
    strips = [bytes(encode[compression](units[i : i + 2].tobytes())) for i in range(0, 8, 2)]
    number = {"lzw": 5, "zlib": 8, None: 1}[compression]
    tags = [(256, 24), (257, 16), (258, 8), (259, number), (262, 6), (273, None), (277, 3)]
    tags += [(278, 4), (279, None), (530, 2 | 2 << 16)]
    body = 8 + 2 + 12 * len(tags) + 4 + 32
    starts = [body + sum(map(len, strips[:i])) for i in range(4)]
    lists = {273: body - 32, 279: body - 16}
    head = b"II*\0" + struct.pack("<IH", 8, len(tags))
    for tag, value in tags:
        count = 4 if value is None else 2 if tag == 530 else 1
        kind = 3 if tag == 530 else 4
        head += struct.pack("<HHII", tag, kind, count, lists[tag] if value is None else value)
    head += bytes(4) + struct.pack("<4I4I", *starts, *map(len, strips))
    return array(head + b"".join(strips)).copy()


def test_chroma_of_four_pixels_is_decoded_as_pillow_does():
    from PIL import Image

    expected = np.asarray(Image.open(io.BytesIO(subsampled("lzw").tobytes())).convert("RGB"))
    assert np.abs(decode(subsampled("lzw")).astype(int) - expected).max() <= 2
    for compression in ("zlib", None):  # which Pillow does not read
        np.testing.assert_array_equal(decode(subsampled(compression)), decode(subsampled("lzw")))


@pytest.mark.parametrize(
    ("width", "height", "tile", "words"),
    [
        (1, 2**28, 2**14, "tiles that the picture fills"),
        (2**14, 2**14, 2**31 - 16, "tiles that the picture fills"),
        (2**14, 2**14, 1, r"1 strips or tiles; expected 268435456"),
        (64, 64, 0, "tiles of 0 x 0 pixels"),
    ],
)
def test_tiles_that_no_picture_needs_are_refused(width, height, tile, words):
    file = written(np.zeros((64, 64), np.uint8), tile=(64, 64), photometric="minisblack")
    directory = read_directory(memoryview(file))
    for tag, value in ((256, width), (257, height), (322, tile), (323, tile)):
        field = directory.fields[tag]
        layout = "<I" if field.code == "I" else "<H"
        value = min(value, 2 ** (8 * struct.calcsize(layout)) - 16) if value > 65535 else value
        struct.pack_into(layout, file, field.at, value)
    with pytest.raises(DecodeError, match=words):
        decode(file, output="GRAY")


@pytest.mark.parametrize("compression", ["jpeg", "webp", "jpeg2000", "jpegxl"])
def test_a_picture_inside_must_have_the_size_of_its_strip(compression):
    small = written(
        picture()[:48, :48], photometric="rgb", compression=compression, rowsperstrip=48
    )
    large = written(
        np.zeros((900, 900, 3), np.uint8),
        photometric="rgb",
        compression=compression,
        rowsperstrip=900,
    )
    (_start, _size), (other, length) = strips_of(small)[0], strips_of(large)[0]
    file = np.concatenate([small, large[other : other + length]])
    directory = read_directory(memoryview(file))
    for tag, value in ((STRIP_OFFSETS, len(small)), (STRIP_SIZES, length)):
        field = directory.fields[tag]
        struct.pack_into("<" + field.code, file, field.at, value)
    with pytest.raises(DecodeError, match=r"900 x 900 pixels.*; expected 48 x 48"):
        decode(file)


@pytest.mark.parametrize("planar", ["contig", "separate"])
def test_strips_that_are_not_stored_are_zero(planar):
    pixels = np.full((32, 32, 3), 7, np.uint8)
    stored = pixels if planar == "contig" else np.moveaxis(pixels, 2, 0)
    file = written(stored, rowsperstrip=8, photometric="rgb", planarconfig=planar)
    fields = read_directory(memoryview(file)).fields
    for field in (fields[STRIP_OFFSETS], fields[STRIP_SIZES]):
        for number in (1, 3):
            at = field.at + number * struct.calcsize(field.code)
            struct.pack_into("<" + field.code, file, at, 0)
    expected = pixels.copy()
    for first in (8, 24):
        expected[first : first + 8, :, slice(None) if planar == "contig" else 0] = 0
    np.testing.assert_array_equal(decode(file), expected)


@pytest.mark.parametrize("box", [(0, 0, 5, 9), (10, 20, 70, 80), (89, 119, 90, 120)])
@pytest.mark.parametrize("tile", [(16, 32), None])
def test_a_region_reads_the_tiles_that_it_touches(box, tile):
    options = {"tile": tile} if tile else {"rowsperstrip": 7}
    file = written(picture(), photometric="rgb", compression="zlib", **options)
    y0, x0, y1, x1 = box
    np.testing.assert_array_equal(decode(file, roi=box), picture()[y0:y1, x0:x1])
