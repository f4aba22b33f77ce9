"""The extents of the records of an LMDB database: its B+ tree, read level by level.

All pages of a level are decoded together, in chunks, by NumPy. Every number of a page is checked
before it is used.

LMDB's library is not used. It maps files and follows the page numbers in them: of 400 damaged or
cut files, py-lmdb 3.0 ended the process at 101 (97 bus errors, 4 aborts). An open environment
survives neither a fork nor pickling, and cannot lie in remote storage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import SourceError
from ..storage.read_plan import plan_reads
from ..storage.storage import Storage, cut
from ..storage.strings import StringTable
from .entries import Entries, chosen_entries, joined_entries
from .format import INTEGER_KEY, META_PAGES, NO_PAGE, REVERSE_KEY, Database, Snapshot
from .salvage import whole_samples

_BRANCH, _LEAF = 0x01, 0x02
_PAGE_TYPES = 0x6F  # the other bits mark pages that a transaction is writing
_OVERFLOW, _DATABASE, _DUPLICATES = 0x01, 0x02, 0x04  # flags of a node
_NODE = 8  # bytes of a node before its key
_LOST = -1  # in place of the number of a page that cannot be read

CHUNK_BYTES = 8 << 20
"""Pages that are read and decoded together."""

Decoded = TypeVar("Decoded")


def read_entries(storage: Storage, snapshot: Snapshot, database: Database) -> Entries:
    """Return all entries of `database`, in the order of the tree.

    Of a tree that is damaged or cut short, the entries of sound pages are returned.

    Raises:
        SourceError: keys are out of order, or values overlap. OSError: the file cannot be read.
    """
    return _TreeWalk(storage, snapshot, database).entries()


class _TreeWalk:
    """One reading of one tree."""

    def __init__(self, storage: Storage, snapshot: Snapshot, database: Database) -> None:
        self._storage = storage
        self.layout = snapshot.layout
        self.page_size = snapshot.page_size
        self.pages = snapshot.pages
        self._database = database
        self._damage: tuple[str, int] | None = None

    def entries(self) -> Entries:
        chunks = list(self._chunks()) if self._database.root != NO_PAGE else []
        known = [chunk for chunk in chunks if chunk is not None]
        entries = joined_entries(known)
        if self._damage is None and len(entries.offsets) != self._database.entries:
            raise self._damaged(
                f"the tree holds {len(entries.offsets)} entries, but is said to hold "
                f"{self._database.entries}"
            )
        self._check_order(chain.from_iterable(chunk.key_list() for chunk in known))
        inside = entries.offsets <= self._storage.size - entries.lengths
        if not inside.all():
            first = int(entries.offsets[~inside].min())
            self._note(first, f"a value at offset {first} reaches beyond the file's end")
        if self._damage is not None:
            counts = [0 if chunk is None else len(chunk.offsets) for chunk in chunks]
            before = np.cumsum([0, *counts]).tolist()
            gaps = [before[number] for number, chunk in enumerate(chunks) if chunk is None]
            table = StringTable.from_arrays(entries.keys, entries.bounds)
            whole = whole_samples(table, inside, gaps)
            entries = chosen_entries(replace(entries, damage=self._damage, whole=whole), inside)
        self._check_overlaps(entries)
        return entries

    def _chunks(self) -> Iterator[Entries | None]:
        """Yield the entries of each leaf page or of several; None for pages that are lost."""
        level = np.array([min(self._database.root, self.pages)], np.int64)
        for _ in range(self._database.depth - 1):
            below = [
                np.array([_LOST]) if numbers is None else numbers
                for numbers in self._sound(level, _Pages.children)
            ]
            level = self._existing(np.concatenate(below))
            # Each page is reached once, so this also bounds the cost of hostile files.
            if np.count_nonzero(level != _LOST) > self._storage.size // self.page_size:
                raise self._damaged("its tree has more pages than the file")
        yield from self._sound(level, _Pages.entries)

    def _existing(self, level: Int64s) -> Int64s:
        """Return the page numbers, with one `_LOST` for neighbors that lie beyond the end."""
        beyond = level > self._storage.size // self.page_size - 1
        if beyond.any():
            number = int(level[np.argmax(beyond)])
            problem = f"lies beyond the file's end: {self._storage.size} bytes"
            self._note(number * self.page_size, self._of_page(number, problem))
            level = np.where(beyond, _LOST, level)
        again = np.zeros(len(level), np.bool_)
        again[1:] = (level[1:] == _LOST) & (level[:-1] == _LOST)
        return level[~again]

    def _sound(self, level: Int64s, read: Callable[[_Pages], Decoded]) -> Iterator[Decoded | None]:
        """Yield what `read` finds in the sound pages of a level; None for each other page."""
        chunks = self._cut(level)[::-1]
        while chunks:
            chunk = chunks.pop()
            try:
                yield read(_Pages(self, chunk))
            except SourceError as error:
                half = len(chunk) // 2
                if half:
                    chunks += [chunk[half:], chunk[:half]]
                    continue
                self._damage = self._damage or (str(error), int(chunk[0]) * self.page_size)
                yield None

    def _note(self, offset: int, problem: str) -> None:
        """Note the first damage."""
        self._damage = self._damage or (str(self._damaged(problem)), offset)

    def _cut(self, numbers: Int64s) -> list[Int64s]:
        step = CHUNK_BYTES // self.page_size
        return [numbers[start : start + step] for start in range(0, len(numbers), step)]

    def _check_order(self, keys: Iterable[bytes]) -> None:
        """Raise SourceError unless the keys ascend as LMDB sorts them."""
        if self._database.flags & (REVERSE_KEY | INTEGER_KEY):
            keys = (key[::-1] for key in keys)  # integers are little-endian, of one length
        for key, following in pairwise(keys):
            if key >= following:
                raise self._damaged(f"the keys {key!r} and {following!r} are out of order")

    def _check_overlaps(self, entries: Entries) -> None:
        """Raise SourceError if two values share bytes: their sum could exceed all memory."""
        order = np.argsort(entries.offsets, kind="stable")
        starts = entries.offsets[order]
        ends = starts + entries.lengths[order]
        wrong = np.flatnonzero(starts[1:] < ends[:-1])
        if len(wrong):
            raise self._damaged(f"two values overlap at offset {starts[wrong[0] + 1]}")

    def read(self, numbers: Int64s) -> tuple[NDArray[np.uint8], Int64s]:
        """Return a block that holds the pages, and each page's offset in it."""
        self.require((numbers >= META_PAGES) & (numbers < self.pages), numbers, "does not exist")
        offsets = numbers * self.page_size
        inside = offsets <= self._storage.size - self.page_size
        self.require(inside, numbers, f"lies beyond the file's end: {self._storage.size} bytes")
        plan = plan_reads(offsets, np.full(len(offsets), self.page_size), self._storage.gap)
        block = np.empty(plan.size, np.uint8)
        self._storage.fill(plan.offsets.tolist(), cut(block, plan.block_offsets, plan.lengths))
        return block, plan.starts

    def require(self, good: NDArray[np.bool_], numbers: Int64s, problem: str) -> None:
        """Raise SourceError with the first page that is not `good`."""
        if not good.all():
            number = int(numbers[np.argmin(good)])
            raise self._damaged(self._of_page(number, problem))

    def _of_page(self, number: int, problem: str) -> str:
        return f"page {number} (offset {number * self.page_size}) {problem}"

    def _damaged(self, problem: str) -> SourceError:
        return SourceError(f"{self._storage.name}: damaged or cut short: {problem}")


