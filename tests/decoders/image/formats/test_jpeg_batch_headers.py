"""Headers of a whole batch: what `jpeg.parse_header` says of single files, for the plain ones."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from penstock.decoders.image.formats import jpeg, jpeg_batch_headers
from penstock.decoders.image.formats.jpeg_batch_headers import GRAY, SCALED_GRAY
from penstock.engine.errors import DecodeError
from penstock.engine.tensors import PackedRows, TensorListCPU


def array(content):
    return np.frombuffer(content, np.uint8)


def scan(rows):
    return jpeg_batch_headers.read_headers(TensorListCPU(rows))


@pytest.fixture(scope="module")
def files(image_zoo):
    zoo = {name: image.path.read_bytes() for name, image in image_zoo.items()}
    return {name: content for name, content in zoo.items() if content[:2] == b"\xff\xd8"}


def with_segment(content, marker, body):
    return b"%s\xff%c%s%s%s" % (
        content[:2], marker, (len(body) + 2).to_bytes(2, "big"), body, content[2:],
    )  # fmt: skip


def check(content):
    """Check one file; return whether it was found to be plain."""
    found = scan([array(content)])
    if found.is_plain[0]:
        header = jpeg.parse_header(memoryview(content))
        assert (header.height, header.width) == tuple(found.sizes[0])
        assert header.orientation == found.orientation[0]
        assert header.channels == (1 if found.sampling[0] >= GRAY else 3)
        assert header.bits == 8
    return bool(found.is_plain[0])


def test_every_form(files):
    plain = {name for name, content in files.items() if check(content)}
    assert len(plain) > 8
    assert any("gray" in name for name in plain)
    for word in ("progressive", "cmyk", "ycck"):
        assert not any(word in name for name in plain), word


@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("subsampling", [0, 1, 2])
def test_sampling_and_restart_intervals(mode, subsampling):
    gray = SCALED_GRAY if subsampling else GRAY
    known = gray if mode == "L" else (0x11, 0x21, 0x22)[subsampling]
    for options, expected in (({}, known), ({"restart_marker_blocks": 3}, 0)):
        file = io.BytesIO()
        image = Image.effect_noise((70, 50), 40).convert(mode)
        image.save(file, "JPEG", subsampling=subsampling, **options)
        found = scan([array(file.getvalue())])
        # The hardware engine decodes restart intervals, but no gray files.
        assert found.is_plain[0] == (mode == "RGB" or not options)
        assert not found.is_plain[0] or found.sampling[0] == expected


def test_a_batch_is_its_files(files):
    rows = [array(content) for content in files.values()]
    together = scan(rows)
    for i, row in enumerate(rows):
        alone = scan([row])
        assert together.is_plain[i] == alone.is_plain[0]
        if alone.is_plain[0]:
            assert (together.sizes[i] == alone.sizes[0]).all()
            assert together.orientation[i] == alone.orientation[0]


def test_files_in_one_block_of_memory(files):
    rows = [array(content) for content in files.values()]
    sizes = np.array([[row.size] for row in rows])
    offsets = np.cumsum(sizes) - sizes[:, 0]
    together = scan(PackedRows(np.concatenate(rows), offsets, sizes, np.uint8))
    apart = scan(rows)
    assert (together.is_plain == apart.is_plain).all()
    assert (together.sizes == apart.sizes)[apart.is_plain].all()
    assert (together.lengths == sizes[:, 0]).all()


def test_rows_that_are_no_plain_bytes(files):
    content = array(next(c for c in files.values() if check(c)))
    strided = np.repeat(content, 2)[::2]
    found = scan([content, strided, content.astype(np.int16), content[np.newaxis]])
    assert found.is_plain.tolist() == [True, False, False, False]


def test_no_files():
    assert scan([]).is_plain.shape == (0,)


@pytest.mark.parametrize("size", [10, 600, 1500, 40000, 65533])
def test_long_segments_before_the_frame(files, size):
    content = next(c for c in files.values() if check(c))
    assert check(with_segment(content, 0xE2, bytes(size)))
    assert check(with_segment(with_segment(content, 0xFE, b"x" * 9), 0xE2, bytes(size // 2)))


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
@pytest.mark.parametrize("before", [0, 3000])
def test_orientations(files, generator, orientation, before):
    from penstock.fixtures.encode import exif_orientation, jpeg_with_exif

    plain = next(c for c in files.values() if check(c) and scan([array(c)]).orientation[0] == 1)
    content = jpeg_with_exif(plain, exif_orientation(orientation))
    if before:
        content = with_segment(content, 0xE2, bytes(before))
    found = scan([array(content)])
    assert found.is_plain[0]
    assert found.orientation[0] == orientation


@pytest.mark.parametrize(("kind", "value"), [(4, b"\0\0\0\6"), (2, b"\6\0\0\0")])
def test_orientations_of_all_types_are_those_of_single_files(files, kind, value):
    plain = next(c for c in files.values() if check(c) and scan([array(c)]).orientation[0] == 1)
    entry = b"\x01\x12" + bytes([0, kind, 0, 0, 0, 1]) + value
    block = b"MM\0*\0\0\0\x08\0\x01" + entry + bytes(4)
    content = with_segment(plain, 0xE1, b"Exif\0\0" + block)
    single = jpeg.parse_header(memoryview(content)).orientation
    assert scan([array(content)]).orientation[0] == single == (6 if kind == 4 else 1)


def test_what_is_left_to_the_parser_of_single_files(files):
    content = next(c for c in files.values() if check(c))
    assert not check(content[:-2])
    assert not check(content + b"\0")
    assert not check(b"")
    assert not check(b"\xff\xd8\xff\xd9")
    assert not check(with_segment(content, 0xEE, b"Adobe\0\x64\0\0\0\0\0"))  # holds RGB
    assert check(with_segment(content, 0xEE, b"Adobe\0\x64\0\0\0\0\x01"))
    assert not check(b"GIF89a" + content[6:])


@given(st.data())
def test_damaged_headers(files, data):
    """Whatever is called plain, the parser of single files sees in the same way."""
    content = bytearray(data.draw(st.sampled_from(sorted(files.values()))))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, min(len(content), 700) - 1))
        content[place] = data.draw(st.integers(0, 255))
    try:
        check(bytes(content))
    except DecodeError:
        pytest.fail("called plain, but the parser refuses it")


@pytest.mark.parametrize("extent", [1, 9, 60000])
def test_two_frame_headers_are_not_plain(files, extent):
    """Whoever decodes it might take the other size than was asked memory for."""
    content = next(c for c in files.values() if check(c))
    sampling = bytes([1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
    frame = b"\x08" + extent.to_bytes(2, "big") * 2 + b"\x03" + sampling
    assert not check(with_segment(content, 0xC0, frame))


@pytest.mark.parametrize("marker", [b"\xff\xc0", b"\xff\xda"])
@pytest.mark.parametrize("length", [2, 11, 13, 60_000])
def test_segments_of_another_length_than_three_components_take(files, marker, length):
    content = next(c for name, c in files.items() if check(c) and c.count(marker) == 1)
    place = content.index(marker) + 2
    assert not check(content[:place] + length.to_bytes(2, "big") + content[place + 2 :])
