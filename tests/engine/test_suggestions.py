"""Messages on unknown suggestions."""

from penstock.engine import suggestions


def test_messages_on_unknown_names():
    assert suggestions.unknown("sise", ["size", "mode"]) == "'sise'; did you mean 'size'?"
    assert suggestions.unknown("colour", ["size", "mode"]) == "'colour'"
    assert suggestions.not_among("sise", ["size", "mode"]) == "'sise'; did you mean 'size'?"
    assert suggestions.not_among("colour", ["size", "mode"]) == "'colour'; there are mode, size"
