"""The file `dataset.json` that a conversion writes into the folder of its data set.

{"penstock_dataset": 1,             version of this format
 "format": "tfrecord",
 "samples": 1281167,
 "schema": {"image": {"type": "encoded", "extension": "jpg"}, "label": {"type": "int"}},
 "classes": ["cat", "dog"],         names of the values of "label", if they are known
 "layout": {...},                   choices of the format's writer
 "shards": [{"files": [{"name": "shard-00000.tfrecord", "bytes": 100, "sha256": "..."}],
             "samples": 1000}, ...],
 "checksum": "..."}                 SHA-256 of all other members, as JSON without spaces, sorted
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any

from ..engine.errors import SourceError
from ..readers.storage.opening import read_whole
from ..readers.storage.urls import Place, Url
from .schema import ComponentType, Schema

NAME = "dataset.json"
_VERSION = 1
_MARK, _CHECKSUM, _REPLACED = "penstock_dataset", "checksum", "being_replaced"
_MEMBERS = (
    _MARK,
    _CHECKSUM,
    "format",
    "samples",
    "schema",
    "classes",
    "layout",
    "plan",
    "shards",
)
_ENOUGH = 5
"""Of the members, so many tell a manifest, even if the others are damaged."""


@dataclass(frozen=True)
class ShardFile:
    """A file of a shard.

    Attributes:
        name: path below the data set's folder.
        bytes: its size.
        sha256: of its content, in hexadecimal digits.
    """

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class ShardInfo:
    """A shard that is whole.

    Attributes:
        files: its files.
        samples: how many it holds.
    """

    files: tuple[ShardFile, ...]
    samples: int

    @classmethod
    def from_json(cls, fields: Any) -> ShardInfo:
        """Return the shard that `asdict` made JSON of; raise ValueError for other fields."""
        files = (
            ShardFile(path_below(f["name"]), _count(f["bytes"]), str(f["sha256"]))
            for f in fields["files"]
        )
        return cls(tuple(files), _count(fields["samples"]))


def path_below(name: Any) -> str:
    """Return the path of a file; raise ValueError if it may lead out of the data set's folder."""
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or not name.isprintable():
        raise ValueError(f"{name!r:.200} is no path below the data set's folder")
    return str(path)


def _count(number: object) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(f"a number of samples or bytes is {number!r:.50}")
    return number


@dataclass(frozen=True)
class Manifest:
    """The content of `dataset.json`; see the module.

    Attributes:
        is_checked: whether the file has its own checksum, which files of the first releases lack.
    """

    format: str
    samples: int
    schema: Schema
    shards: tuple[ShardInfo, ...]
    classes: tuple[str, ...] = ()
    layout: Mapping[str, Any] = field(default_factory=dict)
    plan: str = ""
    is_checked: bool = True

    def files(self, suffix: str = "") -> list[str]:
        """Return the names of the shards' files that end with `suffix`, in order."""
        names = (file.name for shard in self.shards for file in shard.files)
        return [name for name in names if name.endswith(suffix)]

    def to_json(self) -> str:
        """Return the text of the file."""
        content = {
            _MARK: _VERSION,
            "format": self.format,
            "samples": self.samples,
            "schema": {name: component.to_json() for name, component in self.schema.items()},
            "classes": list(self.classes),
            "layout": dict(self.layout),
            "plan": self.plan,
            "shards": [asdict(shard) for shard in self.shards],
        }
        return checked_text(content)

    @classmethod
    def from_json(cls, text: str, name: str) -> Manifest:
        """Parse the text of the file `name`.

        Raises:
            SourceError: the text is no manifest of a known version.
        """
        try:
            content = json.loads(text)
            if _REPLACED in content:
                raise SourceError(
                    f"{name}: a conversion is replacing this data set; wait for its end, or go on "
                    "with it by resume=True if it was cut off"
                )
            checksum = content.pop(_CHECKSUM, None)
            if checksum is not None and checksum != _checksum(content):
                raise ValueError("its members do not have the checksum that it names")
            if unknown := content.keys() - set(_MEMBERS):  # one may be the checksum, misspelt
                raise ValueError(f"the member {min(unknown)!r:.50} is not known")
            if content[_MARK] != _VERSION:
                raise ValueError(f"version {content[_MARK]!r:.50} is not known")
            schema = content["schema"].items()
            return cls(
                str(content["format"]),
                _count(content["samples"]),
                {str(name): ComponentType.from_json(fields) for name, fields in schema},
                tuple(ShardInfo.from_json(shard) for shard in content["shards"]),
                tuple(map(str, content["classes"])),
                dict(content["layout"]),
                str(content["plan"]),
                checksum is not None,
            )
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise SourceError(
                f"{name} is no manifest of a data set, or is damaged ({type(error).__name__}: "
                f"{error}); remove it to have the data set recognized by its files"
            ) from None


def tombstone_text() -> str:
    """Return what stands in place of a manifest while another data set takes the place of its own.

    Stores cannot exchange folders. So readers of the old data set get an error, and no mixture.
    """
    return json.dumps({_MARK: _VERSION, _REPLACED: True})


def checked_text(content: Mapping[str, object]) -> str:
    """Return the text of a manifest with these members, and its checksum."""
    return json.dumps({**content, _CHECKSUM: _checksum(content)}, indent=1)


def _checksum(content: Mapping[str, object]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_manifest(folder: Place, options: Mapping[str, object] | None = None) -> Manifest | None:
    """Return the manifest of a folder; None if the folder holds no manifest.

    A `dataset.json` that another program wrote is none; see `is_foreign`.

    Args:
        folder: a local one, or a URL.
        options: `Reader.storage_options`, for a URL.

    Raises:
        SourceError: the manifest is damaged.
    """
    content = _content(folder, options)
    if content is None or not _is_ours(content):
        return None
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise SourceError(f"{folder / NAME} is not written in UTF-8: {error}") from None
    return Manifest.from_json(text, str(folder / NAME))


def is_foreign(folder: Place, options: Mapping[str, object] | None = None) -> bool:
    """Return whether a folder holds a `dataset.json` that no conversion wrote."""
    content = _content(folder, options)
    return content is not None and not _is_ours(content)


def _content(folder: Place, options: Mapping[str, object] | None) -> bytes | None:
    try:
        return read_whole(folder / NAME, options)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except PermissionError:
        if isinstance(folder, Url):  # what object stores answer who may not list a folder
            return None
        raise


def _is_ours(content: bytes) -> bool:
    present = [f'"{member}"'.encode() in content for member in _MEMBERS]
    return present[0] or sum(present) >= _ENOUGH
