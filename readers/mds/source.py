"""Samples of MDS shards: the storage of `fn.readers.mds`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, DType, Int64s
from ...engine.errors import DecodeError, PenstockError, SourceError
from ..parquet.values import BadValueError
from ..source import Allocate, Column
from ..storage.block_cache import BlockCache
from ..storage.damage import STRICT, Damages, is_of_data
from ..storage.records import windows
from ..storage.storage import Storage
from ..storage.urls import shown
from .columns import ARRAY, NUMBERS, TEXTS, EncodingRule, rule_of
from .index_file import Shard, StoredColumn, folder_of, named, shards_of
from .inflated import InflatedShard, check_compression
from .shard_files import ShardFiles, count_whole

_SIZE = 4
"""Bytes of the size of a value."""

_LONGEST_HEAD = 512
"""Bytes of the header of an array: a byte each for type and axes, and 63 extents of 8 bytes."""

_MOST_BYTES = 1 << 32
"""Bytes of a value: its size has 32 bits."""

_READ_TOGETHER = 4096
"""Samples of which a column is read at once for an order that needs all of it."""

_PROBED = 8
"""Samples that may tell the type and the number of dimensions of arrays, if the first is bad."""


class MdsSource:
    """Samples of MDS shards; a sample has one array for each column that is read.

    Attributes:
        rules: by which columns become outputs.
        shards: those that are read.
    """

    def __init__(
        self,
        files: ShardFiles,
        shards: Sequence[Shard],
        columns: Sequence[StoredColumn],
        rules: Sequence[EncodingRule],
    ) -> None:
        self.shards = tuple(shards)
        self._files = files
        self._columns = tuple(columns)
        self._numbers = {column.name: number for number, column in enumerate(columns)}
        sizes = np.array([column.size for column in columns], np.int64)
        self._varied = np.flatnonzero(sizes == 0)
        self._sizes: Int64s = sizes
        self._head = _SIZE * len(self._varied)
        self.rules = tuple(map(self._learned, rules))

    def __len__(self) -> int:
        return len(self._files)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return one column an output.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a shard cannot be read. SourceError if it is damaged.
            DecodeError: a value is damaged, or is no number of its type.
        """
        records = self._files.read(indices, allocate)
        starts, sizes = self._placed(records.block, records.starts, records.lengths, indices)
        return tuple(
            self._taken(rule, records.block, starts[number], sizes[number], indices, allocate)
            for rule in self.rules
            for number in [self._numbers[rule.name]]
        )

    def _taken(
        self,
        rule: EncodingRule,
        block: Bytes,
        starts: Int64s,
        sizes: Int64s,
        indices: NDArray[np.int64],
        allocate: Allocate,
    ) -> Column:
        try:
            return rule.take(block, starts, sizes, allocate)
        except BadValueError as error:
            raise self._bad_value(rule, int(indices[error.row]), error) from None

    def _bad_value(self, rule: EncodingRule, index: int, error: BadValueError) -> DecodeError:
        return DecodeError(f"{self.where(index)}: the column {rule.name!r} {error.reason}")

    def _placed(
        self, block: Bytes, starts: Int64s, lengths: Int64s, indices: NDArray[np.int64]
    ) -> tuple[Int64s, Int64s]:
        """Return where the values of each column begin, and their sizes: int64 (columns, samples).

        Args:
            block: holds at least the sizes with which a sample begins.
            starts, lengths: of the samples.
            indices: of the samples, for errors.
        """
        sizes: Int64s = np.repeat(self._sizes[:, np.newaxis], len(starts), axis=1)
        wrong = lengths < self._head
        if not wrong.any():
            places = starts + _SIZE * np.arange(len(self._varied))[:, np.newaxis]
            sizes[self._varied] = windows(block, "<u4")[places]
            wrong = self._head + sizes.sum(axis=0) != lengths
        if wrong.any():
            row = int(np.argmax(wrong))
            raise SourceError(
                f"{self.where(int(indices[row]))}: the sizes of its values do not add up to its "
                f"{lengths[row]} bytes; the shard is damaged"
            )
        return starts + self._head + np.cumsum(sizes, axis=0) - sizes, sizes

    def where(self, index: int) -> str:
        """Return the shard and the number of the sample in it, from 0."""
        return self._files.where(index)

    def located(self, index: int) -> tuple[Shard, int]:
        """Return the shard of a sample, and the sample's number in the shard."""
        return self._files.located(index)

    def _learned(self, rule: EncodingRule) -> EncodingRule:
        """Return a rule with the type and the number of dimensions that the first sample tells."""
        if rule.dtype is not None and rule.ndim >= 0:
            return rule
        first: Exception | None = None
        for index in range(min(len(self), _PROBED)):
            try:
                ((stored, shape),) = self._forms(rule, np.array([index]))
            except (OSError, PenstockError) as error:
                if not is_of_data(error):
                    raise
                first = first or error
                continue
            return rule._replace(dtype=rule.dtype or stored, ndim=len(shape))
        assert first is not None  # there are samples
        raise first

    def _forms(
        self, rule: EncodingRule, indices: NDArray[np.int64]
    ) -> list[tuple[DType, tuple[int, ...]]]:
        """Return the type and the shape of the arrays of some samples."""
        block, starts, kept, sizes = self._values(rule.name, indices, _LONGEST_HEAD)
        forms = []
        for row, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
            try:
                forms.append(rule.form(row, block[start : start + int(kept[row])], size)[1:])
            except BadValueError as error:
                raise self._bad_value(rule, int(indices[row]), error) from None
        return forms

    def _values(
        self, name: str, indices: NDArray[np.int64], most: int
    ) -> tuple[Bytes, Int64s, Int64s, Int64s]:
        """Return the first `most` bytes of the values of a column, without the other columns.

        Returns:
            the bytes; where each value begins; how many of its bytes are there; and its size.
        """
        lengths = self._files.lengths(indices)
        head = np.minimum(lengths, self._head)
        heads = self._files.read_parts(indices, np.zeros_like(lengths), head)
        starts, sizes = self._placed(heads.block, heads.starts, lengths, indices)
        number = self._numbers[name]
        kept = np.minimum(sizes[number], most)
        values = self._files.read_parts(indices, starts[number] - heads.starts, kept)
        return values.block, values.starts, kept, sizes[number]

    def known_lengths(self, name: str) -> NDArray[np.float64] | None:
        """Return the numbers of a column, the bytes of its values, or the lengths of its arrays."""
        rule = self._rule(name)
        if rule is None or rule.ndim == 0:
            known = self.known_column(name)
            return None if known is None else known.astype(np.float64)

        def lengths(indices: NDArray[np.int64]) -> NDArray[Any]:
            if rule.encoding == ARRAY:
                return np.array([shape[0] for _, shape in self._forms(rule, indices)], np.int64)
            return self._values(name, indices, 0)[-1]

        return self._whole(lengths).astype(np.float64)

    def known_column(self, name: str) -> NDArray[Any] | None:
        """Return a column of numbers or texts, read once; it need not be one of the outputs."""
        rule = self._rule(name)
        if rule is None or rule.encoding not in (*NUMBERS, *TEXTS):
            return None

        def values(indices: NDArray[np.int64]) -> NDArray[Any]:
            block, starts, _, sizes = self._values(name, indices, _MOST_BYTES)
            taken = self._taken(rule, block, starts, sizes, indices, np.empty)
            if rule.ndim == 0:
                return np.asarray(taken)
            return np.array([bytes(text).decode("utf-8", "replace") for text in taken], np.str_)

        return self._whole(values)

    def known_columns(self) -> list[str]:
        """Return the columns that `known_column` has."""
        kinds = (*NUMBERS, *TEXTS)
        return [column.name for column in self._columns if column.encoding in kinds]

    def _rule(self, name: str) -> EncodingRule | None:
        there = name in self._numbers
        return rule_of(self._columns, name, None, self.shards[0].path) if there else None

    def _whole(self, of: Callable[[NDArray[np.int64]], NDArray[Any]]) -> NDArray[Any]:
        """Return what a function makes of all samples, of some at a time."""
        bounds = range(0, len(self), _READ_TOGETHER)
        parts = [np.arange(first, min(first + _READ_TOGETHER, len(self))) for first in bounds]
        return np.concatenate([of(indices) for indices in parts])

    def inflated_bytes(self) -> int:
        """Return the bytes of the shards that are decompressed as a whole."""
        return sum(shard.nbytes for shard in self.shards if shard.compression)

    def close(self) -> None:
        """Release shards; a later `read` opens them again."""
        self._files.close()


