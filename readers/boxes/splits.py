"""The choice of a split of a data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from ...engine.errors import ArgumentError
from ...engine.suggestions import not_among

Part = TypeVar("Part")


def chosen_split(
    name: str, splits: Mapping[str, Part], split: str, path_of: Callable[[str], str]
) -> Part:
    """Return the split that is asked for, or the only one.

    Args:
        name: of the data set, for messages.
        splits: by name; of two names of one split, the first counts.
        split: the name; "" for the only split.
        path_of: returns the path that names a split in place of an argument.

    Raises:
        ArgumentError: there are several splits, or not the one that is asked for.
    """
    if split:
        if split not in splits:
            raise ArgumentError(f"{name} has no split {not_among(split, list(splits))}")
        return splits[split]
    first = next(iter(splits))
    if any(part != splits[first] for part in splits.values()):
        raise ArgumentError(
            f"{name} holds the splits {', '.join(sorted(splits))}, which are not one data set; "
            f"name one of them: {path_of(first)!r} (fn.readers.coco takes split={first!r}, too)"
        )
    return splits[first]
