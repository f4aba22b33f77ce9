"""Writes LMDB databases by the library of LMDB; see `stored.lmdb`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...engine.errors import ArgumentError, MissingDependencyError, install_hint
from ...readers.lmdb.datum import encode_datum
from ...readers.lmdb.tensor_protos import encode_tensors
from ..component_files import files_of, quoted_key
from ..manifest import ShardInfo
from ..media import OTHER, medium_of
from ..sample import Encoded, Sample
from ..schema import ENCODED, INT, Schema, schema_of
from .base import LABEL, Target, Writer, needs_label, one_encoded, others
from .hashed_file import hash_of

_DATA = "data.mdb"

MAP_BYTES = 1 << 40
"""Addresses of a database; memory and disk are taken for the content alone."""

TRANSACTION_BYTES = 32 << 20
"""Bytes of values, after which they are written: a transaction is in memory."""


Entry = tuple[bytes, bytes | memoryview]


class LmdbFileWriter(Writer):
    """Writes databases whose values are files; `component_files` describes their names."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._library = _lmdb()
        self._environment: Any = None

    def start(self, path: Path) -> None:
        """See `Writer.start`."""
        self._path = path
        self.samples = 0
        path.mkdir(parents=True)
        self._environment = self._library.open(
            str(path), map_size=MAP_BYTES, sync=False, metasync=False, lock=False
        )
        self._transaction = self._environment.begin(write=True)
        self._bytes = 0

    def write(self, sample: Sample) -> None:
        """See `Writer.write`."""
        for key, content in self.entries(sample):
            self._put(key, content)
        self.samples += 1
        if self._bytes >= TRANSACTION_BYTES:
            self._transaction.commit()
            self._transaction = self._environment.begin(write=True)
            self._bytes = 0

    def entries(self, sample: Sample) -> Iterator[Entry]:
        """Yield the keys and values of a sample."""
        key = quoted_key(sample.key)
        for suffix, content in files_of(sample.components):
            yield f"{key}.{suffix}".encode(), content

    def _put(self, key: bytes, content: bytes | memoryview) -> None:
        longest = self._environment.max_key_size()
        if len(key) > longest:
            raise ArgumentError(f"LMDB holds keys of {longest} bytes at most, not {key!r}")
        try:
            stored = self._transaction.put(key, content, overwrite=False)
        except self._library.Error as error:
            raise OSError(f"{self._path}: LMDB cannot write: {error}") from error
        if not stored:
            raise ArgumentError(f"the key {key.decode()!r} occurs twice in a shard")
        self._bytes += len(content)

    def finish(self) -> ShardInfo:
        """See `Writer.finish`."""
        try:
            self._transaction.commit()
            self._environment.sync(True)
        except self._library.Error as error:
            raise OSError(f"{self._path}: LMDB cannot write: {error}") from error
        self._environment.close()
        return ShardInfo((hash_of(self._path / _DATA, self._path.parent),), self.samples)

    def abandon(self) -> None:
        """See `Writer.abandon`."""
        if self._environment is not None:
            self._transaction.abort()
            self._environment.close()


class CaffeWriter(LmdbFileWriter):
    """Writes databases of Caffe's `Datum` messages.

    A key is the sample's number in the shard, a file name behind it, as `convert_imageset` of Caffe
    writes keys. So the order of the samples is that of the keys.
    """

    title = "Caffe's LMDB"

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        """See `Writer.refusal`."""
        return (
            one_encoded(schema, cls.title)
            or _refused_name(schema, cls.title)
            or needs_label(schema, cls.title)
            or others(schema, {LABEL: INT}, cls.title)
        )

    def entries(self, sample: Sample) -> Iterator[Entry]:
        """Yield one message."""
        label = sample.components.get(LABEL)
        if refused := _refused_name(schema_of([sample]), self.title, is_exact=True):
            raise ArgumentError(refused)
        encoded = [v for v in sample.components.values() if isinstance(v, Encoded)]
        if not isinstance(label, int) or len(encoded) != 1:
            raise ArgumentError(f"{self.title} needs an encoded image and an integer label")
        if not -(1 << 31) <= label < 1 << 31:
            raise ArgumentError(f"{self.title} holds labels as int32, which changes {label}")
        key = f"{self.samples:08d}_{sample.key}.{encoded[0].extension}"
        yield key.encode(), self.message(encoded[0].data, label)

    def message(self, content: bytes | memoryview, label: int) -> bytes:
        """Return the value of a sample."""
        return encode_datum(content, label)


def _refused_name(schema: Schema, format: str, *, is_exact: bool = False) -> str:
    """Return why an encoded component would come back under another name, or "".

    `is_exact` says that "" is the extension, and does not stand for several ones.
    """
    for name, each in schema.items():
        stored = medium_of(each.extension) or OTHER
        if each.type == ENCODED and (each.extension or is_exact) and stored != name:
            return (
                f"{format} keeps no names: a file .{each.extension} comes back as {stored!r}, but "
                f"is the component {name!r} here"
            )
    return ""


class Caffe2Writer(CaffeWriter):
    """Writes databases of Caffe2's `TensorProtos` messages."""

    title = "Caffe2's LMDB"

    def message(self, content: bytes | memoryview, label: int) -> bytes:
        """See `CaffeWriter.message`."""
        return encode_tensors(content, label)


def _lmdb() -> Any:
    try:
        import lmdb
    except ImportError:
        raise MissingDependencyError(
            f"writing LMDB databases needs lmdb: {install_hint('lmdb')}"
        ) from None
    return lmdb
