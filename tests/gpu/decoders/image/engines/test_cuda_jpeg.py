"""JPEG on CUDA cores decodes what libjpeg-turbo decodes, bit by bit, and finds damage."""

from __future__ import annotations

import io
from math import prod

import numpy as np
import pytest
import simplejpeg
from PIL import Image

from penstock.decoders.image.engines import cuda_jpeg
from penstock.decoders.image.engines.cuda_jpeg import JpegFiles, decode_windows
from penstock.decoders.image.formats.jpeg_batch_headers import GRAY, read_headers
from penstock.decoders.image.formats.jpeg_holes import find_hole
from penstock.engine.gpu import device as device_module
from penstock.engine.tensors import PackedRows, TensorListCPU, address_of

from .....fuzz.fuzz_jpeg_batch import placed

SAMPLINGS = {"444": 0x11, "422": 0x21, "440": 0x12, "420": 0x22, "Gray": GRAY}


@pytest.fixture(scope="module")
def photograph(photo_tree):
    path = max(photo_tree.root.rglob("*.jpg"), key=lambda path: path.stat().st_size)
    return simplejpeg.decode_jpeg(path.read_bytes())


def encode(pixels, sampling="444", quality=90):
    if sampling == "Gray":
        return simplejpeg.encode_jpeg(
            np.ascontiguousarray(pixels[..., :1]), quality, "GRAY", "Gray"
        )
    return simplejpeg.encode_jpeg(np.ascontiguousarray(pixels), quality, "RGB", sampling)


def encode_by_pillow(pixels, **options):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", **options)
    return file.getvalue()


def packed(contents):
    rows = [np.frombuffer(content, np.uint8) for content in contents]
    lengths = np.array([row.size for row in rows])
    offsets = np.cumsum(lengths + 5) - lengths  # at any address
    memory = np.zeros(int(offsets[-1] + lengths[-1]), np.uint8)
    for row, offset in zip(rows, offsets, strict=True):
        memory[offset : offset + row.size] = row
    return TensorListCPU(PackedRows(memory, offsets, lengths[:, np.newaxis], np.uint8))


def files_of(encoded, boxes=None):
    headers = read_headers(encoded)
    if boxes is None:
        boxes = np.concatenate([np.zeros_like(headers.sizes), headers.sizes], axis=1)
    rows = np.arange(len(boxes))
    return JpegFiles(rows, headers.lengths, headers.sizes, headers.sampling, np.array(boxes))


def run(device, encoded, files, channels=3, smooth=True):
    """Return the pixels of each window, and whether each file is damaged."""
    parts, addresses, damaged = decode_windows(device, encoded, files, channels, smooth=smooth)
    device.synchronize()
    pixels = {address_of(part): part.get() for part in parts}
    rows = []
    for address, (y0, x0, y1, x1) in zip(addresses.tolist(), files.boxes.tolist(), strict=True):
        shape = y1 - y0, x1 - x0, channels
        start = max(start for start in pixels if start <= address)
        at = address - start
        rows.append(pixels[start][at : at + prod(shape)].reshape(shape))
    return rows, damaged.get() != 0


def check(device, contents, boxes=None, *, smooth=True, space="RGB"):
    encoded = packed(contents)
    files = files_of(encoded, boxes)
    rows, damaged = run(device, encoded, files, 1 if space == "GRAY" else 3, smooth)
    assert not damaged.any()
    for row, content, (y0, x0, y1, x1) in zip(rows, contents, files.boxes.tolist(), strict=True):
        whole = simplejpeg.decode_jpeg(content, space, fastupsample=not smooth)
        np.testing.assert_array_equal(row, whole[y0:y1, x0:x1])


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_samplings_sizes_and_qualities(gpu_device, photograph, sampling, smooth):
    sizes = [(8, 8), (9, 16), (16, 9), (17, 33), (40, 100), (99, 61)]
    contents = [encode(photograph[:h, :w], sampling, q) for h, w in sizes for q in (5, 60, 100)]
    headers = read_headers(packed(contents))
    assert set(headers.sampling[headers.is_plain].tolist()) == {SAMPLINGS[sampling]}
    contents = [contents[i] for i in np.flatnonzero(headers.is_plain)]  # some are too short
    assert len(contents) > 12
    check(gpu_device, contents, smooth=smooth)


@pytest.mark.parametrize("part_bytes", [1, 20_000])
def test_memory_may_lie_in_parts(gpu_device, photograph, part_bytes, tuned):
    tuned(device_module, PART_BYTES=part_bytes)
    sizes = [(50, 70), (40, 100), (8, 8), (99, 61), (9, 16)]
    check(gpu_device, [encode(photograph[:h, :w], "422") for h, w in sizes])


