"""The sources of a mixture as Energon's metadatasets list them.

    splits:
      train:
        blend:                      or blend_epochized, with `repetitions` in place of `weight`;
          - path: coco              the first version has `datasets` in place of `blend`
            weight: 3
            split_part: train       by default the name of the split

A path begins at the folder of the file. Each source is a folder of archives with Energon's
metadata. Notes that change no sample, such as `subflavors`, are left out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ...engine.errors import ArgumentError, SourceError
from ...engine.suggestions import not_among
from ..storage.opening import read_whole
from ..storage.urls import is_url, place_of, text_of
from ..webdataset.energon import parsed
from .members import MixedReader

RULES = {
    "datasets": ("weight", "weights"),
    "blend": ("weight", "weights"),
    "blend_epochized": ("repetitions", "repeats"),
}
"""The number of a source, and the argument of the mixture that it is, by the word for the list."""

_NOTES = ("subflavor", "subflavors", "shuffle_over_epochs_multiplier")


def sources_of_file(
    path: str | os.PathLike[str], split: str, arguments: Mapping[str, Any]
) -> tuple[dict[str, MixedReader], dict[str, dict[str, Any]]]:
    """Return the sources that a file lists, and the argument with their shares.

    Args:
        path: of the file, or its URL.
        split: of the file's splits.
        arguments: of the readers of all sources, such as `ext`.

    Raises:
        ArgumentError: there is no such split.
        SourceError: the file is damaged, or asks for what Penstock does not do.
        OSError: the file cannot be read.
    """
    place = place_of(path)
    name = str(place)
    content = parsed(name, read_whole(place, arguments.get("storage_options")))
    splits = content.get("splits")
    if not isinstance(splits, Mapping) or not splits:
        raise SourceError(f"{name} has no 'splits': it is no metadataset of Energon")
    if split not in splits:
        raise ArgumentError(f"{name} has no split {not_among(split, [*map(str, splits)])}")
    described = splits[split]
    words = [*described] if isinstance(described, Mapping) else []
    if len(words) != 1 or words[0] not in RULES:
        raise SourceError(
            f"{name}: the split {split!r} has {', '.join(map(str, words)) or 'no list'}; expected "
            f"one of {', '.join(RULES)}. Penstock reads neither joined nor nested metadatasets: "
            "name the readers in fn.readers.mix"
        )
    word, rule = RULES[words[0]]
    members: dict[str, MixedReader] = {}
    numbers: dict[str, Any] = {}
    entries = described[words[0]]
    if not isinstance(entries, list) or not entries:
        raise SourceError(f"{name}: {words[0]!r} is no list of data sets")
    for entry in entries:
        known = ("path", word, "split_part", *_NOTES)
        if not isinstance(entry, Mapping) or not isinstance(entry.get("path"), str):
            raise SourceError(f"{name}: {entry!r:.200} is no data set with a path")
        if odd := [str(key) for key in entry if key not in known]:
            raise SourceError(
                f"{name}: the data set {entry['path']!r:.100} has {odd[0]!r:.100}, which Penstock "
                f"does not read; {', '.join(known)} are read"
            )
        source = entry["path"]
        if source in members:
            raise SourceError(f"{name} lists {source!r:.100} twice; sum up its numbers")
        folder = source if is_url(source) else text_of(place.parent / source)
        part = str(entry.get("split_part", split))
        given = {"paths": [folder], "split": part, **arguments}
        members[source] = MixedReader("readers.webdataset", given, ())
        numbers[source] = entry.get(word, 1)
    return members, {rule: numbers}
