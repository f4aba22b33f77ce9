"""The window of a reader: batches that are read together, and batches read before their turn.

A batch's samples follow from its number. So to read batches together, or early, changes no result.

    batches      0 | 1 2 | 3 4 5 6 | 7 8 9 10 ...
    reads        A    B       C         D
                      ^       ^
       batch 2 is handed out  read ahead, if the carrier has depth 1
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar, cast

from ...engine.control import reads
from ...engine.control.readings import Decision, Decisions
from ...engine.control.reads import ReadLimits, ReadReading
from ...engine.graph.context import BatchContext
from ...engine.order.order import Order
from ...engine.order.selection import Selection
from ...engine.pending import Pending
from ...engine.tensors.memory import SlabPool
from .carriers import Carrier, CountedMemory, ReadColumns

if TYPE_CHECKING:
    from ..source import Column

SAMPLES_AT_FIRST = 64
"""Samples that the sampler is asked for at first, then twice as many each time. Of a data set of a
few samples, many are many epochs, which take up to a second; a short run needs few of them."""
SAMPLES_AT_ONCE = 4096
"""Samples that the sampler is asked for at once, at most. To ask for a batch of 8 samples takes
longer than to cut it out of many. Of twice as many, a sample takes as long."""


class _Batches:
    """Consecutive batches.

    Attributes:
        numbers: numbers of the batches.
        selection: their samples, end to end.
        bounds: where each batch begins among the samples, and where the last one ends.
    """

    def __init__(self, numbers: range, selection: Selection, sizes: Sequence[int]) -> None:
        self.numbers = numbers
        self.selection = selection
        self.bounds = [0, *accumulate(sizes)]

    def hold(self, numbers: range) -> bool:
        """Return whether these are some of the batches."""
        return self.numbers.start <= numbers.start and numbers.stop <= self.numbers.stop

    def rows(self, numbers: range) -> slice:
        """Return which of the samples are those of some of the batches."""
        first = self.numbers.start
        return slice(self.bounds[numbers.start - first], self.bounds[numbers.stop - first])

    def sizes(self, numbers: range) -> list[int]:
        """Return the numbers of samples of some of the batches."""
        first = self.numbers.start
        bounds = self.bounds[numbers.start - first : numbers.stop - first + 1]
        return [stop - start for start, stop in pairwise(bounds)]

    def distinct(self) -> int:
        """Return how many batches there are before one with a sample that has come before."""
        indices, seen = self.selection.index.tolist(), set[int]()
        for number, (start, stop) in enumerate(pairwise(self.bounds)):
            seen.update(indices[start:stop])  # np.unique takes longer, and gives up the GIL
            if len(seen) < stop:
                return number
        return len(self.numbers)


class _Read(_Batches):
    """Consecutive batches that are read together.

    Attributes:
        pending: the read, once it is started.
        memory: memory that the read takes.
        columns: the samples, once they are read.
    """

    def __init__(self, numbers: range, selection: Selection, sizes: Sequence[int]) -> None:
        super().__init__(numbers, selection, sizes)
        self.memory: CountedMemory
        self.pending: Pending[ReadColumns] | None = None
        self.columns: ReadColumns | None = None

    def columns_of(self, numbers: range) -> ReadColumns:
        """Return the samples of some of its batches."""
        assert self.columns is not None
        if numbers == self.numbers:
            return self.columns
        rows = self.rows(numbers)
        columns = cast("tuple[Column, ...]", self.columns)  # GPU memory holds a batch of its own
        return tuple(column[rows] for column in columns)

    def cancel(self) -> None:
        """Give up the read, unless its samples are there."""
        if self.pending is not None and self.columns is None:
            self.pending.cancel()


class ReadWindow:
    """Selects and reads the batches of a reader: several at once, or some before their turn.

    Small batches are read in groups (`control.reads`). The first group is one batch. The batches of
    a group share memory, which comes back when all of them are dropped; the first batch counts all
    of it. No sample comes twice in a group: a consumer that writes into one batch leaves the others
    alone.

    At most `carrier.depth` reads are started before their turn, and only while the pool has room
    for all batches under way, each as large as the largest one so far.

    All methods are for one thread. `select` and `take` may be called for any number at any time.

    Args:
        sampler: says which samples a batch has.
        carrier: reads the samples.

    Attributes:
        carrier: see the argument.
        count: number of batches that the next read fetches.
        limits: the numbers of the rule that chooses it.
        decisions: get those of the rule.
    """

    limits: ClassVar = ReadLimits()

    def __init__(self, sampler: Order, carrier: Carrier) -> None:
        self._reads: list[_Read] = []  # in the order of their numbers
        self._largest: float | None = None  # bytes of a batch
        self.decisions: Decisions = {}
        self.restart(sampler, 0)
        self.use(carrier)

    def use(self, carrier: Carrier) -> None:
        """Have another carrier read from now on; drop what was begun."""
        self.forget()
        self.carrier = carrier
        usual = self._sampler.usual_batch
        self._most = max(1, self.limits.samples // usual) if carrier.grouped else 1
        self.count = 1

    @property
    def takes_groups(self) -> bool:
        """Whether `take` may be asked for several batches at once."""
        return self._most > 1 or not self.carrier.depth

    def restart(self, sampler: Order, number: int) -> None:
        """Take the samples of batch `number` and of later batches from the start of a sampler."""
        self.forget()
        self._sampler = sampler
        self._first = number
        self._known: _Batches | None = None  # many, to cut batches out of
        self._at_once = min(SAMPLES_AT_FIRST, SAMPLES_AT_ONCE)

    def select(self, number: int, batches: int = 1) -> Selection:
        """Return copies of the samples of consecutive batches: a pure function of the numbers."""
        numbers = range(number, number + batches)
        read = self._read_with(numbers)
        return self._cut(numbers) if read is None else read.selection.cut(read.rows(numbers))

    def start(self, batch: BatchContext, selection: Selection) -> bool:
        """Start to read a batch; return whether others read it, while the caller does other work.

        Args:
            batch, selection: see `take`, which must follow.
        """
        numbers = range(batch.number, batch.number + batch.count)
        read = self._read_with(numbers)
        if read is None:
            read = self._read(numbers, selection)
            self._reads.append(read)
        return self._started(read, batch.memory.pool).elsewhere

    def take(self, batch: BatchContext, selection: Selection) -> ReadColumns:
        """Return the samples of a batch, or of several, an entry an output.

        Args:
            batch: gives memory, and counts the bytes that are taken.
            selection: what `select` returned for the batch.

        Raises:
            Exception: any sample of the batch cannot be read.
        """
        numbers = range(batch.number, batch.number + batch.count)
        read = self._read_with(numbers)
        if read is None:
            self.forget()
            count = self.count if batch.count == 1 else batch.count
            alone = count == len(numbers)
            read = self._read(numbers, selection) if alone else self._group(numbers[0])
            self._reads.append(read)
        while self._reads[0] is not read:
            self._reads.pop(0).cancel()
        if read.columns is None:
            try:
                self._fetch(read, batch)
            except BaseException:
                self._reads.remove(read)
                read.cancel()
                self.count = 1
                if read.numbers == numbers:
                    raise
                # The bad sample may be in a batch whose turn has not come.
                self._reads.insert(0, self._read(numbers, selection))
                return self.take(batch, selection)
        columns = read.columns_of(numbers)
        if numbers.stop == read.numbers.stop:
            self._reads.remove(read)  # or the memory would be kept while the next one is read
        return columns

    def forget(self) -> None:
        """Drop what was read or begun for batches to come."""
        while self._reads:
            self._reads.pop().cancel()

    def close(self) -> None:
        """Drop what was begun; end all threads and processes. No wait lasts any more."""
        self.forget()
        self.carrier.close()

    def size_of(self, number: int) -> int:
        """Return the number of samples of a batch."""
        (size,) = self._with(numbers := range(number, number + 1)).sizes(numbers)
        return size

    def _cut(self, numbers: range) -> Selection:
        """Return copies of the samples of batches, cut out of those of many batches."""
        known = self._with(numbers)
        return known.selection.cut(known.rows(numbers))

    def _with(self, numbers: range) -> _Batches:
        """Return many batches, with these among them."""
        known = self._known
        if known is None or not known.hold(numbers):
            first = numbers.start - self._first
            # Groups seldom end where these batches end; then few are selected twice.
            count = max(4 * len(numbers), self._at_once // self._sampler.usual_batch)
            self._at_once = min(2 * self._at_once, SAMPLES_AT_ONCE)
            sizes = self._sampler.batch_sizes(first, count)
            selection = self._sampler.select(first, count)
            known = _Batches(range(numbers.start, numbers.start + count), selection, sizes)
            self._known = known
        return known

    def _group(self, number: int, count: int | None = None) -> _Read:
        """Return so many batches, by default `self.count`, to be read together.

        Return those before a sample that would come twice among them, and one batch at least.
        """
        count = self.count if count is None else count
        numbers = range(number, number + count)
        read = self._read(numbers, self._cut(numbers))
        whole = max(1, read.distinct()) if count > 1 else 1
        if whole < count:
            read = self._read(numbers[:whole], read.selection.cut(read.rows(numbers[:whole])))
        return read

    def _read(self, numbers: range, selection: Selection) -> _Read:
        return _Read(numbers, selection, self._with(numbers).sizes(numbers))

    def _read_with(self, numbers: range) -> _Read | None:
        """Return the read that holds batches, if there is one."""
        for read in self._reads:
            if read.hold(numbers):
                return read
        return None

    def _started(self, read: _Read, pool: SlabPool) -> Pending[ReadColumns]:
        """Start a read, unless it was started; return what comes of it."""
        if read.pending is None:
            read.memory = CountedMemory(pool.empty)
            read.pending = self.carrier.start(read.selection, read.memory)
        return read.pending

    def _start_following(self, batch: BatchContext) -> None:
        """Start the reads that come next, as far as the carrier's depth and memory allow."""
        room = batch.memory.pool.room
        while len(self._reads) <= self.carrier.depth:
            stop = self._reads[-1].numbers.stop
            following = self._group(stop, max(self.count, batch.count))
            batches = sum(len(read.numbers) for read in (*self._reads, following))
            # Memory of reads under way counts twice: the estimate is rather too high than too low.
            if self._largest is None or room < self._largest * batches:
                return
            self._reads.append(following)
            self._started(following, batch.memory.pool)

    def _fetch(self, read: _Read, batch: BatchContext) -> None:
        """Have the samples of a read come, and later reads begin."""
        started, count = perf_counter(), len(read.numbers)
        pending = self._started(read, batch.memory.pool)
        if self.carrier.depth:
            self._start_following(batch)
        read.columns = pending.result()
        memory = read.memory
        batch.count_bytes(host=memory.nbytes, device=memory.device_nbytes)
        self._largest = max(self._largest or 0, memory.nbytes / count)
        if self._most > 1 and batch.count == 1:
            seconds, is_ahead = perf_counter() - started, self.carrier.depth > 0
            took = ReadReading(count, seconds, memory.nbytes, batch.memory.pool.room, is_ahead)
            decided, before = reads.decide(took, self._most, self.limits), self.count
            # A group that ends before a repeated sample is no reason for smaller ones.
            self.count = decided if decided <= count else max(decided, before)
            if self.count != before:
                reading = f"{count} took {1e3 * seconds:.1f} ms and {memory.nbytes / 1e6:.1f} MB"
                self.decisions["reads"] = Decision(f"{self.count} batches at once", reading)
