"""The sources of a mixture as a file lists them: of Energon, NeMo, and MosaicML's streaming.

A metadataset of Energon:

    splits:
      train:
        blend:                      or blend_epochized, with `repetitions` in place of `weight`;
          - path: coco              the first version has `datasets` in place of `blend`
            weight: 3
            split_part: train       by default the name of the split

A path begins at the folder of the file. Each source is a folder of archives with Energon's
metadata. Notes that change no sample, such as `subflavors`, are left out. See `input_cfg` for NeMo,
and `streams` for streaming.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ...engine.errors import ArgumentError, SourceError
from ...engine.graph.functions import apply
from ...engine.graph.operator import OPERATORS
from ...engine.suggestions import not_among
from ..storage.opening import read_whole
from ..storage.urls import Place, is_url, place_of, text_of
from ..webdataset.energon import loaded
from .input_cfg import InputConfig, arguments_beside
from .members import MixedReader, member_of
from .streams import LOADER, STREAMS, of_streams

RULES = {
    "datasets": ("weight", "weights"),
    "blend": ("weight", "weights"),
    "blend_epochized": ("repetitions", "repeats"),
}
"""The number of a source, and the argument of the mixture that it is, by the word for the list."""

_WORDS = frozenset(("splits", "input_cfg", STREAMS, LOADER))
_NOTES = ("subflavor", "subflavors", "shuffle_over_epochs_multiplier")


def sources_of_file(
    called: str, path: str | os.PathLike[str], split: str | None, arguments: Mapping[str, Any]
) -> tuple[dict[str, MixedReader], dict[str, Any]]:
    """Return the sources that a file lists, and the arguments of the mixture that it gives.

    Args:
        called: the mixture, for messages.
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
    content = loaded(name, read_whole(place, arguments.get("storage_options")))
    if not is_mixture(content):
        raise SourceError(
            f"{name} has no 'splits', as a metadataset of Energon has, no 'input_cfg' of NeMo, no "
            "'streams' of MosaicML, and no 'train_loader' of LLM Foundry"
        )
    if isinstance(content, Mapping) and "splits" in content:
        return _of_energon(called, place, content["splits"], split or "train", arguments)
    if isinstance(content, Mapping) and not {STREAMS, LOADER}.isdisjoint(content):
        return of_streams(name, content, split, arguments)
    if split is not None:
        raise ArgumentError(f"{name} is an input_cfg of NeMo, which has no splits: leave split out")
    told = content if isinstance(content, Mapping) else {"input_cfg": content}
    arguments = arguments_beside(name, told, arguments)
    config = InputConfig(name, told["input_cfg"], arguments, told.get("reweight_temperature"))
    members = {
        source: member_of(called, source, apply(OPERATORS["readers.nemo_asr"], (), own, None))
        for source, own in config.sources.items()
    }
    return members, {"weights": config.weights}


def is_mixture(content: Any) -> bool:
    """Return whether a file that holds this lists the sources of a mixture."""
    if isinstance(content, list):
        return all(isinstance(entry, Mapping) and "type" in entry for entry in content)
    return isinstance(content, Mapping) and not _WORDS.isdisjoint(content)


def _of_energon(
    called: str, place: Place, splits: Any, split: str, arguments: Mapping[str, Any]
) -> tuple[dict[str, MixedReader], dict[str, dict[str, Any]]]:
    name = str(place)
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
