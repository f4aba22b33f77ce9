"""Headers of FITS files."""

import pytest

from penstock.engine.errors import DecodeError
from penstock.formats.fits.header import FitsHeader, header_length

from ...fits_files import card, header


def parsed(*cards):
    return FitsHeader(header(cards))


def test_the_length_ends_with_the_block_of_the_end_card():
    for count, length in [(1, 2880), (35, 2880), (36, 5760), (300, 25920)]:
        data = header([("KEY", i) for i in range(count)])
        assert header_length(data + b"END".ljust(80) * 100) == length == len(data)
        assert header_length(data[: (count + 1) * 80 - 73]) is None


def test_end_counts_at_the_beginning_of_a_card_only():
    data = card("A", "x").encode()[:75] + b"END  " + b"   " + b" " * 77 + b"END".ljust(80)
    assert header_length(data) == 2880
    assert header_length(data[:-80]) is None


def test_values():
    found = parsed(
        ("I", 12), ("F", b"1.5"), ("D", b"-2.5D3"), ("T", True), ("S", "IMAGE"), ("I", 3)
    )
    assert (found.integer("I"), found.integer("NONE", 7)) == (12, 7)
    assert (found.number("F", 0), found.number("D", 0), found.number("NONE", 4.0)) == (
        1.5,
        -2500,
        4,
    )
    assert (found.flag("T"), found.flag("I"), found.flag("NONE")) == (True, False, False)
    assert (found.text("S"), found.text("I"), found.text("NONE")) == ("IMAGE", "", "")


def test_comments_are_left_out():
    line = b"BITPIX  =  -32 / floats".ljust(80) + b"HISTORY = 3".ljust(80) + b"END".ljust(80)
    assert FitsHeader(line).integer("BITPIX") == -32


@pytest.mark.parametrize("value", [b"1.5", b"x", b"9" * 30, "12"])
def test_what_is_no_integer(value):
    with pytest.raises(DecodeError, match=r"card NAXIS1 has b.* where an integer must be"):
        parsed(("NAXIS1", value)).integer("NAXIS1")


@pytest.mark.parametrize("value", [b"x", b"nan", b"1e999", "1"])
def test_what_is_no_number(value):
    with pytest.raises(DecodeError, match=r"card BZERO has b.* where a number must be"):
        parsed(("BZERO", value)).number("BZERO", 0.0)


def test_a_missing_card():
    with pytest.raises(DecodeError, match="card NAXIS is missing"):
        parsed(("BITPIX", 8)).integer("NAXIS")
