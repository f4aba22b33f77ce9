"""How messages name what there is, and what may be meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable


def unknown(name: str, known: Iterable[str]) -> str:
    """Return an unknown name for a message, with the known one that may be meant.

    >>> unknown("sise", ["size", "mode"])
    "'sise'; did you mean 'size'?"
    """
    from difflib import get_close_matches  # needed for messages alone

    names = sorted(known)
    kinds = [
        candidate for candidate in names if candidate.endswith(f"_{name}")
    ]  # shuffle: random_shuffle
    in_lower_case = {candidate.lower(): candidate for candidate in names}
    near = get_close_matches(name.lower(), in_lower_case, 1)
    close = kinds if len(kinds) == 1 else [in_lower_case[match] for match in near]
    return f"{name!r}; did you mean {close[0]!r}?" if close else repr(name)


def not_among(name: str, known: Iterable[str]) -> str:
    """Return an unknown name with the one that may be meant, else with all that there are.

    >>> not_among("colour", ["size", "mode"])
    "'colour'; there are mode, size"
    """
    names = sorted(known)
    text = unknown(name, names)
    return text if text.endswith("?") else f"{text}; there are {', '.join(names)}"


def listed(names: Iterable[str], last: str = "and") -> str:
    """Return names as words of a sentence.

    >>> listed(["lmdb", "npy", "coco"], "or")
    'lmdb, npy or coco'
    """
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things as words; by default the plural has an s more.

    >>> counted(1, "other"), counted(2000, "sample")
    ('1 other', '2,000 samples')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def and_so(count: int, one: str = "is", many: str = "are") -> str:
    """Return how many others have the problem of one that is named: "" for none.

    >>> and_so(1), and_so(1000, "does", "do")
    (', and so is 1 other', ', and so do 1,000 others')
    """
    return f", and so {one if count == 1 else many} {counted(count, 'other')}" if count else ""
