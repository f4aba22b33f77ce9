"""The numbers that the bytes of an image stand for."""

import io

import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.formats.fits.header import FitsHeader
from penstock.formats.fits.image import read_image

from ...fits_files import BITPIX, described, hdu, header


def image_of(array, *more, size=None):
    cards = [("XTENSION", "IMAGE"), *described(array), *more]
    return read_image(FitsHeader(header(cards)), 0, 2880, array.nbytes if size is None else size)


def numbers_of(array, *more):
    """Return the numbers of an image, from its bytes in place if that is possible."""
    image = image_of(array, *more)
    numbers = np.empty(image.shape, image.dtype)
    if image.in_place:
        numbers.reshape(-1).view(np.uint8)[:] = np.frombuffer(
            array.astype(array.dtype.newbyteorder(">")).tobytes(), np.uint8
        )
        image.complete(numbers)
        again = np.empty_like(numbers)
        image.convert(array, again)
        np.testing.assert_array_equal(again, numbers)
    else:
        image.convert(array.astype(image.stored), numbers)
    return numbers


@pytest.mark.parametrize("dtype", BITPIX)
def test_plain_numbers(dtype):
    array = (np.random.default_rng(1).random((3, 4, 5)) * 200).astype(dtype)
    np.testing.assert_array_equal(numbers_of(array), array, strict=True)


@pytest.mark.parametrize("dtype", BITPIX)
@pytest.mark.parametrize(
    "more", [(), (("BSCALE", 2.0),), (("BSCALE", 0.5), ("BZERO", 10.0)), (("BZERO", 32768),)]
)
def test_blank_numbers_are_those_of_astropy(dtype, more):
    fits = pytest.importorskip("astropy.io.fits")
    array = np.arange(120).reshape(10, 12).astype(dtype)
    cards = (("BLANK", 7), *more)
    content = hdu(array, *(cards if BITPIX[dtype] > 0 else more), primary=True)
    with fits.open(io.BytesIO(content), memmap=False) as file:
        expected = file[0].data
    found = numbers_of(array, *cards)
    assert np.isnan(found).any() == np.isnan(expected).any()
    np.testing.assert_array_equal(found, expected)
    if found.dtype.kind == "f" and BITPIX[dtype] > 0:
        assert found.dtype == expected.dtype


@pytest.mark.parametrize("blank", [b"", b"1.5", b"'none'"])
def test_a_blank_that_is_no_integer_stands_for_nothing(blank):
    array = np.arange(6, dtype="i2").reshape(2, 3)
    np.testing.assert_array_equal(numbers_of(array, ("BLANK", blank)), array, strict=True)


@pytest.mark.parametrize(
    ("dtype", "other"), [("u1", "i1"), ("i2", "u2"), ("i4", "u4"), ("i8", "u8")]
)
def test_shifted_types(dtype, other):
    limits, wanted = np.iinfo(dtype), np.iinfo(other)
    array = np.array([limits.min, limits.min + 1, 5, limits.max], dtype)
    zero = wanted.min - limits.min
    exact = np.array([int(value) + zero for value in array], other)
    np.testing.assert_array_equal(numbers_of(array, ("BZERO", zero)), exact, strict=True)


@pytest.mark.parametrize(
    ("dtype", "scale", "zero", "wanted"),
    [
        ("u1", "2.0", "0", "i2"),
        ("u1", "-1.0", "0", "i2"),
        ("u1", "0.5", "0", "f4"),
        ("u1", "257", "0", "u2"),
        ("u1", "1", "2147483648", "u4"),
        ("i2", "2", "0", "i4"),
        ("i2", "2.", "0.5", "f4"),
        ("i2", "1D6", "0", "f8"),
        ("i2", "1", "3e9", "f4"),
        ("i2", "-1", "-1", "i2"),
        ("i4", "2", "0", "f8"),
        ("i4", "1", "0.5", "f8"),
        ("i8", "1", "1", "f8"),
        ("f4", "2", "1", "f4"),
        ("f8", "2", "1", "f8"),
    ],
)
def test_scaled_numbers(dtype, scale, zero, wanted):
    array = (np.random.default_rng(1).random((300, 301)) * 200).astype(dtype)
    found = numbers_of(array, ("BSCALE", scale.encode()), ("BZERO", zero.encode()))
    factor, offset = float(scale.replace("D", "e")), float(zero)
    exact = (array.astype("f8") * factor + offset).astype(wanted)
    np.testing.assert_array_equal(found, exact, strict=True)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([("BITPIX", 12)], "BITPIX is 12; it must be one of"),
        ([("NAXIS", 0)], "the image has 0 axes; from 1 to 32 are read"),
        ([("NAXIS", 33)], "the image has 33 axes"),
        ([("NAXIS1", -1)], "cannot be"),
        ([("NAXIS1", 2**62)], "cannot be"),
        ([("NAXIS", 3)], "card NAXIS3 is missing"),
        ([("GROUPS", True)], "random groups are no image"),
        ([("XTENSION", "TABLE")], "type 'TABLE', which is no image"),
        ([("BSCALE", b"inf")], "BSCALE has b'inf' where a number"),
    ],
)
def test_headers_that_contradict_themselves(more, message):
    cards = [*more, ("XTENSION", "IMAGE"), *described(np.zeros((2, 3), "i2"))]
    with pytest.raises(DecodeError, match=message):
        read_image(FitsHeader(header(cards)), 0, 2880, 12)
