"""Whether a destination and a source are the same files, however their paths are spelled."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from ...engine.errors import ArgumentError
from ...readers.storage.urls import place_of
from ..dataset import Dataset

Identity = tuple[int, int]
"""Device and number of a file: links, bind mounts, `..` and letters' case do not change it."""


def check_apart(destination: Path, dataset: Dataset, *, replaces: bool) -> None:
    """Refuse a destination that holds files of the source, or lies in the source.

    Args:
        destination: path without links; it need not exist.
        dataset: the source.
        replaces: whether the destination's files will be removed. Then loose files are looked at
            as well: a list may name files of the destination, and so may links.

    Raises:
        ArgumentError: destination and source overlap.
    """
    below = _identities(destination)
    own = _identity(destination)
    for path in _local([dataset.path, *dataset.stored.files()]):
        if own in _identities(path) or (os.path.isdir(path) and _identity(path) in below):
            raise ArgumentError(
                f"the destination {destination} and the source {dataset.place} overlap: "
                f"{os.path.realpath(path)} belongs to both"
            )
    if not replaces or own is None:
        return
    for folder in _local(dataset.stored.folders()):
        for place in (str(folder), *_links(folder)):
            if own in _identities(place):
                raise ArgumentError(
                    f"the destination {destination} holds files of the source {dataset.place}, "
                    f"such as those of {place}; choose another destination"
                )


def _local(paths: Iterable[str]) -> Iterator[Path]:
    """Yield the local paths; file:// URLs are such."""
    return (place for place in map(place_of, paths) if isinstance(place, Path))


def _identity(path: str | Path) -> Identity | None:
    """Return what identifies a file or a folder; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _identities(path: str | Path) -> set[Identity | None]:
    """Return the identities of a file and of all folders above, as far as they exist."""
    real = Path(os.path.realpath(path))
    return {_identity(folder) for folder in (real, *real.parents)} - {None}


def _links(folder: Path) -> Iterator[str]:
    """Yield the links of a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        yield from (entry.path for entry in entries if entry.is_symlink())
