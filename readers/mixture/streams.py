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
value at this place of the file, and `${.local}` for the one beside them.

    variables: {data: /data/c4}
    train_loader:
      dataset: {local: "${variables.data}", split: train, shuffle: true, max_seq_len: 2048}
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...engine.errors import SourceError
from .members import MixedReader

STREAMS, PROPORTION, LOADER = "streams", "proportion", "train_loader"
_RULES = {PROPORTION: "weights", "repeat": "repeats", "choose": "choose"}
"""The number of a stream, and the argument of the mixture that it is."""

_NOTES = ("download_retry", "download_timeout", "validate_hash", "keep_zip")
_PLACES = ("remote", "local")
_KEYS = (*_PLACES, "split", *_RULES, *_NOTES)

_SAMPLINGS: Mapping[str, Sequence[Any]] = {
    "sampling_method": ("balanced",),
    "batching_method": ("random", "stratified"),
    "replication": (0, 1),
    "stream_name": ("stream",),
    "stream_config": ({},),
    "hf_name": (),
}
"""Keys of a training's data set that decide which samples come, and what they say by default."""

_REFERENCE = re.compile(r"\$\{([^${}]*)\}")
_DEEPEST = 32
"""References and mappings inside of one another: more are a reference that leads to itself."""


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
        told = {str(word): own for word, own in stream.items() if own is not None and own != ""}
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
    references = _References(name, content)
    loader, above = references.followed(content[LOADER], (content,))
    given = loader.get("dataset") if isinstance(loader, Mapping) else None
    data, above = references.followed(given, (*above, loader))
    if not isinstance(data, Mapping):
        raise SourceError(f"{name}: {LOADER!r} has no 'dataset' with streams")
    known = [word for word in (STREAMS, "epoch_size", *_KEYS, *_SAMPLINGS) if word in data]
    data = {word: references.resolved(data[word], (*above, data)) for word in known}
    words = [word for word in _KEYS if word != "split" and data.get(word) not in (None, "")]
    own = {word: data[word] for word in words}
    if not data.get(STREAMS):
        if not own.keys() & _PLACES:
            raise SourceError(
                f"{name}: the dataset of {LOADER!r} has neither {STREAMS!r}, nor 'remote' or "
                "'local': only MDS data sets are read"
            )
        data[STREAMS] = {"train": own}
    elif both := [word for word in own if word in _PLACES]:
        raise SourceError(
            f"{name}: the dataset of {LOADER!r} has {STREAMS!r}, and {both[0]!r} beside them; "
            "leave one of them out"
        )
    for word, usual in _SAMPLINGS.items():
        if data.get(word) not in (None, *usual):
            raise SourceError(
                f"{name}: the dataset of {LOADER!r} has {word} {data[word]!r:.100}, which "
                f"Penstock does not do; leave {word} out"
            )
    return data


class _References:
    """What the references of a file stand for, as in OmegaConf.

    `${a.b}` is the value of `b` in the mapping `a` of the file. `${.b}` begins at the mapping that
    holds the reference, and each further dot at the one above it.

    Args:
        name: of the file, for messages.
        content: of the file.
    """

    def __init__(self, name: str, content: Mapping[str, Any]) -> None:
        self._name = name
        self._content = content

    def resolved(self, value: Any, above: Sequence[Any], depth: int = 0) -> Any:
        """Return a value without references.

        Args:
            value: of the file.
            above: the mappings and lists that hold the value, from the file's own on.
            depth: references that have led here.
        """
        value, above = self.followed(value, above, depth)
        if isinstance(value, Mapping):
            own = (*above, value)
            return {key: self.resolved(each, own, depth + 1) for key, each in value.items()}
        if isinstance(value, list):
            return [self.resolved(each, (*above, value), depth + 1) for each in value]
        return value

    def followed(
        self, value: Any, above: Sequence[Any], depth: int = 0
    ) -> tuple[Any, Sequence[Any]]:
        """Return what a text stands for, and what holds it; any other value as it is."""
        if depth > _DEEPEST:
            raise SourceError(f"{self._name}: {value!r:.100} refers to itself")
        while isinstance(value, str) and (found := _REFERENCE.search(value)):
            referred, beyond = self._referred(found, above, depth)
            if found[0] == value:
                return self.followed(referred, beyond, depth + 1)
            text, _ = self.followed(referred, beyond, depth + 1)
            if isinstance(text, Mapping | list):
                raise SourceError(f"{self._name}: {found[0]} in {value!r:.100} is no text")
            value = value.replace(found[0], str(text))
        return value, above

    def _referred(
        self, found: re.Match[str], above: Sequence[Any], depth: int
    ) -> tuple[Any, Sequence[Any]]:
        """Return the value that a reference names, and what holds it."""
        path = found[1].lstrip(".")
        up = len(found[1]) - len(path)
        value: Any = self._content
        beyond: Sequence[Any] = ()
        if up:
            value, beyond = (above[-up], above[:-up]) if up <= len(above) else (None, ())
        for word in path.split("."):
            value, beyond = self.followed(value, beyond, depth + 1)
            if not isinstance(value, Mapping) or word not in value:
                what = "refers to nothing in this file"
                if ":" in found[1]:
                    what = "calls a resolver of OmegaConf, which Penstock does not do"
                raise SourceError(f"{self._name}: {found[0]} {what}; write the value itself")
            value, beyond = value[word], (*beyond, value)
        return value, beyond
