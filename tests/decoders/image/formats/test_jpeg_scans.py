"""A progressive JPEG without its last scans is refused; other files decode as before."""

import io

import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.decoders.image.engines import turbojpeg
from penstock.decoders.image.formats import jpeg
from penstock.decoders.image.formats.jpeg_scans import lacks_scans
from penstock.engine.errors import DecodeError

END = b"\xff\xd9"
SCAN = b"\xff\xda"


def encoded(picture, **options):
    stored = io.BytesIO()
    Image.fromarray(picture).save(stored, "JPEG", quality=90, **options)
    return stored.getvalue()


@pytest.fixture(params=[1, 3])
def picture(request, generator):
    scene = generator.scene(5, 60, 70)
    return np.ascontiguousarray(scene[..., 1] if request.param == 1 else scene)


def array(content):
    return np.frombuffer(content, np.uint8)


def cut_before_each_scan(file):
    """Yield the file up to each scan but the first, closed by an end marker."""
    at = file.index(SCAN)
    while (at := file.find(SCAN, at + 1)) > 0:
        yield file[:at] + END


@pytest.mark.parametrize("progressive", [True, False])
def test_whole_files_lack_nothing(picture, progressive):
    file = encoded(picture, progressive=progressive)
    assert not lacks_scans(array(file))
    assert jpeg.parse_header(memoryview(file)).is_progressive == progressive
    assert decode(array(file)).shape == (60, 70, 3)


def test_each_missing_end_is_found(picture):
    file = encoded(picture, progressive=True)
    parts = list(cut_before_each_scan(file))
    assert len(parts) >= 5
    for part in parts:
        Image.open(io.BytesIO(part)).load()  # others decode it without an error
        with pytest.raises(DecodeError, match="last scans are missing"):
            decode(array(part))
        header = jpeg.parse_header(memoryview(part))
        assert not turbojpeg.decodes_on_gpu(array(part), header)


def test_a_lost_scan_in_the_middle_is_found(picture):
    file = encoded(picture, progressive=True)
    *_, before_last = cut_before_each_scan(file[: file.rindex(SCAN)])
    last = file.rindex(b"\xff\xc4", 0, file.rindex(SCAN))  # its table and the scan
    with pytest.raises(DecodeError):
        decode(array(before_last.removesuffix(END) + file[last:]))


def test_scans_that_make_no_sense_are_left_to_the_decoder(picture):
    file = bytearray(encoded(picture, progressive=True))
    at = file.rindex(SCAN)
    file[at + 4] = 200  # components
    with pytest.raises(DecodeError):
        decode(array(bytes(file)))
