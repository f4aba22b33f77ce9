"""`index.json` of MDS: which shards a data set has, and what their samples hold.

{"version": 2, "shards": [{
    "version": 2, "format": "mds", "samples": 3,
    "column_names": ["i", "x"], "column_encodings": ["int", "bytes"], "column_sizes": [8, null],
    "compression": "zstd:7" or null,
    "raw_data": {"basename": "shard.00000.mds", "bytes": 254, "hashes": {"sha1": "..."}},
    "zip_data": the same of the compressed file, or null}]}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from ...engine.arrays import Bytes
from ...engine.errors import ArgumentError, SourceError
from ..listing.folder import folder_names
from ..storage.opening import read_whole
from ..storage.urls import Place, place_of, text_of
from ..webdataset.energon import check_inside

INDEX = "index.json"
VERSION = 2
_OFFSET = 4
"""Bytes of an offset in a shard."""

_LARGEST = (1 << 8 * _OFFSET) - 1
"""Bytes of a shard: the offsets of larger ones went round."""

Told = TypeVar("Told")


class StoredColumn(NamedTuple):
    """A column of a shard; `size` is the bytes of each value, 0 for values that differ in size."""

    name: str
    encoding: str
    size: int


class Shard(NamedTuple):
    """A shard as the index tells it.

    Attributes:
        path: of the file that is read, a path or URL.
        basename: of the shard without compression, as the index has it.
        samples: their number.
        nbytes: size of the shard without compression.
        file_bytes: size of the file that is read.
        compression: of the file that is read; "" for none.
        hashes: digests of the file that is read, by the name of the function.
        columns: in the order of the values.
    """

    path: str
    basename: str
    samples: int
    nbytes: int
    file_bytes: int
    compression: str
    hashes: Mapping[str, str]
    columns: tuple[StoredColumn, ...]

    @property
    def table_bytes(self) -> int:
        """Bytes of the number of samples and of the offsets, with which a shard begins."""
        return _OFFSET * (self.samples + 2)

    def wrong_hash(self, content: Bytes) -> str:
        """Return what is wrong with the content of the file; "" if a digest fits, or none can."""
        for name in sorted(self.hashes.keys() & hashlib.algorithms_guaranteed):
            if not name.startswith("shake_"):
                found = hashlib.new(name, content.data, usedforsecurity=False).hexdigest()
                told = self.hashes[name]
                return "" if found == told else f"the {name} is {found}, but should be {told:.200}"
        return ""


def folder_of(path: str, split: str = "") -> Place:
    """Return the folder of a data set: a path may name its `index.json`, too."""
    place = place_of(path)
    place = place.parent if place.name == INDEX else place
    return place / split if split else place


def shards_of(folder: Place, options: Mapping[str, object] | None = None) -> list[Shard]:
    """Return the shards of a folder.

    Raises:
        SourceError: the index is damaged, or there is no MDS data set.
        ArgumentError: the folder holds splits. OSError: the index cannot be read.
    """
    place = folder / INDEX
    try:
        content = read_whole(place, options)
    except FileNotFoundError:
        _refuse_missing(folder, options or {})
    try:
        told = json.loads(content)
        if told["version"] != VERSION:
            raise ValueError(f"version {told['version']!r:.50}, not {VERSION}")
        return [_shard(folder, entry) for entry in _of_type(told, "shards", list)]
    except SourceError as error:
        raise SourceError(f"{place}: {error}") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else f"{error!s:.300}"
        raise SourceError(f"{place} is no index of MDS, or is damaged: {reason}") from None


def _refuse_missing(folder: Place, options: Mapping[str, object]) -> NoReturn:
    names = folder_names(folder, options)[1]
    splits = [name for name in names if INDEX in folder_names(folder / name, options)[0]]
    if splits:
        raise ArgumentError(
            f"{folder} holds the splits {', '.join(splits)}; give one, such as split={splits[0]!r}"
        )
    raise SourceError(
        f"{folder} has no {INDEX}, so it is no MDS data set. Where several processes wrote it, "
        "streaming.base.util.merge_index makes the index"
    )


def named(columns: Sequence[StoredColumn]) -> str:
    """Return the names and the encodings of columns, for messages."""
    return ", ".join(f"{column.name} ({column.encoding})" for column in columns)


def _of_type(entry: Any, name: str, kind: type[Told]) -> Told:
    value = entry[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{name!r} is {value!r:.100}, not of the type {kind.__name__}")
    return value


def _shard(folder: Place, entry: Any) -> Shard:
    if entry["format"] != "mds":
        raise SourceError(
            f"a shard has the format {entry['format']!r:.50}; only MDS is read, so write the "
            "samples anew by MDSWriter"
        )
    if entry["version"] != VERSION:
        raise ValueError(f"a shard has the version {entry['version']!r:.50}, not {VERSION}")
    raw = _file(entry["raw_data"])
    samples = _of_type(entry, "samples", int)
    if not 0 <= samples <= raw.nbytes // _OFFSET - 2 or raw.nbytes > _LARGEST:
        raise ValueError(
            f"{raw.basename!r:.100} claims {samples} samples in {raw.nbytes} bytes, which is "
            "impossible: offsets have 32 bits"
        )
    compression = entry["compression"]
    read = raw
    if compression is not None:
        compression = _of_type(entry, "compression", str).partition(":")[0]
        read = _file(entry["zip_data"])
        # The cache of StreamingDataset has the shard as it was decompressed.
        if isinstance(folder, Path) and (folder / raw.basename).is_file():
            read, compression = raw, ""
    return Shard(
        text_of(folder / read.basename),
        raw.basename,
        samples,
        raw.nbytes,
        read.nbytes,
        compression or "",
        read.hashes,
        _columns(entry),
    )


class _File(NamedTuple):
    basename: str
    nbytes: int
    hashes: Mapping[str, str]


def _file(entry: Any) -> _File:
    basename = _of_type(entry, "basename", str)
    check_inside("the index", basename)
    hashes = _of_type(entry, "hashes", dict)
    if not all(isinstance(digest, str) for digest in hashes.values()):
        raise ValueError(f"the hashes of {basename!r:.100} are no texts")
    return _File(basename, _of_type(entry, "bytes", int), hashes)


def _columns(entry: Any) -> tuple[StoredColumn, ...]:
    names = _of_type(entry, "column_names", list)
    encodings = _of_type(entry, "column_encodings", list)
    sizes = _of_type(entry, "column_sizes", list)
    if not len(names) == len(encodings) == len(sizes) or not names:
        raise ValueError(f"{len(names)} columns, {len(encodings)} encodings, {len(sizes)} sizes")
    if not all(isinstance(text, str) for text in (*names, *encodings)):
        raise ValueError("names and encodings of columns must be texts")
    if len(set(names)) < len(names):
        raise ValueError("two columns have one name")
    for size in sizes:
        if size is not None and (type(size) is not int or not 0 <= size <= _LARGEST):
            raise ValueError(f"{size!r:.50} is no size of a column")
    triples = zip(names, encodings, sizes, strict=True)
    return tuple(StoredColumn(name, encoding, size or 0) for name, encoding, size in triples)
