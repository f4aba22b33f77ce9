"""Manifests of NVIDIA NeMo: JSON lines, one utterance a line.

Format: NeMo's user guide, "Preparing Custom ASR Data" and "Tarred Datasets". A line is an object
such as `{"audio_filepath": "a.flac", "offset": 1.5, "duration": 3.45, "text": "hello"}`. Manifests
of tarred data add `"shard_id": 7`, the number of the archive that holds the file.

`"channel_selector"` chooses channels: a number, a list of numbers, or "average". A list of files as
"audio_filepath" holds one recording, the channels of the first file first.

A manifest comes from anywhere, so every field is checked here, and an error names file and line.
"""

from __future__ import annotations

import json
import math
import warnings
from array import array
from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..engine.errors import SourceError

LARGEST_SHARD = 2**31 - 1
MOST_CHANNELS = 1024
AVERAGE = -1
"""Stands in `NemoManifest.channels` for the mean of all channels."""

_PATHS = ("audio_filepath", "audio_filename")  # in this order of preference, as in NeMo
_SEPARATOR = b"\0"  # between the files of one entry
_UNREAD = ("text_filepath", "audio_feature", "feature_file", "command")
"""Fields in which NeMo looks for what "text" and "audio_filepath" do not say."""

LONGEST = 1e9  # seconds: thirty years, beyond which a number is no time in a recording


@dataclass(frozen=True)
class Utf8Texts:
    """Strings end to end in one block, so that a string costs its bytes and 8 more.

    Attributes:
        joined: the strings in UTF-8.
        bounds: string i is `joined[bounds[i]:bounds[i + 1]]`; int64 (strings + 1,).
    """

    joined: bytes
    bounds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, index: int) -> str:
        return self.encoded(index).decode()

    def encoded(self, index: int) -> bytes:
        """Return string `index` in UTF-8."""
        start, end = self.bounds[index : index + 2].tolist()
        return self.joined[start:end]


@dataclass(frozen=True)
class NemoManifest:
    """The entries of one manifest, as columns; every array has shape `(entries,)`.

    Attributes:
        name: path or URL of the manifest, for messages.
        paths: each audio file once, as the manifest spells its name. Several files of one entry
            are one string, with a zero byte between the names.
        path_number: which of `paths` an entry names: int64.
        texts: the transcript of each entry, "" where there is none.
        offset: start of the utterance in its file, in seconds: float64, 0 by default.
        duration: length of the utterance in seconds: float64, NaN where the line has none, which
            means the rest of the file.
        shard: number of the archive that holds the file: int64, -1 where the line has none.
        line: number of the entry's line, from 1 on: int64.
        channels: the channels that an entry selects, by the number of the entry: numbers from 0
            on, or `AVERAGE` alone. Entries that take all channels are not there.
    """

    name: str
    paths: Utf8Texts
    path_number: NDArray[np.int64]
    texts: Utf8Texts
    offset: NDArray[np.float64]
    duration: NDArray[np.float64]
    shard: NDArray[np.int64]
    line: NDArray[np.int64]
    channels: dict[int, tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.line)

    def path(self, entry: int) -> str:
        """Return the audio file of an entry, as the manifest spells its name."""
        return ", ".join(self.files(entry))

    def files(self, entry: int) -> list[str]:
        """Return all audio files of an entry."""
        return file_names(self.paths.encoded(int(self.path_number[entry])))

    def where(self, entry: int) -> str:
        """Return the location of an entry: the manifest and the line."""
        return f"{self.name}, line {self.line[entry]}"


def file_names(path: bytes) -> list[str]:
    """Return the files that a string of `NemoManifest.paths` names."""
    return [name.decode() for name in path.split(_SEPARATOR)]


def parse_manifest(lines: Iterable[bytes], name: str) -> NemoManifest:
    r"""Return the entries of a manifest; empty lines are none.

    Warnings name fields that NeMo would read, but Penstock does not, and count texts that are null.
    All other unknown fields are ignored.

    Args:
        lines: lines of the file, as an open binary file yields them.
        name: path or URL of the manifest, for messages.

    >>> manifest = parse_manifest([b'{"audio_filepath": "a.wav", "duration": 2, "text": "hi"}\n'],
    ...                           "train.json")
    >>> len(manifest), manifest.path(0), manifest.texts[0], manifest.duration.tolist()
    (1, 'a.wav', 'hi', [2.0])

    Raises:
        SourceError: a line is no JSON object, a field has a wrong type or value, or there is no
            entry. The message has the number of the line.
    """
    builder = _ManifestBuilder()
    for number, line in enumerate(lines, 1):
        content = line.removeprefix(BOM_UTF8) if number == 1 else line
        if content.strip():
            try:
                builder.add(_entry(content), number)
            except ValueError as error:
                _refuse(name, number, content, str(error))
    if not builder.lines:
        raise SourceError(
            f"{name} has no entry: each line must be a JSON object such as "
            '{"audio_filepath": "a.wav", "duration": 3.45, "text": "hello"}'
        )
    return builder.finish(name)


