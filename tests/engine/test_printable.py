"""Text that comes from data."""

from __future__ import annotations

import pickle

import pytest

from penstock.engine import errors
from penstock.engine.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ä 😀\tand\nlines", "plain ä 😀\tand\nlines"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b2J\x7f\r\0", r"\x9b2J\x7f\r\x00"),
        ("a\u202egpj.exe\u2066", r"a\u202egpj.exe\u2066"),
        ("caf\udce9 \ud83d", r"caf\udce9 \ud83d"),
    ],
)
def test_controls_become_escapes(text, shown):
    assert printable(text) == shown
    assert printable(shown) == shown
    assert shown.encode()


@pytest.mark.parametrize(
    "kind",
    [
        errors.PenstockError,
        errors.ArgumentError,
        errors.DecodeError,
        errors.SourceError,
        errors.MissingDependencyError,
        errors.CheckpointError,
        errors.WorkerError,
        errors.PipelineStopped,
    ],
)
def test_errors_show_names_harmlessly(kind):
    error = pickle.loads(pickle.dumps(kind("bad\x1b.jpg")))
    error.add_note("from \x9b")
    assert str(error) == r"bad\x1b.jpg"
    assert error.__notes__ == [r"from \x9b"]
    assert error.args == ("bad\x1b.jpg",)
