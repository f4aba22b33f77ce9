"""A format of one's own (`farbfeld.py`): one module, and one call of `register_format`."""

from __future__ import annotations

import importlib
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.decoders.image.decode import decode
from penstock.decoders.image.table import (
    FORMATS,
    added_formats,
    read_header,
    register_format,
    restore_formats,
)
from penstock.engine.errors import ArgumentError, DecodeError
from penstock.testing.decoders import EncodedImage, FormatConformance

NAME = "farbfeld"


@pytest.fixture(autouse=True)
def farbfeld(tmp_path, monkeypatch):
    """The format, from a module that worker processes can import."""
    source = Path(__file__).with_name("farbfeld.py").read_text()
    tmp_path.joinpath("farbfeld_format.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "farbfeld_format", raising=False)
    yield importlib.import_module("farbfeld_format").FARBFELD
    FORMATS.pop(NAME)


def pixels():
    ramp = np.linspace(0, 65535, 40 * 30 * 4).astype(np.uint16)
    return ramp.reshape(40, 30, 4)


def content():
    return b"farbfeld" + struct.pack(">II", 30, 40) + pixels().astype(">u2").tobytes()


class TestFarbfeld(FormatConformance):
    format_name = NAME

    @pytest.fixture
    def images(self):
        return {"ramp": EncodedImage(content(), pixels(), bits=16)}


@pytest.mark.parametrize("exec_processes", [False, True])
def test_the_operators_know_the_format(exec_processes):
    files = [np.frombuffer(content(), np.uint8)] * 3
    with Pipeline(batch_size=3, num_threads=2, exec_processes=exec_processes) as pipe:
        encoded = fn.external_source(source=lambda: files)
        pipe.set_outputs(
            fn.decoders.image(encoded, output_type=types.ANY_DATA, dtype=types.UINT16),
            fn.peek_image_shape(encoded),
        )
        images, shapes = pipe.run()
    np.testing.assert_array_equal(images.at(2), pixels())
    assert shapes.at(0).tolist() == [40, 30, 3]


def test_a_name_can_be_registered_once(farbfeld):
    with pytest.raises(ArgumentError, match="'farbfeld' already"):
        register_format(farbfeld)


def test_added_formats_travel_to_other_processes(farbfeld):
    assert added_formats() == (farbfeld,)
    restore_formats(added_formats())
    assert list(FORMATS).count(NAME) == 1
    del FORMATS[NAME]
    restore_formats((farbfeld,))
    assert read_header(np.frombuffer(content(), np.uint8)).format == NAME


def test_errors_name_the_format_and_the_supported_ones():
    with pytest.raises(DecodeError, match="farbfeld: the data ends at byte 100 inside the pixels"):
        decode(np.frombuffer(content()[:100], np.uint8))
    with pytest.raises(DecodeError, match=r"unknown format.*GIF or farbfeld"):
        decode(np.zeros(40, np.uint8))
