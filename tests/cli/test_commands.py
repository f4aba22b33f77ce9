"""Messages and exit statuses of errors."""

from __future__ import annotations

import errno

import pytest

from penstock import ArgumentError, DecodeError, MissingDependencyError, SourceError
from penstock.cli.commands import CommandFailed, examples, message_of, status_of


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ArgumentError("x"), 2),
        (FileNotFoundError("x"), 2),
        (FileExistsError("x"), 2),
        (SourceError("x"), 1),
        (DecodeError("x"), 1),
        (MissingDependencyError("x"), 1),
        (OSError(errno.ENOSPC, "No space left on device"), 1),
        (CommandFailed("x"), 1),
        (CommandFailed("x", 2), 2),
    ],
)
def test_the_status_of_an_error(error, status):
    assert status_of(error) == status


def test_messages_have_path_and_notes():
    error = PermissionError(errno.EACCES, "Permission denied", b"caf\xe9")
    error.add_note("in fn.readers.file")
    assert message_of(error) == "caf\udce9: Permission denied\n  in fn.readers.file"
    assert message_of(KeyError()) == "KeyError"


def test_examples_keep_their_lines():
    text = examples("penstock show a[1].npy", "penstock doctor")
    assert text.startswith("\b\nExamples:\n  penstock show a[1].npy\n  penstock doctor\n\n")
    assert "Exit status" in text
