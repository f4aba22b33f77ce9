"""The file `dataset.json` that a conversion writes into the folder of its data set.

{"penstock_dataset": 1,             version of this format
 "format": "tfrecord",
 "samples": 1281167,
 "schema": {"image": {"type": "encoded", "extension": "jpg"}, "label": {"type": "int"}},
 "classes": ["cat", "dog"],         names of the values of "label", if they are known
 "layout": {...},                   choices of the format's writer
 "shards": [{"files": [{"name": "shard-00000.tfrecord", "bytes": 100, "sha256": "..."}],
             "samples": 1000}, ...]}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ..engine.errors import SourceError
from .schema import ComponentType, Schema

NAME = "dataset.json"
_VERSION = 1


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
            ShardFile(_path_below(f["name"]), _count(f["bytes"]), str(f["sha256"]))
            for f in fields["files"]
        )
        return cls(tuple(files), _count(fields["samples"]))


def _path_below(name: Any) -> str:
    """Return the path of a file; raise ValueError if it may lead out of the data set's folder."""
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or not name.isprintable():
        raise ValueError(f"{name!r:.200} is no path below the data set's folder")
    return str(path)


def _count(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(f"a number of samples or bytes is {number!r:.50}")
    return number


@dataclass(frozen=True)
class Manifest:
    """The content of `dataset.json`; see the module."""

    format: str
    samples: int
    schema: Schema
    shards: tuple[ShardInfo, ...]
    classes: tuple[str, ...] = ()
    layout: Mapping[str, Any] = field(default_factory=dict)
    plan: str = ""

    def files(self, suffix: str = "") -> list[str]:
        """Return the names of the shards' files that end with `suffix`, in order."""
        names = (file.name for shard in self.shards for file in shard.files)
        return [name for name in names if name.endswith(suffix)]

    def to_json(self) -> str:
        """Return the text of the file."""
        return json.dumps(
            {
                "penstock_dataset": _VERSION,
                "format": self.format,
                "samples": self.samples,
                "schema": {name: each.to_json() for name, each in self.schema.items()},
                "classes": list(self.classes),
                "layout": dict(self.layout),
                "plan": self.plan,
                "shards": [asdict(shard) for shard in self.shards],
            },
            indent=1,
        )

    @classmethod
    def from_json(cls, text: str, name: str) -> Manifest:
        """Parse the text of the file `name`.

        Raises:
            SourceError: the text is no manifest of a known version.
        """
        try:
            content = json.loads(text)
            if content["penstock_dataset"] != _VERSION:
                raise ValueError(f"version {content['penstock_dataset']} is not known")
            schema = content["schema"].items()
            return cls(
                str(content["format"]),
                _count(content["samples"]),
                {str(each): ComponentType.from_json(fields) for each, fields in schema},
                tuple(ShardInfo.from_json(shard) for shard in content["shards"]),
                tuple(map(str, content["classes"])),
                dict(content["layout"]),
                str(content["plan"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise SourceError(
                f"{name} is no manifest of a data set ({type(error).__name__}: {error}); remove it "
                "to have the data set recognized by its files"
            ) from None


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a folder; None if the folder holds no manifest.

    A `dataset.json` that another program wrote, without the field `penstock_dataset`, is none.

    Raises:
        SourceError: the manifest is damaged.
    """
    path = folder / NAME
    try:
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is not written in UTF-8: {error}") from None
    return Manifest.from_json(text, str(path)) if '"penstock_dataset"' in text else None
