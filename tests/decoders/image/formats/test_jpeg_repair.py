"""Files with harmless blemishes decode to all of their pixels; files that lost pixels do not."""

import io

import cv2
import numpy as np
import pytest
from PIL import Image

from penstock import Pipeline, fn
from penstock.decoders.image.decode import decode
from penstock.decoders.image.formats import jpeg_repair
from penstock.engine.errors import DecodeError


def photo(generator, *flags):
    picture = generator.scene(3, 200, 260)
    return cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 90, *flags])[1]


@pytest.fixture(scope="module")
def sound(generator):
    return photo(generator).tobytes()


@pytest.fixture(scope="module")
def progressive(generator):
    return photo(generator, cv2.IMWRITE_JPEG_PROGRESSIVE, 1).tobytes()


def segment(marker, body):
    return bytes((0xFF, marker)) + (len(body) + 2).to_bytes(2, "big") + body


def behind_start(file, inserted):
    return file[:2] + inserted + file[2:]


def with_byte(file, offset, value):
    return file[:offset] + bytes([value]) + file[offset + 1 :]


BLEMISHES = {
    "an ICC profile": lambda file: behind_start(
        file, segment(0xE2, b"ICC_PROFILE\0\x02\x01" + b"x" * 50)
    ),
    "stray bytes between segments": lambda file: file[:20] + b"\0\x12" + file[20:],
    "an unknown revision of JFIF": lambda file: with_byte(file, file.index(b"JFIF\0") + 5, 3),
    "an unknown color transform": lambda file: (
        file[:2] + segment(0xEE, b"Adobe\0\x64\0\0\0\0\x09") + file[20:]  # in place of JFIF
    ),
    "scan parameters of progressive coding": lambda file: with_byte(
        file, file.index(b"\xff\xda") + 12, 62
    ),
    "no end-of-image marker": lambda file: file[:-2],
}


@pytest.mark.parametrize("blemish", BLEMISHES)
@pytest.mark.parametrize("output", ["RGB", "GRAY"])
def test_harmless_blemishes_are_reported_and_leave_the_pixels(sound, blemish, output):
    reports = []
    data = np.frombuffer(BLEMISHES[blemish](sound), np.uint8)
    pixels = decode(data, output=output, report_blemish=reports.append)
    expected = decode(np.frombuffer(sound, np.uint8), output=output)
    np.testing.assert_array_equal(pixels, expected)
    assert reports == [blemish]


@pytest.mark.parametrize("transform", [2, 7])
def test_three_components_with_a_transform_of_four_are_ycbcr(sound, transform):
    adobe = segment(0xEE, b"Adobe\0\x64\0\0\0\0" + bytes([transform]))
    data = np.frombuffer(sound[:2] + adobe + sound[20:], np.uint8)  # in place of JFIF
    pixels = decode(data)
    np.testing.assert_array_equal(pixels, decode(np.frombuffer(sound, np.uint8)))
    pillow = np.asarray(Image.open(io.BytesIO(data.tobytes())))
    assert np.abs(pillow.astype(int) - pixels).max() <= 2


def test_four_components_with_a_transform_of_three_are_ycck():
    file, inks = io.BytesIO(), np.random.default_rng(0).integers(0, 256, (8, 8, 4), np.uint8)
    Image.fromarray(inks.repeat(8, 0).repeat(8, 1), "CMYK").save(file, "JPEG")
    content = file.getvalue()
    at = content.index(b"Adobe") + 11
    ycck, unknown = (
        decode(np.frombuffer(with_byte(content, at, transform), np.uint8)) for transform in (2, 1)
    )
    np.testing.assert_array_equal(unknown, ycck)


@pytest.mark.parametrize("blemish", BLEMISHES)
def test_lost_pixels_are_an_error_beside_a_blemish(sound, blemish):
    with_blemish = BLEMISHES[blemish](sound)
    data = np.frombuffer(with_blemish[:-40] + b"\xff\xd9", np.uint8)
    with pytest.raises(DecodeError):
        decode(data)


def test_half_an_end_marker_is_harmless(sound):
    expected = decode(np.frombuffer(sound, np.uint8))
    np.testing.assert_array_equal(decode(np.frombuffer(sound[:-1], np.uint8)), expected)


@pytest.mark.parametrize("inserted", [b"\0\0\0\0", b"\x12"])
def test_bytes_behind_a_sequential_picture_are_harmless(sound, inserted):
    data = np.frombuffer(sound[:-2] + inserted + sound[-2:], np.uint8)
    np.testing.assert_array_equal(decode(data), decode(np.frombuffer(sound, np.uint8)))


def test_zeros_behind_a_progressive_picture_are_harmless(progressive):
    reports = []
    data = np.frombuffer(progressive[:-2] + b"\0\0\0" + progressive[-2:], np.uint8)
    pixels = decode(data, report_blemish=reports.append)
    np.testing.assert_array_equal(pixels, decode(np.frombuffer(progressive, np.uint8)))
    assert reports == ["zeros behind the picture"]


def test_a_progressive_file_without_its_end_may_lack_scans(progressive):
    with pytest.raises(DecodeError):
        decode(np.frombuffer(progressive[:-2], np.uint8))
    last_scan = progressive.rindex(b"\xff\xda")
    with pytest.raises(DecodeError):
        decode(np.frombuffer(progressive[:last_scan], np.uint8))


def test_a_sound_file_has_nothing_to_repair(sound, progressive):
    for file in (sound, progressive):
        assert jpeg_repair.repaired(np.frombuffer(file, np.uint8)) is None


@pytest.mark.parametrize("exec_processes", [False, True])
def test_statistics_count_the_files(sound, exec_processes):
    blemished = np.frombuffer(BLEMISHES["an ICC profile"](sound), np.uint8)
    files = [blemished, np.frombuffer(sound, np.uint8), blemished]
    options = {"num_threads": 2, "prefetch_queue_depth": 1, "exec_processes": exec_processes}
    with Pipeline(batch_size=3, **options) as pipe:
        encoded = fn.external_source(source=[files], cycle="raise")
        pipe.set_outputs(fn.decoders.image(encoded))
        pipe.run()
        stats = pipe.stats()
    (decoder,) = (op for op in stats.operators if op.operator == "decoders.image")
    assert decoder.events == {"damaged files with intact pixels": 2}
    assert "2 damaged files with intact pixels" in str(stats)
