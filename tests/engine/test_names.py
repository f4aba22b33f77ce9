"""Messages on unknown names."""

from penstock.engine import names


def test_messages_on_unknown_names():
    assert names.unknown("sise", ["size", "mode"]) == "'sise'; did you mean 'size'?"
    assert names.unknown("colour", ["size", "mode"]) == "'colour'"
    assert names.not_among("sise", ["size", "mode"]) == "'sise'; did you mean 'size'?"
    assert names.not_among("colour", ["size", "mode"]) == "'colour'; there are mode, size"
