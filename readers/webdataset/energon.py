"""Energon's metadata of a folder of archives: splits, exclusions, counts, names of fields.

The folder `.nv-meta` of a data set that NVIDIA's Megatron-Energon has prepared holds

    split.yaml     split_parts: shards of each split, also with braces; exclude: shards, or samples
                   as "SHARD/KEY"; or split.json
    .info.json     shard_counts: samples of each shard; or .info.yaml
    dataset.yaml   the type of the samples, and field_map: the extension of each field

Names of shards are relative to the data set. The files come from anywhere: names that lead out of
the data set are refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from ...engine.errors import ArgumentError, SourceError, imported
from ...engine.suggestions import not_among
from ..listing.path_patterns import expand_braces
from ..storage.opening import read_whole
from ..storage.urls import Place, is_local, is_url, text_of

FOLDER = ".nv-meta"
SPLIT_NAMES, INFO_NAMES = ("split.yaml", "split.json"), (".info.json", ".info.yaml")
DATASET_NAME = "dataset.yaml"
_MOST = 1 << 48  # samples of a shard; sums of such counts are numbers of 64 bits
_LEFT_OUT = 3
"""Exclusions without effect that a message names."""

_OTHERS = ("Jsonl", "Joined", "Merged", "Metadataset")
"""Parts of the names of types whose samples do not lie in the data set's own shards alone."""


@dataclass(frozen=True)
class EnergonSet:
    """What the metadata say.

    Attributes:
        place: the data set's folder.
        parts: names of the shards of each split, without those that are excluded.
        counts: samples of a shard by its name, as far as they are known.
        excluded: keys of samples that are left out, by the name of their shard.
        field_map: the extension, or the path in it, of each field of a sample.
    """

    place: Place
    parts: Mapping[str, Sequence[str]]
    counts: Mapping[str, int]
    excluded: Mapping[str, frozenset[bytes]]
    field_map: Mapping[str, str]

    def shards(self, split: str = "") -> Sequence[str]:
        """Return the names of the shards of a split, or of the only one with shards.

        Raises:
            ArgumentError: there are several splits, or not the one that is asked for.
            SourceError: the split has no shard.
        """
        name = str(self.place)
        if split and split not in self.parts:
            raise ArgumentError(f"{name!r} has no split {not_among(split, self.parts)}")
        filled = [part for part, shards in self.parts.items() if shards]
        if not split and len(filled) > 1:
            counted = ", ".join(f"{part} ({self._size(part)})" for part in filled)
            raise ArgumentError(
                f"{name!r} is an Energon data set with the splits {counted}, which are not one "
                f"data set; choose one, such as split={filled[0]!r}, or name its tar files"
            )
        chosen = self.parts[split] if split else [s for part in filled for s in self.parts[part]]
        if not chosen:
            where = f"split {split!r}" if split else f"{FOLDER}/{SPLIT_NAMES[0]}"
            raise SourceError(f"{name!r}: {where} names no shard")
        return chosen

    def _size(self, part: str) -> str:
        shards = self.parts[part]
        count = sum(self.counts.get(shard, 0) for shard in shards)
        return f"{len(shards):,} shards, {count:,} samples"

    def extensions(self, entries: Sequence[str]) -> list[str]:
        """Return entries of `ext` with the extensions of fields in place of their names.

        Raises:
            ArgumentError: a field is a part of a JSON file, which the reader hands out whole.
        """
        return [self._extension(self.field_map.get(entry, entry), entry) for entry in entries]

    def _extension(self, access: str, entry: str) -> str:
        if "[" in access:
            file = access.partition("[")[0]
            raise ArgumentError(
                f"ext={entry!r}: {FOLDER}/{DATASET_NAME} takes this field from the inside of a "
                f"file, {access!r}; ask for the file, {file!r}, and take the field out of its JSON"
            )
        return access.replace(",", ";")


def energon_set(place: Place, options: Mapping[str, Any] | None = None) -> EnergonSet | None:
    """Return what Energon's metadata of a folder say; None if there are none.

    Args:
        place: the folder.
        options: `Reader.storage_options`, for a URL.

    Raises:
        SourceError: the metadata are damaged, or ask for what Penstock does not do.
        MissingDependencyError: PyYAML is not installed.
    """
    found = _first_of(place, SPLIT_NAMES, options)
    if found is None:
        return None
    name, splits = found
    known = {"split_parts", "exclude", "__module__", "__class__"}
    if odd := [str(key) for key in splits if key not in known]:
        raise SourceError(f"{name}: {odd[0]!r:.100} is not known: {', '.join(sorted(known))} are")
    listed = splits.get("split_parts")
    if not isinstance(listed, Mapping):
        raise SourceError(f"{name}: 'split_parts' must name the shards of each split")
    excluded = set(_expanded(name, splits.get("exclude")))
    named = {str(part): _expanded(name, shards) for part, shards in listed.items()}
    every = {shard for shards in named.values() for shard in shards}
    for shard in every:
        check_inside(name, shard)
    counts = _counts(place, options)
    return EnergonSet(
        place,
        {part: [s for s in shards if s not in excluded] for part, shards in named.items()},
        counts,
        _excluded_samples(name, excluded - every, every | counts.keys()),
        _field_map(place, options),
    )


