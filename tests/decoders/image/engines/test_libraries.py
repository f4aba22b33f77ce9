"""The libraries of the extra `images`: a missing one is named, and none prints."""

from __future__ import annotations

import logging
import sys

import pytest

from penstock.decoders.image.engines import libraries
from penstock.engine.errors import MissingDependencyError


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("imagecodecs", "decoding this AVIF needs imagecodecs, "),
        ("pillow_heif", "decoding this AVIF needs pillow-heif, "),
        ("PIL.Image", "decoding this AVIF needs Pillow, "),
    ],
)
def test_a_missing_library_is_named_with_its_extra(module, words, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=rf"{words}.*\[images\]"):
        libraries.load(module, "AVIF")


def test_a_program_keeps_its_handlers():
    log = logging.getLogger("imagecodecs")
    saved, log.handlers = log.handlers, []
    try:
        libraries.load("imagecodecs", "AVIF")
        libraries.load("imagecodecs", "AVIF")
        assert len(log.handlers) == 1
    finally:
        log.handlers = saved
