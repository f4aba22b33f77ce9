"""Groups of batches that a GPU computes as one: how many batches, and how many groups at a time.

A launch has fixed costs, so small batches go together. Small groups do not ask whether the consumer
waits: the fixed costs of each batch take the GIL from a network that trains. Larger groups take
much of the device's memory, so they need a consumer that waits. The largest are tried, and stay
where they are faster, because new memory makes a pipeline slow for some seconds.
"""

from __future__ import annotations

from typing import NamedTuple

from .readings import Readings


class GroupSize(NamedTuple):
    """Groups up to a size.

    Attributes:
        samples: of a group, at most.
        waits: part of the time for which the consumer has to wait.
        seconds: that a group may take: of slower ones, the fixed costs are a small part.
    """

    samples: int
    waits: float
    seconds: float


class GroupLimits(NamedTuple):
    """The numbers of the rule, with figures of an H200.

    Attributes:
        small: a ResNet-18 in batches of 32 trains at 0.57 of its rate if batches are single, at
            0.68 in groups of 128 samples, and at 0.75 in groups of 256.
        usual: groups of other pipelines.
        large: decoded images of 256x341 come out of a cache at 43,000 to 68,000 a second in groups
            of 512, and at 95,000 to 127,000 in groups of 2,048.
        calm: a consumer that waits for a smaller part of the time gets small groups again.
        trains: the same for large groups, because a network needs the memory.
        calm_groups: number of groups under way for a calm consumer: a group takes as much memory
            as a large batch, and lasts longer.
        look_seconds: length of a look at the consumer. To write a line to a log takes a consumer
            some milliseconds, and it waits for batches all the same.
        patience_seconds: for so long all looks must find that the consumer waits, because it waits
            for a pipeline that starts, too. Large groups are tried for as long.
        min_gain: by how much a group of twice the size has to be faster.
    """

    small: GroupSize = GroupSize(256, 0.0, 0.1)
    usual: GroupSize = GroupSize(512, 0.2, 0.1)
    large: GroupSize = GroupSize(2048, 0.8, 0.025)
    calm: float = 0.02
    trains: float = 0.5
    calm_groups: int = 2
    look_seconds: float = 0.1
    patience_seconds: float = 2.0
    min_gain: float = 1.05


class Groups(NamedTuple):
    """The setting, and what the rule remembers.

    Attributes:
        batch_size: number of samples of a batch.
        together: number of batches in the next group.
        is_calm: whether the consumer hardly waits.
        tried: number of batches of the largest groups, if larger than usual; else 0.
        largest: the same at most: a larger size was no faster.
        rate: batches a nanosecond before that size was tried; 0 if it has proved itself.
        is_new: whether memory still grows to that size.
        chosen, looked, reviewed: the readings at the last choice, the last look at the consumer,
            and the last review of the size that is tried.
        calm_ns: time of the last look that found no waiting.
    """

    batch_size: int
    together: int = 1
    is_calm: bool = False
    tried: int = 0
    largest: int = 1 << 30
    rate: float = 0.0
    is_new: bool = False
    chosen: Readings = Readings()
    looked: Readings = Readings()
    reviewed: Readings = Readings()
    calm_ns: int = 0

    def under_way(self, asked: int, limits: GroupLimits) -> int:
        """Return how many groups may be under way, if the consumer has asked for so many."""
        return min(asked, limits.calm_groups) if self.is_calm else asked

    def paused(self, until: int) -> Groups:
        """Return single batches, until the consumer has taken so many."""
        return self._replace(together=1, chosen=self.chosen._replace(batches=until))


def decide(groups: Groups, readings: Readings, most: int, limits: GroupLimits) -> Groups:
    """Choose again, once the consumer has taken two groups.

    Args:
        groups: the setting until now.
        readings: of the last batch that was delivered.
        most: number of batches that inputs and memory allow.
        limits: the numbers.
    """
    made = readings.since(groups.chosen)
    if made.batches < 2 * groups.together:
        return groups
    groups = _reviewed(groups, readings, most, limits)
    groups = _looked(groups, readings, limits)
    size, small = groups.batch_size, limits.small.samples // groups.batch_size
    most = min(most, groups.tried or max(1, limits.usual.samples // size))
    if readings.now_ns - groups.calm_ns < limits.patience_seconds * 1e9:
        most = min(most, max(groups.together, small))
    count, is_calm = groups.together, made.waiting < limits.calm
    longest = int(limits.usual.seconds * 1e9 * made.batches / max(1, made.now_ns))
    if is_calm and count > min(small, longest):
        count = max(1, count // 2)
    elif 2 * count <= longest and (made.waiting > limits.usual.waits or 2 * count <= small):
        count *= 2
    return groups._replace(together=min(count, most), is_calm=is_calm, chosen=readings)


def _looked(groups: Groups, readings: Readings, limits: GroupLimits) -> Groups:
    """Look at the consumer."""
    seen = readings.since(groups.looked)
    if seen.now_ns < limits.look_seconds * 1e9:
        return groups
    calm_ns = groups.calm_ns if seen.waiting > limits.usual.waits else readings.now_ns
    return groups._replace(looked=readings, calm_ns=calm_ns)


def _reviewed(groups: Groups, readings: Readings, most: int, limits: GroupLimits) -> Groups:
    """Judge the size that is tried, or try a larger one."""
    seen = readings.since(groups.reviewed)
    if seen.now_ns < limits.patience_seconds * 1e9:
        return groups
    groups, rate = groups._replace(reviewed=readings), seen.batches / seen.now_ns
    usual = max(1, limits.usual.samples // groups.batch_size)
    if seen.waiting < limits.trains:
        return groups._replace(tried=0, is_new=False, rate=0.0)
    if groups.is_new:
        return groups._replace(is_new=False)
    if rate < limits.min_gain * groups.rate:
        half = groups.tried // 2
        return groups._replace(tried=half, largest=half, rate=0.0)
    if seen.waiting <= limits.large.waits or groups.together != (groups.tried or usual):
        return groups
    twice = 2 * groups.together
    if twice <= min(groups.largest, most, rate * limits.large.seconds * 1e9):
        return groups._replace(tried=twice, is_new=True, rate=rate)
    return groups._replace(rate=0.0)