@pytest.mark.parametrize("place", ["end to end", "far apart", "as views", "in arrays"])
def test_files_lie_anywhere(gpu_device, photograph, place, monkeypatch):
    contents = [encode(photograph[:h, :w], "420") for h, w in ((40, 100), (99, 61), (30, 20))]
    rows = packed(contents).rows()
    if place == "in arrays":
        encoded = TensorListCPU([row.copy() for row in rows])
    else:
        room = 1 << (15 if place == "far apart" else 12)
        memory, offsets = np.zeros(3 * room, np.uint8), np.array([2 * room + 1, 1, room])
        for row, offset in zip(rows, offsets, strict=True):
            memory[offset : offset + row.size] = row
        lengths = np.array([[row.size] for row in rows])
        encoded = TensorListCPU(PackedRows(memory, offsets, lengths, np.uint8))
        if place == "as views":
            encoded = TensorListCPU(encoded.rows())
    copies = []
    monkeypatch.setattr(
        gpu_device,
        "send",
        lambda to, a, send=gpu_device.send: copies.append(a.nbytes) or send(to, a),
    )
    found, damaged = run(gpu_device, encoded, files_of(encoded))
    assert not damaged.any()
    for row, content in zip(found, contents, strict=True):
        np.testing.assert_array_equal(row, simplejpeg.decode_jpeg(content))
    total = sum(map(len, contents))
    assert (copies[0] == total) == (place in ("far apart", "in arrays"))
    assert copies[0] <= cuda_jpeg.MAX_GAP_FACTOR * total


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_luma_alone(gpu_device, photograph, sampling):
    check(gpu_device, [encode(photograph[:50, :70], sampling)], space="GRAY")


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_windows(gpu_device, photograph, sampling, smooth):
    content = encode(photograph[:90, :110], sampling)
    boxes = [(0, 0, 1, 1), (89, 109, 90, 110), (7, 15, 9, 17), (8, 16, 16, 32), (31, 5, 80, 101)]
    check(gpu_device, [content] * len(boxes), boxes, smooth=smooth)


@pytest.mark.parametrize("threads", [32, 64, 1024])
def test_any_number_of_threads(gpu_device, photograph, tuned, threads):
    tuned(cuda_jpeg, FILE_THREADS=threads)
    check(gpu_device, [encode(photograph, "420", 95), encode(photograph[:8, :8])])


def test_codes_of_all_lengths(gpu_device, photograph):
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    drawn = np.zeros((64, 80, 3), np.uint8)
    drawn[20:30, 11:50] = 255
    check(
        gpu_device,
        [
            encode(noise, quality=100),
            encode(noise, quality=1),
            encode_by_pillow(photograph, optimize=True, quality=97),
            encode_by_pillow(noise, optimize=True, quality=100),
            encode_by_pillow(drawn, optimize=True),
        ],
    )


def test_a_scan_in_which_threads_cannot_synchronize(gpu_device):
    """All blocks have the same few bits, so that each beginning seems right."""
    check(gpu_device, [encode(np.full((200, 300, 3), value, np.uint8)) for value in (0, 77, 255)])


def test_segments_that_other_programs_write(gpu_device, photograph):
    content = encode_by_pillow(photograph[:40, :40], comment=b"\xff" * 3000, dpi=(7, 9))
    check(
        gpu_device, [content, content[:2] + b"\xff\xe5\x00\x0bany\xff\xda\xff\xd9xy" + content[2:]]
    )


def test_files_apart_in_memory(gpu_device, photograph):
    contents = [encode(photograph[: 20 + i, :30]) for i in range(5)]
    encoded = TensorListCPU([np.frombuffer(content, np.uint8) for content in contents])
    files = files_of(encoded).part(np.array([3, 0]))
    rows, damaged = run(gpu_device, encoded, files)
    assert not damaged.any()
    for row, i in zip(rows, (3, 0), strict=True):
        np.testing.assert_array_equal(row, simplejpeg.decode_jpeg(contents[i]))


def test_damage_is_found(gpu_device, photograph):
    whole = encode(photograph[:60, :80], "420")
    middle = len(whole) - 400
    damaged = [
        whole[:-40] + b"\xff\xd9",  # the end is missing
        whole[:-2] + bytes(9) + b"\xff\xd9",  # more bytes than the picture needs
        whole[:middle] + b"\xff\xd0" + whole[middle + 2 :],  # a marker that restarts nothing
        whole[:middle] + bytes(16) + whole[middle + 16 :],  # a hole
    ]
    encoded = packed([*damaged, whole])
    rows, found = run(gpu_device, encoded, files_of(encoded))
    assert found.tolist() == [True] * len(damaged) + [False]
    np.testing.assert_array_equal(rows[-1], simplejpeg.decode_jpeg(whole))


