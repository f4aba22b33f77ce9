"""The exception tree, as it is drawn in the module's text."""

from __future__ import annotations

import pytest

from penstock.engine import errors


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("ArgumentError", ValueError),
        ("DecodeError", ValueError),
        ("SourceError", OSError),
        ("MissingDependencyError", ImportError),
        ("CheckpointError", ValueError),
        ("PipelineStopped", RuntimeError),
    ],
)
def test_each_error_is_ours_and_of_a_builtin_kind(name, builtin):
    kind = getattr(errors, name)
    assert issubclass(kind, errors.PenstockError)
    assert issubclass(kind, builtin)
    assert f"{name} ({builtin.__name__})" in errors.__doc__
    assert str(kind("what, where, remedy")) == "what, where, remedy"


def test_no_error_is_missing_in_the_drawing():
    kinds = [n for n, v in vars(errors).items() if isinstance(v, type)]
    assert all(f"{name} " in errors.__doc__ or f"{name}\n" in errors.__doc__ for name in kinds)
