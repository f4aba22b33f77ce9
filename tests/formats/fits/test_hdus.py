"""The way through a FITS file."""

import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.formats.fits import hdus
from penstock.formats.fits.hdus import find_images

from ...fits_files import fits, hdu, header, table


def found(data, numbers):
    """Return images, and the bytes that were asked for."""
    walk, asked = find_images(len(data), numbers), []
    try:
        offset, length = next(walk)
        while True:
            assert 0 <= offset < offset + length <= len(data)
            asked.append((offset, length))
            offset, length = walk.send(data[offset : offset + length])
    except StopIteration as end:
        return end.value, asked


def numbers_in(data, image):
    stored = np.frombuffer(data, image.stored, offset=image.offset, count=np.prod(image.shape))
    return stored.reshape(image.shape)


A = np.arange(6, dtype="i2").reshape(2, 3)
B = np.arange(50_000, dtype="f4").reshape(5, 100, 100)
C = np.arange(4, dtype="u1")


def test_images_in_the_order_that_is_asked_for():
    data = fits(A, B, C)
    images, _ = found(data, [4, 2, 3, 2])
    for image, array in zip(images, (C, A, B, A), strict=True):
        np.testing.assert_array_equal(numbers_in(data, image), array)


def test_tables_and_random_groups_are_passed_over():
    groups = [("SIMPLE", True), ("BITPIX", 16), ("NAXIS", 3), ("NAXIS1", 0), ("NAXIS2", 3)]
    more = [("NAXIS3", 700), ("GROUPS", True), ("PCOUNT", 2), ("GCOUNT", 5)]
    size = 2 * 5 * (2 + 3 * 700)
    first = header([*groups, *more]) + bytes(-(-size // 2880) * 2880)
    data = first + table(3000, 9) + hdu(A)
    ((image,), _) = found(data, [3])
    np.testing.assert_array_equal(numbers_in(data, image), A)
    for number in (1, 2):
        with pytest.raises(DecodeError, match=rf"HDU {number}, at offset \d+: .* no image"):
            found(data, [number])


def test_neighboring_headers_take_one_read():
    _, asked = found(fits(A, C), [2, 3])
    assert len(asked) == 1
    _, asked = found(fits(B, C), [3])
    assert len(asked) == 2


def test_long_headers():
    history = [("KEY", i) for i in range(2000)]
    data = hdu(None, *history, primary=True) + hdu(A, *history)
    ((image,), asked) = found(data, [2])
    np.testing.assert_array_equal(numbers_in(data, image), A)
    assert sum(length for _, length in asked) < 4 * len(data)


def test_the_last_padding_may_be_missing():
    data = fits(A)[: 2 * 2880 + A.nbytes]
    ((image,), _) = found(data, [2])
    np.testing.assert_array_equal(numbers_in(data, image), A)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no FITS file: it is empty"),
        (b"\x1f\x8b" + bytes(9000), "no FITS file: it begins with"),
        (fits(A)[:200], r"header of HDU 1, at offset 0, has no END in 200 bytes"),
        (fits(A)[:2880], "HDU 2 is asked for, but the file has 1"),
        (fits(A)[:3300], r"header of HDU 2, at offset 2880, has no END in 420 bytes"),
        (fits(A)[: 2 * 2880 + 11], r"HDU 2, .* data take 12 bytes, but 11 follow .*cut off"),
        (fits() + b"junk" * 720, "HDU 2 is missing: b'junkjunkj' follows HDU 1"),
        (hdu(None, ("PCOUNT", -5), primary=True) + hdu(A), "must not be negative"),
        (header([("SIMPLE", True), ("BITPIX", 8), ("NAXIS", 1000)]), "NAXIS is 1000"),
        (header([("SIMPLE", True), ("BITPIX", 8), ("NAXIS", 1), ("NAXIS1", 10**18)]), "has 1"),
    ],
)
def test_files_that_are_damaged(data, message):
    with pytest.raises(DecodeError, match=message):
        found(data, [2])


def test_a_header_without_an_end_is_read_to_a_limit(monkeypatch):
    monkeypatch.setattr(hdus, "MAX_HEADER_BYTES", 20_000)
    with pytest.raises(DecodeError, match="no END in 20000 bytes"):
        found(b"SIMPLE  = T".ljust(80) * 1000, [1])


def test_any_damage_is_an_error_or_an_image():
    rng = np.random.default_rng(7)
    whole = np.frombuffer(fits(A, C), np.uint8)
    for _ in range(500):
        data = whole[: rng.integers(1, len(whole) + 1)].copy()
        at = rng.integers(0, min(len(data), 6000), 3)
        data[at] = rng.choice(np.frombuffer(b"0129 -=TENDX\xff", np.uint8), 3)
        try:
            images, _ = found(data.tobytes(), [2, 3])
        except DecodeError:
            continue
        assert all(image.offset + image.size <= len(data) for image in images)
