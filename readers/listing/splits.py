"""The splits of a folder of data files, as the Hugging Face hub lays them out.

The card (README.md) may list them. Else the names of files and folders tell them. The rules are
those of https://huggingface.co/docs/hub/datasets-data-files-configuration
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...engine.errors import ArgumentError, SourceError
from ...engine.suggestions import not_among
from ..hub.names import hub_name, is_on_hub
from ..storage.urls import Place, is_url, place_of, text_of
from .cards import Card, card_of
from .folder import folder_names
from .folder_rule import is_beside_data
from .path_globs import is_glob, path_glob
from .path_patterns import expand_paths
from .split_names import WORDS, meant_split

_NAMES = "|".join(name for names in WORDS for name in sorted(names, key=len, reverse=True))
_NUMBERED = re.compile(r"(.+)-\d{5}-of-\d{5}(?:-[^.]*)?\.[^/]+")
_NAMED = re.compile(rf"(?:[^/]*?[-._ 0-9])?({_NAMES})(?![a-zA-Z])[^/]*")
_DEEPEST = 8

Splits = dict[str, list[str]]
"""The files of each split. Where nothing tells one, it is "train", as for the hub."""


class SplitChoice(NamedTuple):
    """The part of a folder that is wanted: see `splits_of` and `files_of_split`."""

    split: str = ""
    config: str = ""


def splits_of(
    folder: Place, options: Mapping[str, object], endings: Sequence[str], config: str = ""
) -> Splits:
    """Return the splits of a folder; {} without data files.

    Args:
        folder: a local folder, a URL or a name on the Hub.
        options: `Reader.storage_options`, for URLs.
        endings: those of data files, such as ".parquet". Where files of the first one are, those of
            the others are left out.
        config: the configuration that is wanted; "" for the one that the card names, or the only
            one. Without a card that lists some, it is a folder.

    Raises:
        ArgumentError: there is no such configuration, or several and none is wanted.
        MissingDependencyError: the card needs PyYAML, which is not installed.
    """
    files, folders = folder_names(folder, options)
    card = card_of(folder, options) if "README.md" in files else Card()
    if card.configs:
        return _listed_by(card, folder, options, endings, config)
    if config and config not in folders:
        raise ArgumentError(f"{str(folder)!r} has no configuration {not_among(config, folders)}")
    if config:
        folder = folder / config
        files, folders = folder_names(folder, options)
    return _told_by_names(folder, files, folders, options, endings)


def _listed_by(
    card: Card, folder: Place, options: Mapping[str, object], endings: Sequence[str], config: str
) -> Splits:
    patterns = card.patterns(config)
    paths = _paths_below(folder, options)
    found: Splits = {}
    for split, globs in patterns.items():
        fits = [path_glob(glob) for glob in globs]
        named = [path for path in paths if any(fit(path) for fit in fits)]
        found[split] = [text_of(folder / path) for path in data_files(named, endings)]
    if any(found.values()):
        if empty := [split for split, files in found.items() if not files]:
            raise ArgumentError(
                f"{str(folder)!r}: no file {' or '.join(endings)} belongs to the split "
                f"{empty[0]!r}, for which README.md lists {', '.join(patterns[empty[0]])}; fetch "
                "the files"
            )
        return found
    return {}


def _paths_below(folder: Place, options: Mapping[str, object], depth: int = 0) -> list[str]:
    """Return the paths of all files in a folder, but for hidden ones."""
    files, folders = folder_names(folder, options)
    paths = [name for name in files if not is_beside_data(name)]
    for name in folders if depth < _DEEPEST else ():
        if not name.startswith((".", "__")):
            below = _paths_below(folder / name, options, depth + 1)
            paths += [f"{name}/{path}" for path in below]
    return sorted(paths) if not depth else paths


def _told_by_names(
    folder: Place,
    files: Sequence[str],
    folders: Sequence[str],
    options: Mapping[str, object],
    endings: Sequence[str],
) -> Splits:
    """Return the splits that names tell.

    The files lie in the folder, and their names tell the splits; or they lie in the folder "data"
    in it; or in a folder for each split, which has the name of one, or is part of a `DatasetDict`.
    """
    if data := data_files(files, endings):
        return _by_name(folder, data)
    if "data" in folders:
        names, inner = folder_names(folder / "data", options)
        if data := data_files(names, endings):
            return _by_name(folder / "data", data)
    else:
        inner = []
    is_dict = "dataset_dict.json" in files
    places = [folder / name for name in folders if is_dict or _is_split(name)]
    places += [folder / "data" / name for name in inner if _is_split(name)]
    found: Splits = {}
    for place in places:
        data = data_files(folder_names(place, options)[0], endings)
        if data:
            found.setdefault(place.name, []).extend(text_of(place / name) for name in data)
    return found


def _is_split(folder: str) -> bool:
    return re.fullmatch(_NAMES, folder) is not None


def data_files(names: Sequence[str], endings: Sequence[str]) -> list[str]:
    """Return the files of the first ending that some have.

    `datasets` keeps what it computed as "cache-*.arrow" beside the data.
    """
    bases = {name: name.rpartition("/")[2] for name in names}
    data = [
        name
        for name, base in bases.items()
        if not is_beside_data(base) and not base.startswith("cache-")
    ]
    found = ([name for name in data if name.endswith(ending)] for ending in endings)
    return next(filter(None, found), [])


def _by_name(folder: Place, names: Sequence[str]) -> Splits:
    splits: Splits = {}
    paths = [text_of(folder / name) for name in names]
    for name, path in zip(names, paths, strict=True):
        if match := _NUMBERED.fullmatch(name) or _NAMED.fullmatch(name):
            splits.setdefault(match[1], []).append(path)
    return splits if len(splits) > 1 else {next(iter(splits), "train"): paths}


def files_of_split(
    folder: Place,
    splits: Splits,
    split: str = "",
    options: Mapping[str, object] | None = None,
    config: str = "",
) -> list[str]:
    """Return the files of a split, or of the only one.

    Args:
        folder: what `splits_of` was asked for.
        splits: what it has returned.
        split: a name, or another word for it: "val" is "validation".
        options: `Reader.storage_options`, for URLs.
        config: that of `splits_of`.

    Raises:
        ArgumentError: there are several splits, or not the one that is asked for.
    """
    if not split and len(splits) == 1:
        return next(iter(splits.values()))
    if split:
        meant = meant_split(split, splits)
        if meant is None:
            raise ArgumentError(f"{str(folder)!r} has no split {not_among(split, list(splits))}")
        return splits[meant]
    last = max(splits)
    rows = _rows(folder, options or {}, config)
    listed = ", ".join(
        f"{name} ({_described(splits[name], rows.get(name))})" for name in sorted(splits)
    )
    raise ArgumentError(
        f"{str(folder)!r} holds the splits {listed}, which are not one data set; name the files of "
        f"one of them: {_pattern(splits, last)!r} (readers take split={last!r}, too, and commands "
        f"--split {last})"
    )


def _rows(folder: Place, options: Mapping[str, object], config: str) -> Mapping[str, int]:
    if "README.md" not in folder_names(folder, options)[0]:
        return {}
    return card_of(folder, options).rows(config)


def _described(files: Sequence[str], rows: int | None) -> str:
    """Return the number, the rows and the bytes of files, as far as they are known."""
    parts = [f"{len(files)} file{'s' * (len(files) != 1)}"]
    if rows is not None:
        parts.append(f"{rows:,} rows")
    sizes = [_size_of(file) for file in files]
    if None not in sizes:
        total = sum(filter(None, sizes))
        parts.append(f"{total / 1e6:,.1f} MB" if total >= 1e6 else f"{total:,} bytes")
    return ", ".join(parts)


def _size_of(file: str) -> int | None:
    """Return the size of a local file, or of one on the Hub."""
    if is_on_hub(file):
        from ..hub.repository import repository  # needs an optional library

        name = hub_name(file)
        return repository(name).file(name.path).size
    return None if is_url(file) or not os.path.exists(file) else os.path.getsize(file)


def _pattern(splits: Splits, split: str) -> str:
    """Return a path that names the files of a split."""
    first = splits[split][0]
    others = [file for name, files in splits.items() if name != split for file in files]
    parent = os.path.dirname(first)
    if all(os.path.dirname(other) != parent for other in others):
        return str(place_of(parent))
    if is_url(first) and not is_on_hub(first):
        return str(place_of(first))
    return os.path.join(parent, f"{split}*")


def split_files(
    path: str,
    options: Mapping[str, object],
    endings: Sequence[str],
    split: str = "",
    config: str = "",
) -> list[str]:
    """Return the files of a split of a folder; [] if there are no data files.

    Raises:
        ArgumentError: see `splits_of` and `files_of_split`.
    """
    place = place_of(path)
    splits = splits_of(place, options, endings, config)
    return files_of_split(place, splits, split, options, config) if splits else []


def paths_of_split(
    paths: Sequence[str],
    options: Mapping[str, object],
    ending: str,
    split: str = "",
    config: str = "",
) -> list[str]:
    """Return the shards that paths stand for: see `expand_paths`; a folder may have splits.

    Args:
        paths: local paths, URLs, and names on the Hub.
        options: `Reader.storage_options`, for URLs.
        ending: that of the shards in folders, such as ".tar".
        split, config: of the folders: see `splits_of`.

    Raises:
        ArgumentError: a folder has not the split, or has several and none is asked for.
        SourceError: no file is there.
    """
    files: list[str] = []
    for path in paths:
        is_folder = os.path.isdir(path)
        if is_on_hub(path) and not is_glob(path) and not path.endswith(ending):
            is_folder = any(folder_names(place_of(path), options))
        if is_folder and (split or config or is_on_hub(path)):
            found = split_files(path, options, (ending,), split, config)
            if not found:
                raise SourceError(f"no file '*{ending}' lies in {str(place_of(path))!r}")
            files += found
        elif split or config:
            raise ArgumentError(f"{path!r} is no folder, so it has no {split or config!r}")
        else:
            files += expand_paths([path], f"*{ending}", options)
    return files