def _first_of(
    place: Place, names: Sequence[str], options: Mapping[str, Any] | None
) -> tuple[str, Mapping[str, Any]] | None:
    """Return the first of some files that is there: its place as a text, and its content."""
    for name in names:
        file = place / FOLDER / name
        try:
            content = read_whole(file, options)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
            if isinstance(error, PermissionError) and not is_url(text_of(file)):
                raise
            continue
        return str(file), parsed(str(file), content)
    return None


def parsed(name: str, content: bytes) -> Mapping[str, Any]:
    """Return the object that a JSON or YAML file holds."""
    value = loaded(name, content)
    if not isinstance(value, Mapping):
        raise SourceError(f"{name} is damaged: it holds no object with names")
    return value


def loaded(name: str, content: bytes) -> Any:
    """Return what a JSON or YAML file holds. A key that a mapping of YAML has twice is refused."""
    try:
        if name.endswith(".json"):
            return json.loads(content)
        yaml = imported("yaml", f"{name} is YAML, which needs PyYAML", "yaml")
        try:
            return _document(yaml, content)
        except yaml.YAMLError as error:
            raise ValueError(" ".join(str(error).split())) from None
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{name} is damaged: {error!s:.300}") from None


def _document(yaml: Any, content: bytes) -> Any:
    """Return what a document of YAML holds.

    Raises:
        ValueError: a mapping has a key twice, of which PyYAML would take the last.
    """
    loader = yaml.SafeLoader(content)
    try:
        whole = loader.get_single_node()
        nodes, known = [whole], set()
        while nodes:
            node = nodes.pop()
            if not isinstance(node, yaml.CollectionNode) or id(node) in known:
                continue
            known.add(id(node))  # aliases are one node
            if isinstance(node, yaml.SequenceNode):
                nodes += node.value
                continue
            nodes += [value for _, value in node.value]
            keys: dict[tuple[str, str], Any] = {}
            for key, _ in node.value:
                twin = keys.setdefault((key.tag, str(key.value)), key)
                if twin is not key and not key.tag.endswith(":merge"):
                    raise ValueError(
                        f"line {key.start_mark.line + 1}: the key {key.value!r:.100} comes twice "
                        "in a mapping; leave one out"
                    )
        return None if whole is None else loader.construct_document(whole)
    finally:
        loader.dispose()


def _expanded(name: str, patterns: object) -> list[str]:
    if patterns is None:
        return []
    if not isinstance(patterns, list) or not all(isinstance(entry, str) for entry in patterns):
        raise SourceError(f"{name}: {patterns!r:.100} is no list of names of shards")
    return [shard for pattern in patterns for shard in expand_braces(pattern)]


def check_inside(name: str, shard: str) -> None:
    """Raise SourceError unless a shard that the file `name` names lies in the data set's folder."""
    if not shard or is_url(shard) or is_local(shard.encode("utf-8", "surrogateescape")):
        raise SourceError(f"{name}: the shard {shard!r:.200} does not lie in the data set")
    if ".." in shard.split("/") or "\0" in shard:
        raise SourceError(f"{name}: the shard {shard!r:.200} does not lie in the data set")


def _excluded_samples(
    name: str, excluded: set[str], shards: set[str]
) -> dict[str, frozenset[bytes]]:
    """Return the keys of excluded samples by shard: "a/b.tar/x/1" is sample x/1 of a/b.tar."""
    samples: dict[str, set[bytes]] = {}
    odd = []
    for entry in sorted(excluded):
        cuts = (at for at, letter in enumerate(entry) if letter == "/")
        shard = next((entry[:at] for at in cuts if entry[:at] in shards), None)
        if shard is not None:
            key = entry[len(shard) + 1 :].encode("utf-8", "surrogateescape")
            samples.setdefault(shard, set()).add(key)
        elif entry not in shards:
            odd.append(entry)
    if odd:
        names = ", ".join(map(repr, odd[:_LEFT_OUT]))
        raise SourceError(
            f"{name}: {len(odd)} entries of 'exclude' are neither shards nor samples of shards "
            f"('SHARD/KEY'), such as {names:.300}; what they should leave out would be read"
        )
    return {shard: frozenset(keys) for shard, keys in samples.items()}


def _counts(place: Place, options: Mapping[str, Any] | None) -> dict[str, int]:
    found = _first_of(place, INFO_NAMES, options)
    if found is None:
        return {}
    name, info = found
    counts = info.get("shard_counts")
    if not _is_object(counts) or not all(
        isinstance(shard, str) and type(count) is int and 0 <= count < _MOST
        for shard, count in counts.items()
    ):
        raise SourceError(f"{name}: 'shard_counts' must have the samples of each shard")
    return dict(counts)


def _is_object(value: object) -> TypeGuard[Mapping[Any, Any]]:
    return isinstance(value, Mapping)


def _field_map(place: Place, options: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the field map; refuse data sets whose samples lie elsewhere."""
    found = _first_of(place, [DATASET_NAME], options)
    if found is None:
        return {}
    name, description = found
    sample_type = description.get("sample_type")
    kinds = [part.get("__class__") for part in (description, sample_type) if _is_object(part)]
    if odd := [str(kind) for kind in kinds if any(other in str(kind) for other in _OTHERS)]:
        raise SourceError(
            f"{name} describes a {odd[0]:.100}, whose samples lie in other files, too; only the "
            "shards of a WebDataset are read. Name the tar files to read these alone"
        )
    fields = description.get("field_map") or {}
    if not _is_object(fields) or not all(isinstance(v, str) for f in fields.items() for v in f):
        raise SourceError(f"{name}: 'field_map' must have an extension for each field")
    return dict(fields)
