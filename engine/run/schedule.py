"""The schedule: the batches that start next, and whether one may start now.

Batches start in order: small ones together, and the parts of a group that failed before any other.
A batch may start if the consumer has asked for it, its external sources are fed, and memory
suffices.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from ..control.readings import Decisions, Readings
from .config import PipelineConfig
from .grouping import Grouping

if TYPE_CHECKING:
    from ..graph.inputs import SeekableInput
    from ..work.batch import Batch
    from ..work.plan import Plan
    from .budget import Budget
    from .delivery import DeliveryQueue


class Schedule:
    """The batches to start. The feeder's thread starts them; other threads ask for more.

    Args:
        plan: of the pipeline.
        config: the pipeline's arguments.
        budgets: of memory, which a batch must fit into, unless the consumer waits for the batch.
        delivery: tells what the consumer has taken.
        decisions: gets those of the rules.

    Attributes:
        launched: number of batches that the consumer has asked for.
        following: number of the batch after those that have started.
        under_way: the batches that have started and are not done, by number.
        grouping: chooses how many batches are computed together.
    """

    def __init__(
        self,
        plan: Plan,
        config: PipelineConfig,
        budgets: Sequence[Budget],
        delivery: DeliveryQueue,
        decisions: Decisions,
    ) -> None:
        self.launched = 0
        self.following = 0
        self.under_way: dict[int, Batch] = {}
        self.grouping = Grouping(plan, config, budgets, decisions)
        self._budgets = budgets
        self._delivery = delivery
        self._sources = [
            source.operator for source in plan.sources if source.operator.waits_for_feed
        ]
        self._only_readers = _only_readers(plan, config)
        self._failed_parts: deque[range] = deque()  # of groups that failed
        self._held = False
        self._lock = Lock()  # of `following`, which a thread other than the feeder holds still

    def may_start(self) -> bool:
        """Whether one more batch or group may start, as far as consumer and sources go.

        A group counts like one batch, but fewer groups may start while the consumer hardly waits.
        The batches that a read fetches count like one, too, if the pipeline does nothing but read.
        """
        if self._failed_parts:
            return True
        delivered = self._delivery.delivered
        asked, grouping = self.launched - delivered, self.grouping
        at_once = grouping.groups.together
        if self._only_readers:
            at_once = max(at_once, min(reader.read_at_once() for reader in self._only_readers))
        most = max(asked, grouping.groups.under_way(asked, grouping.limits) * at_once)
        if self._held or self.following >= delivered + most:
            return False
        return not (self._sources and any(source.available() == 0 for source in self._sources))

    def is_short_of_memory(self) -> bool:
        """Whether the next batch has to wait for memory: never, if the consumer waits for it."""
        numbers = self._first()
        if numbers.start == self._delivery.delivered:
            return False
        under_way = list(self.under_way.values())
        return any(budget.is_short(under_way, len(numbers)) for budget in self._budgets)

    @property
    def knows_need(self) -> bool:
        """Whether the memory that a batch needs is known, because one is done."""
        return self._budgets[0].known

    def start(self, readings: Readings) -> range:
        """Return the batches to start now, none while held: see `Grouping.choose`."""
        if self._failed_parts:
            return self._failed_parts.popleft()
        if self.grouping.most > 1:
            self.grouping.choose(readings)
        with self._lock:
            if self._held:
                return range(0)
            numbers = self._first()
            self.following = numbers.stop
            return numbers

    def _first(self) -> range:
        """Return the numbers of the batches to start first, several if these go together."""
        if self._failed_parts:
            return self._failed_parts[0]
        return range(self.following, self.following + self.grouping.groups.together)

    def learn(self, batch: Batch) -> None:
        """Learn the memory of a batch, or group, that is done."""
        if self.grouping.most > 1:
            self.grouping.learn(batch)
        for budget in self._budgets:
            budget.learn(batch)

    def compute_parts(self, group: Batch) -> None:
        """Have the parts of a group that failed computed, before any other batch."""
        self._failed_parts.extend(self.grouping.parts_after(group))

    def hold(self) -> int:
        """Start no more batches until `restart`; return `following`, which stays as it is.

        Parts of failed groups start all the same: their batches had started.
        """
        with self._lock:
            self._held = True
            return self.following

    def restart(self, number: int) -> None:
        """Go on with batch `number`, which is the next that the consumer asks for."""
        self.launched = self.following = number
        self._held = False
        self.grouping.restart()


def _only_readers(plan: Plan, config: PipelineConfig) -> list[SeekableInput]:
    """Return the readers of a pipeline that does nothing but read ahead; [] of any other."""
    ahead = config.exec_pipelined and config.exec_async
    readers = [reader.operator for reader in plan.readers]
    return readers if ahead and len(readers) == len(plan.nodes) else []
