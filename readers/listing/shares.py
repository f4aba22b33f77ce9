"""Parts of a data set for training, validation and the like: which sample belongs to which.

A hash of a file's name decides, so a file that is added or removed moves no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...engine.arrays import Array, Int64s
from ...engine.errors import ArgumentError, SourceError
from ...engine.graph.params import STR, ArgumentType, param
from ...engine.suggestions import not_among
from .split_names import meant_split

TRAIN, REST = "train", "val"
"""The names of the two parts, where one share is given."""

SplitBy = float | Mapping[str, float] | str


def _split_by(value: Any) -> SplitBy:
    if isinstance(value, str):
        return value
    shares = value if isinstance(value, Mapping) else {TRAIN: value, REST: 1 - value}
    numbers = {str(name): float(share) for name, share in shares.items()}
    if not all(0 < share < 1 for share in numbers.values()):
        raise ValueError("a share is not between 0 and 1")
    if abs(sum(numbers.values()) - 1) > 1e-6:
        raise ValueError("the shares do not make 1 together")
    return numbers


SPLIT = param(
    STR,
    None,
    "Read the files of this part alone: see `split_by`. Classes keep their numbers. "
    '"validation", "valid", "val" and "dev" are one word; so are "train" and "training", and '
    '"test", "testing" and "eval".',
)
SPLIT_BY = param(
    ArgumentType("float | Mapping[str, float]", _split_by),
    None,
    'How the files are parted: the share of "train", such as 0.9, with the rest in "val"; or a '
    "dict with the share of each part. A hash of the path below `file_root` decides, so all hosts "
    "and runs agree, and new files move no others.",
)


def in_split(names: Iterable[bytes], split: str, shares: Mapping[str, float]) -> Int64s:
    """Return the numbers of the names that belong to a part.

    Args:
        names: of all files.
        split: name of the part, or another word for it: see `meant_split`.
        shares: share of each part.

    Raises:
        ArgumentError: there is no such part.

    >>> shares = {"train": 0.5, "val": 0.5}
    >>> in_split([b"a.jpg", b"b.jpg", b"c.jpg"], "train", shares).tolist()
    [2]
    """
    part = meant_split(split, shares)
    if part is None:
        raise ArgumentError(f"split_by makes no part {not_among(split, shares)}")
    parts = list(shares)
    ends = np.cumsum([shares[name] for name in parts])
    from hashlib import blake2b  # takes milliseconds, which few programs need

    digests = b"".join(blake2b(name, digest_size=8).digest() for name in names)
    hashes = np.frombuffer(digests, "<u8")
    fractions = hashes / 2.0**64
    # The sum of the shares may lie a rounding below 1.
    number = np.minimum(np.searchsorted(ends, fractions, "right"), len(parts) - 1)
    return np.flatnonzero(number == parts.index(part))


def in_column(values: Array, split: str, column: str) -> Int64s:
    """Return the numbers of the rows whose column of names of parts says `split`.

    Another word for it counts, too: see `meant_split`.

    Raises:
        ArgumentError: no row says so.
    """
    kept = np.flatnonzero(values == split)
    if len(kept):  # the names of all rows take long
        return kept
    known = sorted(set(values.tolist()))
    part = meant_split(split, known)
    if part is None:
        raise ArgumentError(f"the column {column!r} holds no part {not_among(split, known[:20])}")
    return np.flatnonzero(values == part)


def check_split(owner: str, split: str | None, split_by: SplitBy | None) -> None:
    """Raise ArgumentError if one of the arguments is missing."""
    if (split is None) != (split_by is None):
        given, missing = ("split", "split_by") if split_by is None else ("split_by", "split")
        example = "split_by=0.9" if missing == "split_by" else f"split={TRAIN!r}"
        raise ArgumentError(f"{owner}: {given} needs {missing}, such as {example}")


def require_some(kept: Int64s, split: str, count: int) -> None:
    """Raise SourceError if a part has no file."""
    if not len(kept):
        raise SourceError(
            f"none of {count:,} files belongs to the part {split!r}; give the part a larger share"
        )
