"""Which archives paths stand for: files, patterns, folders, and data sets of Energon."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...engine.errors import ArgumentError, SourceError
from ..listing.path_patterns import expand_paths
from ..storage.urls import is_url, place_of, text_of
from .energon import EnergonSet, energon_set

UNKNOWN = -1
"""The count of a shard that nothing tells."""


@dataclass
class Shards:
    """The archives of a data set, and what is known of them without opening them.

    Attributes:
        paths: of the archives.
        counts: samples of each archive, those that are left out included; or `UNKNOWN`.
        excluded: keys of the samples of each archive that are left out.
        sets: the data sets of Energon among the paths.
    """

    paths: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    excluded: list[frozenset[bytes]] = field(default_factory=list)
    sets: list[EnergonSet] = field(default_factory=list)

    def extensions(self, entries: Sequence[str]) -> list[str]:
        """Return entries of `ext` with the extensions that field maps tell; see `EnergonSet`."""
        named = {tuple(known.extensions(entries)) for known in self.sets} or {tuple(entries)}
        if len(named) > 1:
            raise ArgumentError(
                f"ext={list(entries)}: the data sets of `paths` map these fields to other files "
                "each; give the extensions of the files"
            )
        return list(named.pop())

    def _add(self, path: str, count: int, excluded: frozenset[bytes] = frozenset()) -> None:
        self.paths.append(path)
        self.counts.append(count)
        self.excluded.append(excluded)


def shards_of(
    paths: Sequence[str], split: str = "", options: Mapping[str, Any] | None = None
) -> Shards:
    """Return the archives that paths stand for.

    Args:
        paths: files, patterns, folders, and folders that Energon has prepared; URLs of folders end
            with a slash.
        split: of the data sets of Energon; "" if each has shards in one split alone.
        options: `Reader.storage_options`, for URLs.

    Raises:
        ArgumentError: a data set has several splits, or not the one that is asked for.
        SourceError: no file is there, or the metadata are damaged.
    """
    shards = Shards()
    for path in paths:
        prepared = _prepared(path, options)
        if prepared is not None:
            shards.sets.append(prepared)
            for name in prepared.shards(split):
                shards._add(
                    text_of(prepared.place / name),
                    prepared.counts.get(name, UNKNOWN),
                    prepared.excluded.get(name, frozenset()),
                )
        elif split:
            raise ArgumentError(
                f"split={split!r} is one of a data set of Energon, but {str(place_of(path))!r} is "
                "no folder with .nv-meta/split.yaml"
            )
        else:
            for file in expand_paths([path], "*.tar"):
                shards._add(file, UNKNOWN)
    return shards


def _prepared(path: str, options: Mapping[str, Any] | None) -> EnergonSet | None:
    """Return the data set of Energon that lies in a folder; None if the path names none."""
    is_folder = path.endswith("/") if is_url(path) else os.path.isdir(path)
    return energon_set(place_of(path), options) if is_folder else None


def check_count(name: str, told: int, found: int, who: str) -> None:
    """Raise SourceError if an archive has not as many samples as was told.

    Args:
        name: of the archive.
        told: what was told; or `UNKNOWN`.
        found: what it has.
        who: who told it.
    """
    if told not in (UNKNOWN, found):
        raise SourceError(
            f"{name} has {found} samples, but {told} by {who}: the archive was changed or is "
            "another one, so prepare the metadata anew"
        )
