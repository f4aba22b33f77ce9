"""What the rules read, and what becomes of it."""

from __future__ import annotations

from typing import NamedTuple


class Readings(NamedTuple):
    """The clocks of a pipeline when its consumer took a batch; or what they counted in between.

    Attributes:
        now_ns: the time, in nanoseconds.
        batches: number of batches that the consumer has taken.
        consumer_ns: nanoseconds that the consumer waited for batches.
    """

    now_ns: int = 0
    batches: int = 0
    consumer_ns: int = 0

    def since(self, before: Readings) -> Readings:
        """Return what the clocks have counted since another look."""
        return Readings(
            self.now_ns - before.now_ns,
            self.batches - before.batches,
            self.consumer_ns - before.consumer_ns,
        )

    @property
    def waiting(self) -> float:
        """The part of the time that the consumer waited: what "the consumer waits" means."""
        return self.consumer_ns / self.now_ns if self.now_ns else 0.0


class Decision(NamedTuple):
    """The last decision of a rule, for people.

    Attributes:
        setting: what was decided.
        reading: what the rule has read.
    """

    setting: str
    reading: str


Decisions = dict[str, Decision]
"""The last decision of each rule that has changed anything, by the rule's name."""