def open_mds(
    paths: Sequence[str],
    columns: Sequence[str],
    *,
    split: str = "",
    dtypes: Sequence[DType] = (),
    cache_bytes: int,
    storage_options: Mapping[str, object] | None = None,
    damages: Damages = STRICT,
) -> MdsSource:
    """Open data sets; the arguments are those of `fn.readers.mds`, and what takes the damages.

    Raises:
        ArgumentError: a column is not there, or its encoding cannot be read.
        OSError: a file cannot be read. SourceError if it is damaged, the data sets have other
            columns, or there is no sample.
    """
    folders = [folder_of(path, split) for path in paths]
    listed = [shards_of(folder, storage_options) for folder in folders]
    shards = [shard for each in listed for shard in each if shard.samples]
    if not shards:
        raise SourceError(f"{folders[0]}{' ...' * (len(folders) > 1)}: there is no sample")
    where, stored = shown(shards[0].path), shards[0].columns
    for shard in shards:
        if shard.columns != stored:
            raise SourceError(
                f"{shown(shard.path)} has the columns {named(shard.columns)}, but {where} has "
                f"{named(stored)}; the samples of a reader must agree"
            )
        check_compression(shard)
    wanted: list[DType | None] = [*dtypes] or [None] * len(columns)
    rules = [rule_of(stored, *pair, where) for pair in zip(columns, wanted, strict=True)]
    opened = damages.open([shard.path for shard in shards], storage_options)
    cache = BlockCache[Bytes](cache_bytes)
    numbers = {id(storage): number for number, storage in opened.items()}

    def entered(storage: Storage) -> tuple[Storage, Shard, int]:
        number = numbers[id(storage)]
        shard = shards[number]
        count = count_whole(storage, shard, damages)
        if count and shard.compression:
            storage = InflatedShard(storage, shard, number, cache)
        return storage, shard, count

    _, entries = damages.each([*opened.values()], entered)
    whole = [entry for entry in entries if entry[-1]]
    damages.require(whole)
    files, kept, counts = zip(*whole, strict=True)
    return MdsSource(ShardFiles(files, kept, counts), kept, stored, rules)
