"""The exception tree, as it is drawn in the module's text."""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock
from penstock.engine import errors


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("ArgumentError", ValueError),
        ("DecodeError", ValueError),
        ("SourceError", OSError),
        ("MissingDependencyError", ImportError),
        ("CheckpointError", ValueError),
        ("SerializationError", ValueError),
    ],
)
def test_each_error_is_ours_and_of_a_builtin_kind(name, builtin):
    kind = getattr(errors, name)
    assert issubclass(kind, errors.PenstockError)
    assert issubclass(kind, builtin)
    assert f"{name} ({builtin.__name__})" in errors.__doc__
    assert issubclass(kind, RuntimeError)
    assert str(kind("what, where, remedy")) == "what, where, remedy"


@pytest.mark.parametrize("name", ["WorkerError", "PipelineStopped"])
def test_the_other_errors_are_runtime_errors(name):
    assert issubclass(getattr(errors, name), errors.PenstockError)
    assert issubclass(errors.PenstockError, RuntimeError)


def test_programs_find_every_error_in_the_package():
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
    assert {"ArgumentError", "LayoutError"} <= kinds <= set(penstock.__all__)


def test_errors_keep_what_their_builtin_bases_hold():
    missing = errors.SourceError(2, "No such file or directory", "a.jpg")
    assert (missing.errno, missing.filename) == (2, "a.jpg")
    assert str(missing) == "[Errno 2] No such file or directory: 'a.jpg'"
    assert errors.MissingDependencyError("no cupy", name="cupy").name == "cupy"


def test_no_error_is_missing_in_the_drawing():
    kinds = [n for n, v in vars(errors).items() if isinstance(v, type)]
    assert all(f"{name} " in errors.__doc__ or f"{name}\n" in errors.__doc__ for name in kinds)


def test_the_hint_is_a_command_that_works_in_any_folder(monkeypatch, tmp_path):
    root = Path(errors.__file__).resolve().parent.parent
    assert errors.install_hint("remote") == f"pip install '{root}[remote]'"
    monkeypatch.setattr(errors, "_ROOT", tmp_path)  # as in a wheel, without pyproject.toml
    hint = errors.install_hint("audio")
    assert hint.startswith("pip install 'soundfile<1,>=0.13'")
    assert "numpy" not in hint
    assert errors.requirements()["numpy"].startswith("<3")
    assert "typer" not in errors.requirements("audio")