class _ManifestBuilder:
    """Grows the columns of a manifest."""

    def __init__(self) -> None:
        self.lines = array("q")
        self._numbers: dict[bytes, int] = {}
        self._path_number, self._shard = array("q"), array("q")
        self._offset, self._duration = array("d"), array("d")
        self._texts, self._bounds = bytearray(), array("q", [0])
        self._channels: dict[int, tuple[int, ...]] = {}
        self._unread: dict[str, int] = {}  # the first line of each field
        self._null_texts = array("q")  # lines
        self._without_text = array("q")  # lines without a field that is a transcript

    def add(self, entry: dict[str, object], line: int) -> None:
        """Check the fields of one line, and append them; raise ValueError for a bad field."""
        path = _path(entry)
        text = _text(entry)
        offset = _seconds(entry, "offset", 0.0)
        duration = _seconds(entry, "duration", math.nan)
        shard = _shard(entry)
        channels = _channels(entry)
        if channels:
            self._channels[len(self.lines)] = channels
        if not text:
            if "text" in entry and entry["text"] is None:
                self._null_texts.append(line)
            unread = entry.keys() & _UNREAD
            for key in unread:
                self._unread.setdefault(key, line)
            if "text" not in entry and not unread:
                self._without_text.append(line)
        self._texts += text
        self._bounds.append(len(self._texts))
        self._path_number.append(self._numbers.setdefault(path, len(self._numbers)))
        self._offset.append(offset)
        self._duration.append(duration)
        self._shard.append(shard)
        self.lines.append(line)

    def finish(self, name: str) -> NemoManifest:
        for key, line in sorted(self._unread.items()):
            warnings.warn(
                f"{name}, line {line}: {key!r} is not read; the transcript is empty",
                stacklevel=2,
            )
        if self._null_texts:
            warnings.warn(
                f"{name}: 'text' is null in {len(self._null_texts)} of {len(self.lines)} entries, "
                f"the first in line {self._null_texts[0]}; their transcripts are empty",
                stacklevel=2,
            )
        if 0 < len(self._without_text) < len(self.lines):  # a manifest may have no transcripts
            warnings.warn(
                f"{name}: 'text' is missing in {len(self._without_text)} of {len(self.lines)} "
                f"entries, the first in line {self._without_text[0]}; their transcripts are empty",
                stacklevel=2,
            )
        lengths = np.fromiter(map(len, self._numbers), np.int64, len(self._numbers))
        return NemoManifest(
            name,
            Utf8Texts(b"".join(self._numbers), np.concatenate([[0], np.cumsum(lengths)])),
            np.array(self._path_number, np.int64),
            Utf8Texts(bytes(self._texts), np.array(self._bounds, np.int64)),
            np.array(self._offset, np.float64),
            np.array(self._duration, np.float64),
            np.array(self._shard, np.int64),
            np.array(self.lines, np.int64),
            self._channels,
        )


def _entry(line: bytes) -> dict[str, object]:
    try:
        entry = json.loads(line.decode("utf-8"))
    except RecursionError:
        raise ValueError("brackets are nested too deeply") from None
    except ValueError as error:  # also a number of thousands of digits, and text not in UTF-8
        raise ValueError(f"no JSON in UTF-8: {error}") from None
    if not isinstance(entry, dict):
        raise ValueError(f"a JSON {type(entry).__name__}, no object")
    return entry


def _path(entry: dict[str, Any]) -> bytes:
    """Return the audio file, or several ones, joined."""
    key = next((key for key in _PATHS if entry.get(key) is not None), _PATHS[0])
    value = entry.get(key)
    names = value if isinstance(value, list) else [value]
    paths = [_string(name, key) for name in names]
    if not paths or any(not path or _SEPARATOR in path for path in paths):
        raise ValueError(f"{key!r} must be a path or URL, or a list of them")
    return _SEPARATOR.join(paths)


def _text(entry: dict[str, object]) -> bytes:
    value = entry.get("text")
    is_number = type(value) is int  # of digits that were spoken
    return _string(str(value) if is_number else value, "text")


def _channels(entry: dict[str, object]) -> tuple[int, ...]:
    """Return the selected channels; none for all of them."""
    value = entry.get("channel_selector")
    if value is None:
        return ()
    if value == "average":
        return (AVERAGE,)
    channels = value if isinstance(value, list) else [value]
    is_valid = all(type(channel) is int and 0 <= channel < MOST_CHANNELS for channel in channels)
    if not is_valid or not 0 < len(channels) <= MOST_CHANNELS:
        raise ValueError(
            "'channel_selector' must be a number of a channel from 0 on, a list of them, or "
            f"'average', but is {_shown(value)}"
        )
    return tuple(channels)


def _string(value: object, key: str) -> bytes:
    if value is None:
        return b""
    if not isinstance(value, str):
        raise ValueError(f"{key!r} must be a string, but is {_shown(value)}")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{key!r} holds half of a surrogate pair, which is no text") from None


def _seconds(entry: dict[str, object], key: str, default: float) -> float:
    value = entry.get(key)
    if value is None:
        return default
    # Written so that NaN fails, and an integer too large for a float is never converted.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST:
        raise ValueError(f"{key!r} must be seconds, 0 or more, but is {_shown(value)}")
    return float(value)


def _shard(entry: dict[str, object]) -> int:
    value = entry.get("shard_id")
    if value is None:
        return -1
    if type(value) is not int or not -1 <= value <= LARGEST_SHARD:
        raise ValueError(f"'shard_id' must be an archive's number, but is {_shown(value)}")
    return value


def _shown(value: object) -> str:
    return repr(str(value)[:60])


def _refuse(name: str, number: int, line: bytes, problem: str) -> NoReturn:
    got = line[:120].decode("utf-8", "backslashreplace").strip()
    raise SourceError(
        f"{name}, line {number}: {problem}; expected an object on one line, such as "
        f'{{"audio_filepath": "a.wav", "duration": 3.45, "text": "hello"}}; got {got!r}'
    )
