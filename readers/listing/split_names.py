"""The names of splits: several words mean one part of a data set."""

from __future__ import annotations

from collections.abc import Iterable

WORDS = (
    ("train", "training"),
    ("validation", "valid", "val", "dev"),
    ("test", "testing", "eval"),
)
"""Words of one meaning, each in a row. They are those of the Hugging Face hub."""


def meant_split(split: str, names: Iterable[str]) -> str | None:
    """Return the one of the names that `split` is, or is another word for; None without one.

    >>> meant_split("valid", ["train", "val"]), meant_split("valid", ["val", "dev"])
    ('val', None)
    """
    known = [*names]
    words = next((row for row in WORDS if split in row), (split,))
    meant = [split] if split in known else [name for name in known if name in words]
    return meant[0] if len(meant) == 1 else None
