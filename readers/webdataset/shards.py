"""Which archives paths stand for, and how many samples each has without being opened.

Paths are files, patterns, folders, data sets of Energon, and JSON files of wids. The numbers of
samples come from the user, from these metadata, or from `dataset.json` beside archives behind URLs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...engine.errors import ArgumentError, PenstockError, SourceError
from ..listing.folder_rule import MANIFEST
from ..listing.splits import paths_of_split
from ..storage.damage import Damages
from ..storage.index_cache import SUFFIX, adopt_index
from ..storage.opening import read_whole
from ..storage.read_team import READ_TEAM
from ..storage.storage import Storage
from ..storage.urls import Place, is_local, is_url, place_of, text_of
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
        told_by: who told the counts.
    """

    paths: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    excluded: list[frozenset[bytes]] = field(default_factory=list)
    sets: list[EnergonSet] = field(default_factory=list)
    told_by: str = "the metadata beside the archives"
    largest: int = UNKNOWN
    """Samples of the last archive at most, if its count is `UNKNOWN`."""

    @property
    def are_told(self) -> bool:
        """Whether all counts are known but the last one."""
        return bool(self.counts) and UNKNOWN not in (
            self.counts if self.largest == UNKNOWN else self.counts[:-1]
        )

    def declare(self, counts: Sequence[int]) -> None:
        """Take the samples of each archive from the user: one number, or one for each.

        One number counts for all archives; the last one may be smaller, and is `UNKNOWN`.

        Raises:
            ArgumentError: there are as many numbers as there are archives, or one.
        """
        if len(counts) not in (1, len(self.paths)) or min(counts) < 0:
            raise ArgumentError(
                f"samples_per_shard: {len(counts)} numbers for {len(self.paths)} archives; give "
                "one number of 0 or more for all of them, or one for each"
            )
        is_one = len(counts) == 1 < len(self.paths)
        self.counts = list(counts) * len(self.paths) if is_one else list(counts)
        if len(counts) == 1:
            self.largest, self.counts[-1] = counts[0], UNKNOWN
        self.told_by = "samples_per_shard"

    def look_beside(self, options: Mapping[str, Any] | None = None) -> None:
        """Take the counts of archives behind URLs from the `dataset.json` of their folders."""
        if self.are_told:
            return
        told: dict[str, int] = {}
        for folder in dict.fromkeys(text_of(place_of(path).parent) for path in self.paths):
            told |= _counts_of_manifest(place_of(folder), options)
        if all(path in told for path in self.paths):
            self.counts = [told[path] for path in self.paths]
            self.told_by = MANIFEST

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
    paths: Sequence[str],
    split: str = "",
    config: str = "",
    options: Mapping[str, Any] | None = None,
) -> Shards:
    """Return the archives that paths stand for.

    Args:
        paths: files, patterns, folders, and folders that Energon has prepared; URLs of folders end
            with a slash.
        split: of the data sets of Energon and of folders; "" if each has shards in one split alone.
        config: of the folders: see `splits_of`.
        options: `Reader.storage_options`, for URLs.

    Raises:
        ArgumentError: a data set has several splits, or not the one that is asked for.
        SourceError: no file is there, or the metadata are damaged.
    """
    shards = Shards()
    for path in paths:
        prepared = _prepared(path, options)
        if config and prepared is not None:
            raise ArgumentError(
                f"{path} is a data set of Energon, which has no configurations; leave out "
                f"config={config!r}"
            )
        if prepared is not None:
            shards.sets.append(prepared)
            for name in prepared.shards(split):
                shards._add(
                    text_of(prepared.place / name),
                    prepared.counts.get(name, UNKNOWN),
                    prepared.excluded.get(name, frozenset()),
                )
        elif path.endswith(".json"):
            for name, value in (("split", split), ("config", config)):
                if value:
                    raise ArgumentError(
                        f"{path} is an index of wids, which lists all its archives; leave out "
                        f"{name}={value!r}"
                    )
            for name, count in _wids_shards(path, options):
                shards._add(name, count)
        else:
            for file in paths_of_split([path], options or {}, ".tar", split, config):
                shards._add(file, UNKNOWN)
    return shards


