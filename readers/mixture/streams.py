"""The sources of a mixture as MosaicML's streaming, Composer and LLM Foundry list them.

    streams:
      c4:
        remote: s3://bucket/c4      or local; with both, local is a cache, and not read
        split: train                a folder inside; by default the one of the mixture
        proportion: 0.7             or repeat, or choose: the same one for all streams
      code: {remote: s3://bucket/code, proportion: 0.3}

Each is an MDS data set. As in streaming, a stream without `repeat` comes once, one without `choose`
gives all samples, and either all or none have a `proportion`. Notes on how streaming fetches shards
change no sample.

The file may also be all of a training by LLM Foundry, of which `train_loader.dataset` is read: it
has `streams`, or is a stream itself, and its `split` and `epoch_size` hold for all streams. The
other keys say how batches are made and trained on. Texts such as `${variables.data}` stand for the
value at this place of the file.

    variables: {data: /data/c4}
    train_loader:
      dataset: {local: "${variables.data}", split: train, shuffle: true, max_seq_len: 2048}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...engine.errors import SourceError
from .members import MixedReader

STREAMS, PROPORTION, LOADER = "streams", "proportion", "train_loader"
_RULES = {PROPORTION: "weights", "repeat": "repeats", "choose": "choose"}
"""The number of a stream, and the argument of the mixture that it is."""

_NOTES = ("download_retry", "download_timeout", "validate_hash", "keep_zip")
_KEYS = ("remote", "local", "split", *_RULES, *_NOTES)

_REFERENCE = re.compile(r"\$\{([^${}]*)\}")
_MOST_REFERENCES = 64
"""References of a text that lead to others: more lead to themselves."""


def of_streams(
    name: str, content: Mapping[str, Any], split: str | None, arguments: Mapping[str, Any]
) -> tuple[dict[str, MixedReader], dict[str, Any]]:
    """Return the streams of a file, and the arguments of the mixture that it gives.

    Args:
        name: of the file, for messages.
        content: of the file.
        split: of the streams that name none.
        arguments: of `fn.readers.mds`, such as `columns`.

    Raises:
        SourceError: the file is damaged, or asks for what Penstock does not do.
    """
    if LOADER in content:
        data: Mapping[str, Any] = _data_of(name, content)
    elif odd := [str(key) for key in content if key != STREAMS]:
        raise SourceError(
            f"{name} has {odd[0]!r:.100} beside {STREAMS!r}, which Penstock does not read; put the "
            "streams into a file of their own"
        )
    else:
        data = content
    split = data.get("split") if split is None else split
    streams = data[STREAMS]
    if isinstance(streams, list):
        streams = dict(enumerate(streams))
    if not isinstance(streams, Mapping) or not streams:
        raise SourceError(f"{name}: {STREAMS!r} names no streams")
    members: dict[str, MixedReader] = {}
    numbers: dict[str, dict[str, Any]] = {}
    for key, stream in streams.items():
        source = str(key)
        where = f"{name}: the stream {source!r:.100}"
        if not isinstance(stream, Mapping):
            raise SourceError(f"{where} is {stream!r:.100}, no mapping")
        told = {str(word): value for word, value in stream.items() if value is not None}
        if odd := [word for word in told if word not in _KEYS]:
            raise SourceError(
                f"{where} has {odd[0]!r:.100}, which Penstock does not read; {', '.join(_KEYS)} "
                "are read"
            )
        path, part = told.get("remote", told.get("local")), told.get("split", split or "")
        if not isinstance(path, str) or not path or not isinstance(part, str):
            raise SourceError(f"{where} has neither 'remote' nor 'local' with a path or URL")
        members[source] = MixedReader(
            "readers.mds", {"path": [path], "split": part, **arguments}, ()
        )
        for word in told.keys() & _RULES.keys():
            numbers.setdefault(word, {})[source] = told[word]
    if len(numbers) > 1:
        raise SourceError(
            f"{name} has {' and '.join(sorted(numbers))}; give its streams the same one of "
            f"{', '.join(_RULES)}"
        )
    for source in members if PROPORTION in numbers else ():
        if source not in numbers[PROPORTION]:
            raise SourceError(
                f"{name}: the stream {source!r:.100} has no {PROPORTION!r}, and others have one"
            )
    shares: dict[str, Any] = {_RULES[word]: own for word, own in numbers.items()}
    if data.get("epoch_size") is not None:
        if PROPORTION not in numbers:
            raise SourceError(
                f"{name} has epoch_size, and its streams have no {PROPORTION!r}: give choose or "
                "repeat to each, or a proportion"
            )
        shares["epoch_size"] = data["epoch_size"]
    return members, shares


def _data_of(name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data set that a file of LLM Foundry trains on, with `streams` in any case."""
    loader = content[LOADER]
    data = loader.get("dataset") if isinstance(loader, Mapping) else None
    if not isinstance(data, Mapping):
        raise SourceError(f"{name}: {LOADER!r} has no 'dataset' with streams")
    known = [word for word in (STREAMS, "epoch_size", *_KEYS) if word in data]
    data = {word: _resolved(name, content, data[word]) for word in known}
    if data.get(STREAMS) is None:
        words = [word for word in _KEYS if word != "split" and data.get(word) is not None]
        own = {word: data[word] for word in words}
        if not own.keys() & {"remote", "local"}:
            raise SourceError(
                f"{name}: the dataset of {LOADER!r} has neither {STREAMS!r}, nor 'remote' or "
                "'local': only MDS data sets are read"
            )
        data[STREAMS] = {"train": own}
    return data


def _resolved(name: str, content: Mapping[str, Any], value: Any) -> Any:
    """Return a value with what its references stand for, as OmegaConf does."""
    if isinstance(value, Mapping):
        return {key: _resolved(name, content, own) for key, own in value.items()}
    if isinstance(value, list):
        return [_resolved(name, content, own) for own in value]
    for _ in range(_MOST_REFERENCES):
        found = _REFERENCE.search(value) if isinstance(value, str) else None
        if found is None:
            return value
        referred: Any = content
        for word in found[1].split("."):
            if not isinstance(referred, Mapping) or word not in referred:
                raise SourceError(
                    f"{name}: {found[0]} refers to nothing in this file; write the value itself"
                )
            referred = referred[word]
        whole = found[0] == value
        value = referred if whole else value.replace(found[0], str(referred))
    raise SourceError(f"{name}: {value!r:.100} refers to itself")
