"""Forms of TIFF files that are not supported are named; none is taken for damage."""

from __future__ import annotations

import struct

import pytest

from penstock.decoders.image.decode import decode, peek_shape
from penstock.decoders.image.formats import tiff
from penstock.engine.errors import DecodeError

from ..tiff_files import noise, written

BLACK_IS_ZERO = 1
UNKNOWN = [0, 9, 32771, 34661, 34892, 48124, 65000]


@pytest.mark.parametrize(
    ("tag", "value", "words"),
    [
        (259, 34892, "compression 34892 is not supported"),
        (259, 34934, r"JPEG XR \(compression 34934\) is not supported"),
        (259, 22610, r"JPEG XR \(compression 22610\) is not supported"),
        (262, 999, "photometric interpretation 999 is not supported"),
        (258, 40, "a depth of 40 bits is not supported"),
        (339, 6, "sample format 6 is not supported"),
        (284, 3, "planar configuration 3 is not supported"),
        (277, 0, "a picture without samples is not supported"),
    ],
)
def test_forms_that_are_not_supported_are_named(make_tiff, tag, value, words):
    data = make_tiff(noise(8, 12), BLACK_IS_ZERO).copy()
    field = tiff.read_directory(memoryview(data)).fields[tag]
    struct.pack_into("<" + field.code, data, field.at, value)
    assert peek_shape(data) == (8, 12, 3)
    with pytest.raises(DecodeError, match=f"^TIFF: {words}.*Convert the file"):
        decode(data)


@pytest.mark.parametrize("compression", ["webp", "jpeg2000", "jpegxl"])
def test_chroma_that_nothing_converts_is_named(compression):
    data = written(noise(16, 24, 3), compression=compression, photometric="rgb")
    data[tiff.read_directory(memoryview(data)).fields[262].at] = 6
    with pytest.raises(DecodeError, match=r"YCbCr with compression \d+ is not supported"):
        decode(data)


@pytest.mark.parametrize("number", UNKNOWN)
def test_other_compressions_are_refused_by_number(make_tiff, number, capfd):
    data = make_tiff(noise(8, 12), BLACK_IS_ZERO).copy()
    struct.pack_into("<H", data, tiff.read_directory(memoryview(data)).fields[259].at, number)
    with pytest.raises(DecodeError, match=rf"TIFF: compression {number} is not supported.*Convert"):
        decode(data)
    assert capfd.readouterr().err == ""
