"""Samples of one reader, packed into rows: `fn.readers.pack`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from ...engine.arrays import Array, Int64s
from ...engine.errors import DecodeError
from ...engine.graph.operator import register
from ...engine.graph.params import ANY, FLOAT, INT, REQUIRED, STR, param
from ...engine.suggestions import and_so, counted, listed
from ..reader import Reader
from ..sample_values import one_for_each, read_in_parts
from ..source import Allocate, Columns, Source, checked_indices
from .balance import MEMBER
from .members import MixedReader, OfOneReader, chosen
from .parts import PartsReader

if TYPE_CHECKING:
    from ...engine.order.packs import Packs


@register
class Pack(OfOneReader):
    """Packs samples of one reader into rows of a fixed length, several in a row, for attention.

    Rows are filled by the lengths of the samples, so that hardly any room is left. Each sample
    comes once an epoch. `cu_seqlens` is the argument of that name of flash-attention. For shares of
    several sources, pack each, and give the packs to `fn.readers.mix`.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> for i, length in enumerate((3, 2, 5)):
    ...     np.save(f"{i}.npy", np.full(length, i, np.int32))
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     tokens, cu_seqlens, positions, samples = fn.readers.pack(
    ...         fn.readers.numpy(files=["0.npy", "1.npy", "2.npy"]), length=5
    ...     )
    ...     pipe.set_outputs(tokens, cu_seqlens, positions, samples)
    ...     tokens, cu_seqlens, positions, samples = pipe.run()
    >>> tokens.as_array().tolist()
    [[0, 0, 0, 1, 1], [2, 2, 2, 2, 2]]
    >>> [row.tolist() for row in cu_seqlens.rows()]
    [[0, 3, 5], [0, 5]]
    >>> positions.as_array().tolist()
    [[0, 1, 2, 0, 1], [0, 1, 2, 3, 4]]

    Outputs:
        each output of the reader, packed: of its type, shape (length,). What is left of a row has
            `fill_value`.
        cu_seqlens: where samples begin in the row, and where the last one ends: int32, shape
            (samples + 1,).
        positions: of each element in its sample, or in its part of one, 0 in what is left of the
            row: int32, (length,).
        samples: the numbers of the samples in the data set: int64, shape (samples,).

    Raises:
        ArgumentError: a sample is empty or longer than a row, or `lengths` are not those of the
            data set; or the reader gives samples other turns than one an epoch.
        DecodeError: a sample is no array of one dimension, or of another length than `lengths`
            says.
    """

    name = "readers.pack"

    member = param(MEMBER, REQUIRED, "The outputs of the reader: arrays of one dimension.")
    length = param(INT, REQUIRED, "Elements of a row.", minimum=1)
    lengths = param(
        ANY,
        None,
        "The length of each sample of the reader, as an array of whole numbers. Without it all "
        "samples are read once, when the pipeline starts.",
    )
    long = param(
        STR,
        "error",
        "What becomes of a sample that is longer than a row: an 'error', its beginning alone "
        "('truncate'), or parts, each packed as a sample of its own ('split').",
    )
    align = param(INT, 1, "Samples begin at multiples of so many elements.", minimum=1)
    fill_value = param(FLOAT, 0.0, "The value of elements that belong to no sample.")

    refuses: ClassVar[Mapping[str, str]] = {
        "indices": "rows are made of all samples; give it to the reader that is packed",
        "batch_cost": "rows have one length, so batches of as many rows have equal cost; leave it "
        "out",
        "storage_options": "give it to the reader that is packed",
    }

    source: PackedSource
    _reader: Reader

    def prepare(self) -> None:
        super().prepare()
        if self.member.decoded:
            self.refuse("readers that decode, such as fn.readers.video, cannot be packed")
        self._reader = self.member.reader("member", self)
        if isinstance(self._reader, PartsReader) and (by := self._reader.shares_by()):
            self.refuse(
                f"each sample comes once in the rows of an epoch, so {by} would have no effect; "
                "pack the sources, or parts of one by indices= of its reader, and mix the rows: "
                "fn.readers.mix({'a': fn.readers.pack(...), 'b': fn.readers.pack(...)}, ...)"
            )

    def num_outputs(self) -> int:
        call: MixedReader = self.member
        return call.count(self._reader) + 3

    def placeholder(self) -> tuple[Array, ...]:
        packed = (
            np.zeros(self.length, each.dtype)
            for each in chosen(self.member, self._reader.placeholder())
        )
        empty = np.zeros(1, np.int32), np.zeros(self.length, np.int32), np.zeros(0, np.int64)
        return (*packed, *empty)

    def open_source(self) -> PackedSource:
        from ...engine.order.packs import Packs, parts_of  # few readers need it

        self._reader.placement = self.placement
        self._reader.open_data()
        source = self._reader.source
        samples = np.asarray(self._reader.fixed_samples())
        lengths = self._lengths(source)[samples]
        if len(empty := samples[lengths < 1]):
            self._refuse_sample(empty[0], f"is empty{and_so(len(empty) - 1)}: ")
        # With `align`, a row has room for the multiple of it.
        room = self.length // self.align * self.align or self.length
        parts, firsts, sizes = parts_of(lengths, room, self.long)
        taken = -(-sizes // self.align) * self.align
        if count := int((taken > self.length).sum()):
            self._refuse_sample(
                samples[parts[taken.argmax()]],
                f"takes {taken.max()} of a row of {self.length}{and_so(count - 1, 'does', 'do')}: "
                'raise the length of rows, give long="truncate" or long="split", or ',
            )
        packs = Packs(
            sizes,
            self.length,
            align=self.align,
            seed=self.order_seed(),
            shuffle=self.random_shuffle or self.shuffle_after_epoch,
        )
        return PackedSource(self, source, packs, (samples[parts], firsts, sizes, lengths[parts]))

    def _refuse_sample(self, number: int, problem: str) -> NoReturn:
        """Raise ArgumentError of a sample, and say which reader leaves such samples out."""
        reader = self._reader
        readers = reader.plain_readers() if isinstance(reader, PartsReader) else [reader]
        self.refuse(
            f"sample {number}, {reader.source.where(int(number))}, {problem}leave out such samples "
            f"by indices= of {listed({each.called: 0 for each in readers}, 'or')}"
        )

    def find_subset(self) -> Packs:
        return self.source.packs

    def _lengths(self, source: Source) -> Int64s:
        if self.lengths is None:
            columns = (chosen(self.member, read)[0] for read in read_in_parts(source))
            return np.array([len(row) for column in columns for row in column], np.int64)
        given = self.lengths, len(source)
        lengths = one_for_each(
            self.refuse, "lengths", *given, kinds="iu", expected="a whole number"
        )
        return np.asarray(lengths, np.int64)

    def meta(self) -> dict[str, Any]:
        """Return what all readers tell, and which part of the rows samples fill."""
        return super().meta() | {"fill": self.source.packs.fill}

    def reads_urls(self) -> bool:
        return self._reader.reads_urls()


class PackedSource:
    """Rows of packed samples; the index of a row has its epoch: see `Packs`."""

    def __init__(self, pack: Pack, source: Source, packs: Packs, parts: tuple[Int64s, ...]) -> None:
        """Take of each part: its sample, first element and length, and the sample's length."""
        self.packs = packs
        self._member: MixedReader = pack.member
        self._row, self._align, self._fill = pack.length, pack.align, pack.fill_value
        self._source = source
        self._empty = tuple(each[np.newaxis][:0] for each in pack.placeholder())
        self._samples, self._firsts, self._lengths, self._wholes = parts

    def __len__(self) -> int:
        return self.packs.size

    def read(self, indices: Int64s, allocate: Allocate) -> Columns:
        """Return rows: see the outputs of `Pack`."""
        checked_indices(indices, self.packs.rows)
        if not len(indices):
            return self._empty
        members = [self.packs.samples(index) for index in indices.tolist()]
        lengths = [self._lengths[own] for own in members]
        ends = [np.cumsum(-(-own // self._align) * self._align) for own in lengths]
        starts = [np.append(0, own[:-1]) for own in ends]
        parts = np.concatenate(members)
        numbers, places = np.unique(self._samples[parts], return_inverse=True)
        columns = chosen(self._member, self._source.read(numbers, allocate))
        packed = [
            self._packed([column[i] for i in places], parts, starts, lengths, allocate)
            for column in columns
        ]
        positions = np.zeros((len(indices), self._row), np.int32)
        for row, (firsts, own) in enumerate(zip(starts, lengths, strict=True)):
            for first, length in zip(firsts.tolist(), own.tolist(), strict=True):
                positions[row, first : first + length] = np.arange(length)
        bounds = [np.append(0, own).astype(np.int32) for own in ends]
        return (*packed, bounds, positions, [self._samples[own] for own in members])

    def _packed(
        self,
        column: Any,
        parts: Int64s,
        starts: list[Int64s],
        lengths: list[Int64s],
        allocate: Allocate,
    ) -> Array:
        samples = iter(zip(column, parts.tolist(), strict=True))
        rows = allocate((len(starts), self._row), column[0].dtype)
        rows[...] = self._fill
        for row, (firsts, own) in enumerate(zip(starts, lengths, strict=True)):
            for first, length in zip(firsts.tolist(), own.tolist(), strict=True):
                sample, part = next(samples)
                if sample.shape != (self._wholes[part],):
                    raise DecodeError(
                        f"{self._source.where(int(self._samples[part]))}: the sample has the shape "
                        f"{sample.shape}, and its length was {self._wholes[part]} when the rows "
                        "were packed"
                    )
                begin = int(self._firsts[part])
                rows[row, first : first + length] = sample[begin : begin + length]
        return rows

    def where(self, index: int) -> str:
        """Return the location of the longest sample of a row."""
        checked_indices(np.array([index]), self.packs.rows)
        members = self.packs.samples(index)
        text = self._source.where(int(self._samples[members[0]]))
        return (
            text
            if len(members) == 1
            else f"{text} and {counted(len(members) - 1, 'other')} in its row"
        )

    def close(self) -> None:
        """Close the source of the samples."""
        self._source.close()