class _Pages:
    """Some pages of one level, and all their nodes."""

    def __init__(self, walk: _TreeWalk, numbers: Int64s) -> None:
        self._walk = walk
        self._layout = walk.layout
        self._size = walk.page_size
        self._numbers = numbers
        # Pages lie at multiples of their size, nodes at even offsets, so words are aligned.
        self._block, self._begins = walk.read(numbers)
        self._words = self._block.view("<u2")
        stored = self._block.view("<u8")[self._begins // 8]
        walk.require(stored == numbers.astype(np.uint64), numbers, "bears another page's number")
        self._find_nodes()

    def _find_nodes(self) -> None:
        header, base = self._layout.header, self._layout.base
        lower, upper = self._word(self._begins + header - 4), self._word(self._begins + header - 2)
        good = (lower >= header - base) & (lower <= upper) & (upper <= self._size - base)
        self._walk.require(good, self._numbers, "has impossible bounds")
        self._filled = self._size - base - upper
        counts = (lower - (header - base)) // 2
        self._page = np.repeat(np.arange(len(counts)), counts)
        slots = np.arange(len(self._page)) - np.repeat(np.cumsum(counts) - counts, counts)
        starts = self._begins[self._page]
        within = self._word(starts + header + 2 * slots) + base
        good = (within % 2 == 0) & (within >= upper[self._page] + base)
        good &= within + _NODE <= self._size
        self._require(good, "has a node outside of it")
        self._within = within
        self._nodes = starts + within
        self._key_sizes = self._word(self._nodes + 6)
        self._require(within + _NODE + self._key_sizes <= self._size, "has a key outside of it")

    def children(self) -> Int64s:
        """Return the page numbers that branch pages hold."""
        self._check_type(_BRANCH)
        self._check_packed(_even(_NODE + self._key_sizes))
        low, middle, high = (self._word(self._nodes + offset) for offset in (0, 2, 4))
        return low | middle << 16 | high << 32

    def entries(self) -> Entries:
        """Return the entries that leaf pages hold."""
        self._check_type(_LEAF)
        flags = self._word(self._nodes + 4)
        self._require(flags & ~(_OVERFLOW | _DATABASE) == 0, "has an entry of an unknown kind")
        offsets, lengths = self._values(flags)
        keys, bounds = self._keys()
        return Entries(offsets, lengths, (flags & _DATABASE) != 0, keys, bounds)

    def _values(self, flags: Int64s) -> tuple[Int64s, Int64s]:
        sizes = self._key_sizes
        within = self._within + _NODE + (_even(sizes) if self._layout.padded_keys else sizes)
        lengths = self._word(self._nodes) | self._word(self._nodes + 2) << 16
        large = (flags & _OVERFLOW) != 0
        here = np.where(large, self._layout.reference, lengths)
        self._require(within + here <= self._size, "has a value that goes beyond it")
        self._check_packed(_even(within + here - self._within))
        offsets = self._numbers[self._page] * self._size + within
        pages = self._long((self._begins[self._page] + within)[large])
        self._require_of(large, pages < self._walk.pages, "refers to no page")
        offsets[large] = pages.astype(np.int64) * self._size + self._layout.header
        return offsets, lengths

    def _keys(self) -> tuple[NDArray[np.uint8], Int64s]:
        bounds = np.zeros(len(self._nodes) + 1, np.int64)
        np.cumsum(self._key_sizes, out=bounds[1:])
        shift = np.repeat(self._nodes + _NODE - bounds[:-1], self._key_sizes)
        return self._block[shift + np.arange(bounds[-1])], bounds

    def _check_type(self, page_type: int) -> None:
        types = self._word(self._begins + self._layout.header - 6) & _PAGE_TYPES
        name = "branch" if page_type == _BRANCH else "leaf"
        self._walk.require(types == page_type, self._numbers, f"is no {name} page")

    def _check_packed(self, sizes: Int64s) -> None:
        """Raise SourceError if the nodes do not fill the page, as LMDB's nodes do without gaps."""
        sums = np.bincount(self._page, sizes, len(self._numbers))
        self._walk.require(sums == self._filled, self._numbers, "has nodes of wrong lengths")

    def _word(self, offsets: Int64s) -> Int64s:
        return self._words[offsets // 2].astype(np.int64)

    def _long(self, offsets: Int64s) -> NDArray[np.uint64]:
        """Read 64-bit numbers at any offsets."""
        numbers: NDArray[np.uint64]
        numbers = self._block[offsets[:, np.newaxis] + np.arange(8)].view("<u8")[:, 0]
        return numbers

    def _require(self, good: NDArray[np.bool_], problem: str) -> None:
        self._walk.require(good, self._numbers[self._page], problem)

    def _require_of(self, chosen: NDArray[np.bool_], good: NDArray[np.bool_], problem: str) -> None:
        self._walk.require(good, self._numbers[self._page][chosen], problem)


def _even(sizes: Int64s) -> Int64s:
    return sizes + sizes % 2
