"""Runs of zeros and lost ends in JPEG files: an error, or the pixels of the whole file."""

import io

import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.decoders.image.formats import jpeg_holes
from penstock.engine.errors import DecodeError

FORMS = {
    "4:4:4": {"quality": 90, "subsampling": 0},
    "4:2:0": {"quality": 80, "subsampling": 2},
    "restart markers": {"quality": 85, "subsampling": 1, "restart_marker_rows": 1},
    "gray": {"quality": 85},
    "progressive": {"quality": 85, "progressive": True},
}
PARTS = 64


def encoded(picture, **options):
    stored = io.BytesIO()
    Image.fromarray(picture).save(stored, "JPEG", **options)
    return stored.getvalue()


@pytest.fixture(scope="module", params=FORMS)
def file(request, generator):
    picture = generator.scene(5, 120, 150)
    picture = picture[..., 1] if request.param == "gray" else picture
    return encoded(np.ascontiguousarray(picture), **FORMS[request.param])


@pytest.fixture(scope="module")
def baseline(generator):
    return encoded(generator.scene(5, 120, 150), **FORMS["4:4:4"])


def starts(file):
    """The start of each of 64 parts, behind the first scan's header."""
    data = file.index(b"\xff\xda") + 14
    return [data + (len(file) - 2 - data) * part // PARTS for part in range(PARTS)]


def is_refused_or_right(content, whole):
    try:
        return np.array_equal(decode(np.frombuffer(content, np.uint8)), whole)
    except DecodeError:
        return True


def test_a_file_that_is_cut_anywhere_is_refused(file):
    for start in starts(file):
        with pytest.raises(DecodeError):
            decode(np.frombuffer(file[:start], np.uint8))


def test_zeros_to_the_end_of_the_file_are_refused(file):
    for start in starts(file):
        with pytest.raises(DecodeError):
            decode(np.frombuffer(file[:start] + bytes(len(file) - start), np.uint8))


@pytest.mark.parametrize("length", [16, 64, 256])
def test_a_hole_is_refused_or_changes_no_pixel(file, length):
    whole = decode(np.frombuffer(file, np.uint8))
    allowed = PARTS // 3 if b"\xff\xc2" in file else 0
    wrong = 0
    for start in starts(file):
        start = min(start, len(file) - 2 - length)
        end = start + length
        holed = file[:start] + bytes(end - start) + file[end:]
        wrong += not is_refused_or_right(holed, whole)
    # In progressive files, zeros may be true data of a DC scan or of a refinement scan.
    assert wrong <= allowed


def test_the_error_names_the_offset(baseline):
    start = baseline.index(b"\xff\xda") + 1000
    holed = baseline[:start] + bytes(100) + baseline[start + 100 :]
    offset = jpeg_holes.find_hole(np.frombuffer(holed, np.uint8))
    assert start - 2 <= offset <= start
    with pytest.raises(DecodeError, match=f"a run of zeros .* at byte {offset}"):
        decode(np.frombuffer(holed, np.uint8), roi=(0, 0, 16, 16))


@pytest.mark.parametrize("value", [0, 127, 128, 255])
@pytest.mark.parametrize("form", [*FORMS.values(), {"optimize": True}, {"quality": 100}])
def test_flat_pictures_have_no_holes(value, form):
    picture = np.full((400, 400, 3), value, np.uint8)
    picture[:9, :9] = np.random.default_rng(1).integers(0, 256, (9, 9, 3))
    data = np.frombuffer(encoded(picture, **form), np.uint8)
    assert jpeg_holes.find_hole(data) is None
    assert decode(data)[-1, -1, 1] == value


def test_a_long_run_of_zeros_may_be_a_flat_part():
    data = encoded(np.full((900, 900), 128, np.uint8), optimize=True)
    assert bytes(100) in data
    np.testing.assert_array_equal(decode(np.frombuffer(data, np.uint8)), 128)


@pytest.mark.parametrize("form", [*FORMS.values(), {"optimize": True}, {"quality": 100}])
@pytest.mark.parametrize("seed", range(6))
def test_pictures_of_few_shades_have_no_holes(form, seed):
    random = np.random.default_rng(seed)
    blocks = random.integers(0, 1 + (1 << seed), (40, 40, 3)) * 255 >> seed
    picture = np.kron(blocks, np.ones((seed + 1, seed + 1, 1))).astype(np.uint8)
    assert jpeg_holes.find_hole(np.frombuffer(encoded(picture, **form), np.uint8)) is None


def test_zeros_outside_of_the_scans_are_no_holes(baseline):
    comment = b"\xff\xfe" + (102).to_bytes(2, "big") + bytes(100)
    longer = baseline[:2] + comment + baseline[2:] + bytes(100)
    assert jpeg_holes.find_hole(np.frombuffer(longer, np.uint8)) is None
    np.testing.assert_array_equal(
        decode(np.frombuffer(longer, np.uint8)), decode(np.frombuffer(baseline, np.uint8))
    )