@pytest.mark.parametrize("counts", [bytes([3] + 15 * [0]), bytes(16), bytes(15 * [0] + [162])])
def test_impossible_tables_are_found(gpu_device, photograph, counts):
    """Too many codes of one bit, no codes, and codes of 16 bits alone."""
    content = bytearray(encode(photograph[:24, :24]))
    at = content.index(b"\xff\xc4")
    for _ in range(4):
        content[at + 5 : at + 21] = counts
        content[at + 2 : at + 4] = (19 + sum(counts)).to_bytes(2, "big")
        size = 21 + sum(counts)
        del content[at + 21 : content.index(b"\xff", at + 21)]
        content[at + 21 : at + 21] = bytes(sum(counts))
        at += size
    encoded = packed([bytes(content)])
    assert run(gpu_device, encoded, files_of(packed([encode(photograph[:24, :24])])))[1].all()


@pytest.mark.parametrize("sampling", ["444", "420", "Gray"])
@pytest.mark.parametrize("part", ["headers", "scan"])
def test_no_damage_that_libjpeg_finds_is_missed(gpu_device, photograph, sampling, part):
    """Bytes at random; the batch's headers are read from the file that was whole."""
    random, whole = np.random.default_rng(8), encode(photograph[:48, :64], sampling)
    scan = whole.index(b"\xff\xda")
    tables = whole.index(b"\xff\xdb")
    first, last = (tables, scan + 14) if part == "headers" else (scan + 14, len(whole) - 2)
    contents = []
    for _ in range(150):
        content = bytearray(whole)
        for at in random.integers(first, last, random.integers(1, 4)):
            content[at] = random.choice([0, 0xFF, random.integers(256)])
        contents.append(bytes(content))
    files = files_of(packed([whole] * len(contents)))
    encoded = packed(contents)
    rows, damaged = run(gpu_device, encoded, files)
    assert damaged.any()
    # The sampling of a gray file has no meaning, but the library does not know every one.
    at = whole.index(b"\xff\xc0") + 11
    known = [sampling != "Gray" or content[at] == 0x11 for content in contents]
    decoded = ~damaged & read_headers(encoded).is_plain & known
    assert decoded.any()
    for content, row, is_decoded in zip(contents, rows, decoded, strict=True):
        if is_decoded:
            expected = simplejpeg.decode_jpeg(content)
            # libjpeg-turbo computes with 16 bits, which coefficients of no encoder exceed.
            assert (row != expected).mean() < 0.5


@pytest.mark.parametrize("sampling", ["444", "420", "Gray"])
def test_holes_are_found_wherever_they_are(gpu_device, photograph, sampling):
    whole = encode(photograph[:40, :56], sampling)
    scan, contents = whole.index(b"\xff\xda") + 14, []
    for start in range(scan, len(whole) - 30, 11):
        contents += [whole[:start] + bytes(size) + whole[start + size :] for size in (14, 16)]
    encoded = packed(contents)
    _, damaged = run(gpu_device, encoded, files_of(encoded))
    expected = [find_hole(np.frombuffer(content, np.uint8)) is not None for content in contents]
    assert sum(expected) >= len(expected) // 2
    assert (damaged | ~np.array(expected)).all()
    assert not damaged.all()


def test_zeros_that_are_ends_of_blocks_are_no_holes(gpu_device):
    pixels = np.zeros((64, 1200, 3), np.uint8)
    pixels[:8, :8] = 200
    content = encode_by_pillow(pixels, optimize=True, subsampling=0)
    assert bytes(16) in content[content.index(b"\xff\xda") :]
    check(gpu_device, [content])


def test_nothing_around_the_files_is_read(device_stage, gpu_device, photograph, monkeypatch):
    """On the emulation, the file lies between pages that nobody may touch."""
    if device_stage:
        pytest.skip("memory of a GPU has no such pages; compute-sanitizer looks there")
    content = encode(photograph[:30, :40], "420")
    middle = len(content) - 30
    for size in range(16):
        comment = b"\xff\xfe" + (size + 2).to_bytes(2, "big") + bytes(size)
        file = content[:2] + comment + content[2:]
        encoded = TensorListCPU([np.frombuffer(file, np.uint8)])
        for row in placed([file, file]):
            at = np.array([row.ctypes.data])
            monkeypatch.setattr(cuda_jpeg, "_sent", lambda *_, at=at: at)
            (pixels,), damaged = run(gpu_device, encoded, files_of(encoded))
            assert not damaged.any()
            np.testing.assert_array_equal(pixels, simplejpeg.decode_jpeg(file))
            row[middle:] = 0
            assert run(gpu_device, encoded, files_of(encoded))[1].all()