def _prepared(path: str, options: Mapping[str, Any] | None) -> EnergonSet | None:
    """Return the data set of Energon that lies in a folder; None if the path names none."""
    is_folder = path.endswith("/") if is_url(path) else os.path.isdir(path)
    return energon_set(place_of(path), options) if is_folder else None


def open_shards(
    shards: Shards, options: Mapping[str, Any] | None, damages: Damages
) -> tuple[dict[int, Storage], bool]:
    """Open archives behind URLs, and take what lies beside them: counts, and their indexes.

    All is asked for at once, but of the indexes the first alone, so archives without indexes cost
    one request more.

    Returns:
        the archives by number, and whether there is an index of each.
    """
    opened: dict[int, Storage] = {}
    found: dict[int, bytes] = {}

    def fetch(number: int) -> None:
        place = place_of(shards.paths[number])
        with suppress(OSError, PenstockError):  # an index is an aid
            found[number] = read_whole(place.parent / f"{place.name}{SUFFIX}", options)

    asked: list[Callable[[], None]] = [
        lambda: opened.update(damages.open(shards.paths, options)),
        lambda: shards.look_beside(options),
        lambda: fetch(0),
    ]
    READ_TEAM.run_jobs(lambda ask: ask(), asked)
    if found:
        READ_TEAM.run_jobs(fetch, range(1, len(shards.paths)))
    has_all = len(found) == len(opened) == len(shards.paths)
    return opened, has_all and all(adopt_index(each, found[n]) for n, each in opened.items())


def _wids_shards(path: str, options: Mapping[str, Any] | None) -> list[tuple[str, int]]:
    """Return the archives that a JSON file of wids lists, with their samples."""
    place = place_of(path)
    try:
        listed = json.loads(read_whole(place, options))["shardlist"]
        entries = [(entry["url"], entry["nsamples"]) for entry in listed]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise SourceError(
            f"{place} is no index of wids: a JSON object whose 'shardlist' has the 'url' and the "
            "'nsamples' of each archive"
        ) from None
    shards = []
    for url, count in entries:
        if not isinstance(url, str) or not _is_count(count):
            raise SourceError(f"{place}: {url!r:.100} with {count!r:.40} samples is no archive")
        outside = is_local(url.encode("utf-8", "surrogateescape")) or ".." in url.split("/")
        if outside and is_url(path):
            raise SourceError(f"{place}: {url!r:.200} names a file of this machine")
        shards.append((url if is_url(url) else text_of(place.parent / url), count))
    return shards


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 48


def _counts_of_manifest(folder: Place, options: Mapping[str, Any] | None) -> dict[str, int]:
    """Return the samples of the archives that a `dataset.json` lists, by URL; {} without it."""
    try:
        shards = json.loads(read_whole(folder / MANIFEST, options))["shards"]
        return {
            text_of(folder / shard["files"][0]["name"]): shard["samples"]
            for shard in shards
            if _is_count(shard["samples"])
        }
    except (OSError, ValueError, TypeError, KeyError, IndexError, RecursionError):
        return {}


def check_count(name: str, told: int, found: int, who: str, most: int = UNKNOWN) -> None:
    """Raise SourceError if an archive has not as many samples as was told.

    Args:
        name: of the archive.
        told: what was told; or `UNKNOWN`.
        found: what it has.
        who: who told it.
        most: samples that it has at most; or `UNKNOWN`.
    """
    if told not in (UNKNOWN, found):
        raise SourceError(
            f"{name} has {found} samples, but {told} by {who}: correct this number, which the "
            "order of all samples follows from, or give the archive that belongs to it"
        )
    if most != UNKNOWN and found > most:
        raise SourceError(f"{name} has {found} samples, but at most {most} by {who}")
