"""The names of classes, which become folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..engine.errors import ArgumentError


def checked_classes(classes: Sequence[str] | Mapping[int, str]) -> tuple[str, ...]:
    """Return the names of classes; raise ArgumentError unless they can be names of folders.

    >>> checked_classes({1: "dog", 0: "cat"})
    ('cat', 'dog')
    """
    if isinstance(classes, Mapping):
        classes = _in_order(classes)
    if isinstance(classes, str):
        raise ArgumentError(f"`classes` is a list of names, but is the text {classes!r}")
    wrong = [name for name in classes if not _is_folder(name)]
    if wrong:
        raise ArgumentError(
            f"`classes` has the name {wrong[0]!r:.200}; names are texts of printable characters "
            "without slash and leading dot, because they become folders"
        )
    if len(set(classes)) < len(classes):
        raise ArgumentError("`classes` must be different names, because they become folders")
    return tuple(classes)


def _in_order(classes: Mapping[int, str]) -> list[str]:
    numbers = range(len(classes))
    missing = [number for number in numbers if number not in classes]
    if missing:
        raise ArgumentError(
            f"`classes` names no class {missing[0]}; a mapping has the numbers from 0 on as keys"
        )
    return [classes[number] for number in numbers]


def _is_folder(name: object) -> bool:
    if not isinstance(name, str) or not name.isprintable():
        return False
    return name != "" and "/" not in name and not name.startswith(".")
