"""Compressed FITS images, decoded by a process of their own."""

import os
import pickle
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from penstock.engine.errors import DecodeError, PipelineStopped
from penstock.formats.fits.image import FitsImage
from penstock.readers.fits import tile_process
from penstock.readers.fits.tile_process import TileDecoder

from ..processes import alive, assert_soon, children

# Instead of Astropy: the first byte of the "HDU" says what happens to it.
CHILD = """
import os
import time
import numpy as np
from penstock.engine.errors import DecodeError
from penstock.readers.fits import tile_child

def decode_tiles(image, hdu):
    if hdu[0] == 1:
        os.abort()
    if hdu[0] == 2:
        raise DecodeError("damaged")
    if hdu[0] == 3:
        time.sleep(600)
    return np.full(image.shape, hdu[1], image.stored.newbyteorder("="))

def main(connection):
    tile_child.decode_tiles = decode_tiles
    tile_child.main(connection)
"""
IMAGE = FitsImage((500, 400), np.dtype(">i4"), np.dtype("i4"), 1.0, 0.0, 0, 3, True)


@pytest.fixture
def decoder(tmp_path, monkeypatch):
    (tmp_path / "tile_child.py").write_text(CHILD)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(tile_process, "_CHILD", "tile_child")
    monkeypatch.setattr(tile_process, "find_spec", lambda name: True)
    found = TileDecoder()
    yield found
    found.close()


def decode(decoder, *content):
    return decoder.decode(IMAGE, np.array(content, np.uint8))


def test_numbers_come_back(decoder):
    for value in (7, 8):
        np.testing.assert_array_equal(decode(decoder, 0, value, 0), np.full((500, 400), value))
    assert len(children()) == 1


def test_an_image_that_ends_the_process_is_an_error_and_the_next_is_decoded(decoder):
    for _ in range(2):
        with pytest.raises(DecodeError, match="SIGABRT: the image is damaged"):
            decode(decoder, 1, 0, 0)
        assert decode(decoder, 0, 3, 0)[0, 0] == 3


def test_the_library_s_errors_come_back(decoder):
    with pytest.raises(DecodeError, match=r"^damaged$"):
        decode(decoder, 2, 0, 0)
    assert decode(decoder, 0, 3, 0)[0, 0] == 3


def test_close_ends_the_process_and_no_other_is_started(decoder):
    decode(decoder, 0, 1, 0)
    (pid,) = children()
    decoder.close()
    decoder.close()
    assert not alive(pid)
    with pytest.raises(PipelineStopped, match="closed while a compressed image"):
        decode(decoder, 0, 5, 0)
    assert children() == []


def test_close_ends_the_wait_of_a_thread(decoder):
    """As of a feeder whose process still imports Astropy."""
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(decode, decoder, 3, 0, 0)
        assert_soon(lambda: len(children()) == 1)
        decoder.close()
        with pytest.raises(PipelineStopped):
            waiting.result(60)
    assert children() == []


def test_a_process_that_was_killed(decoder):
    decode(decoder, 0, 1, 0)
    (pid,) = children()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(DecodeError, match="SIGKILL"):
        decode(decoder, 0, 1, 0)
    assert_soon(lambda: not alive(pid))


def test_a_copy_starts_a_process_of_its_own(decoder):
    decode(decoder, 0, 1, 0)
    copy = pickle.loads(pickle.dumps(decoder))
    assert decode(copy, 0, 2, 0)[0, 0] == 2
    assert len(children()) == 2
    copy.close()


def test_the_program_ends_with_its_parent(decoder):
    decode(decoder, 0, 1, 0)
    (pid,) = children()
    decoder._process.channels[0].close()
    assert_soon(lambda: not alive(pid))
