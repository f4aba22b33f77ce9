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
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...engine.errors import SourceError
from .members import MixedReader

STREAMS, PROPORTION = "streams", "proportion"
_RULES = {PROPORTION: "weights", "repeat": "repeats", "choose": "choose"}
"""The number of a stream, and the argument of the mixture that it is."""

_NOTES = ("download_retry", "download_timeout", "validate_hash", "keep_zip")
_KEYS = ("remote", "local", "split", *_RULES, *_NOTES)


def of_streams(
    name: str, content: Mapping[str, Any], split: str | None, arguments: Mapping[str, Any]
) -> tuple[dict[str, MixedReader], dict[str, dict[str, Any]]]:
    """Return the streams of a file, and the argument with their shares.

    Args:
        name: of the file, for messages.
        content: of the file.
        split: of the streams that name none.
        arguments: of `fn.readers.mds`, such as `columns`.

    Raises:
        SourceError: the file is damaged, or asks for what Penstock does not do.
    """
    if odd := [str(key) for key in content if key != STREAMS]:
        raise SourceError(
            f"{name} has {odd[0]!r:.100} beside {STREAMS!r}, which Penstock does not read; put the "
            "streams into a file of their own"
        )
    streams = content[STREAMS]
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
    return members, {_RULES[word]: own for word, own in numbers.items()}
