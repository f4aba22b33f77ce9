"""The card of a data set of the Hugging Face hub: README.md, which begins with YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from reprlib import repr as short
from typing import Any, NamedTuple

import numpy as np

from ...engine.errors import ArgumentError, MissingDependencyError, SourceError, install_hint
from ...engine.suggestions import not_among
from ..storage.opening import open_storage
from ..storage.storage import Storage
from ..storage.urls import Place

NAME = "README.md"
_HEAD = re.compile(r"\s*---\s*\n(.*?)\n---\s*(?:\n|\Z)", re.DOTALL)
_MOST_PATTERNS = 100_000
_LARGEST = 4 << 20
"""Bytes of a card that are read: some list thousands of configurations, with their columns."""


class Card(NamedTuple):
    """What a card says of the files.

    Attributes:
        configs: what it lists as `configs`.
        info: what it lists as `dataset_info`.
        folder: that it describes, for messages.
    """

    configs: tuple[Mapping[str, object], ...] = ()
    info: tuple[Mapping[str, object], ...] = ()
    folder: str = ""

    def patterns(self, config: str) -> dict[str, list[str]]:
        """Return the globs of the files of each split.

        Args:
            config: name of a configuration; "" for the default, or the only one.

        Raises:
            ArgumentError: there is no such configuration, or several and none is wanted.
            SourceError: the card does not list files as the hub expects it.
        """
        chosen = self._chosen(config)
        within = _word(chosen.get("data_dir") or "", self.folder).strip("/")
        given = chosen.get("data_files")
        if given is None:
            return {"train": [f"{within}/**" if within else "**"]}
        listed = _by_split(given, self.folder)
        prefix = f"{within}/" if within else ""
        return {
            split: [prefix + re.sub(r"^(?:\./)+", "", glob) for glob in globs]
            for split, globs in listed.items()
        }

    def _chosen(self, config: str) -> Mapping[str, Any]:
        names = {_word(row.get("config_name", "default"), self.folder): row for row in self.configs}
        if config and config not in names:
            raise ArgumentError(
                f"{self.folder!r} has no configuration {not_among(config, [*names])}"
            )
        if config:
            return names[config]
        marked = [row for row in self.configs if row.get("default") is True]
        if marked or len(names) == 1 or "default" in names:
            return (marked or [names.get("default", self.configs[0])])[0]
        raise ArgumentError(
            f"{self.folder!r} holds the configurations {', '.join(names)}, which are not one data "
            f"set; name one: config={min(names)!r}"
        )

    def rows(self, config: str) -> dict[str, int]:
        """Return the number of rows of each split, as far as the card tells it."""
        for row in self.info:
            if _word(row.get("config_name", "default"), self.folder) == (config or "default"):
                splits = row.get("splits")
                return {
                    _word(split.get("name"), self.folder): split["num_examples"]
                    for split in (splits if isinstance(splits, list) else ())
                    if isinstance(split, dict) and isinstance(split.get("num_examples"), int)
                }
        return {}


def card_of(folder: Place, options: Mapping[str, object]) -> Card:
    """Return the card of a folder that has a README.md.

    Raises:
        OSError: it cannot be read. SourceError: its YAML is damaged.
        MissingDependencyError: PyYAML is not installed, and the card lists configurations.
    """
    match = _HEAD.match(_text(open_storage(folder / NAME, options)))
    if match is None or not re.search(r"^(configs|dataset_info)\s*:", match[1], re.MULTILINE):
        return Card()
    try:
        import yaml
    except ImportError as error:
        raise MissingDependencyError(
            f"{folder / NAME} lists files in YAML, which needs PyYAML ({error}): "
            f"{install_hint('hub')}"
        ) from error
    try:
        head = yaml.safe_load(match[1])
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = str(error).split("\n", 1)[0]
        raise SourceError(f"{folder / NAME}: its YAML is damaged: {reason}") from None
    if not isinstance(head, dict):
        return Card()
    return Card(_mappings(head.get("configs")), _mappings(head.get("dataset_info")), str(folder))


def _text(file: Storage) -> str:
    """Return the start of a text."""
    try:
        content = np.empty(min(file.size, _LARGEST), np.uint8)
        file.fill([0], [content])
    finally:
        file.close()
    return content.tobytes().decode("utf-8", "replace")


def _word(value: object, folder: str) -> str:
    """Return a name; YAML makes numbers, truth values and dates of some."""
    if isinstance(value, dict | list | set | tuple):  # aliases make small texts huge values
        raise SourceError(
            f"{folder}: {NAME}: {short(value)} is no name of a split, configuration or folder"
        )
    return str(value)


def _mappings(value: object) -> tuple[Mapping[str, object], ...]:
    rows = value if isinstance(value, list) else [value]
    return tuple(row for row in rows if isinstance(row, dict))


def _by_split(given: object, folder: str) -> dict[str, list[str]]:
    """Return the globs of each split; the hub knows three forms."""
    if isinstance(given, str) or (isinstance(given, list) and _are_texts(given)):
        return {"train": _texts(given, folder)}
    if isinstance(given, dict):
        return {_word(split, folder): _texts(globs, folder) for split, globs in given.items()}
    if isinstance(given, list) and all(isinstance(row, dict) for row in given):
        found: dict[str, list[str]] = {}
        for row in given:
            found.setdefault(_word(row.get("split", "train"), folder), []).extend(
                _texts(row.get("path"), folder)
            )
        return found
    raise SourceError(f"{folder}: {NAME}: data_files is {short(given)}, not what the hub expects")


def _texts(value: object, folder: str) -> list[str]:
    texts = value if isinstance(value, list) else [value]
    if not _are_texts(texts) or len(texts) > _MOST_PATTERNS:
        raise SourceError(f"{folder}: {NAME}: {short(value)} in data_files is no list of paths")
    return [*texts]


def _are_texts(values: Sequence[object]) -> bool:
    return all(isinstance(value, str) for value in values)
