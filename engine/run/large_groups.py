"""Groups of batches that are larger than usual, where samples come so fast that they pay.

Small images out of a cache, for example, cost the device little, and Python's fixed costs of each
group limit the pipeline. Larger groups take more of the device's memory, and new memory makes the
pipeline slow for some seconds. So a larger size is tried, and kept if it is faster.
"""

from __future__ import annotations

REVIEW_SECONDS = 2.0
"""Seconds for which rates are measured before the size changes."""

MAX_SAMPLES = 2048
"""Samples of a large group at most. On an H200 with 16 cores, decoded images of 256x341 pixels come
out of a cache at 43,000 to 68,000 a second in groups of 512, and at 95,000 to 127,000 in groups of
2048."""

MAX_SECONDS = 0.025
"""Seconds that a large group may take: of slower ones, the fixed costs are a small part."""

CONSUMER_WAITS: tuple[float, float] = (0.5, 0.8)
"""Parts of the time that the consumer waits for batches. Below the first, groups have their usual
size, because a network needs the memory; above the second, larger groups are tried."""

MIN_GAIN = 1.05
"""By how much a group of twice the size has to be faster."""


class LargeGroups:
    """Chooses how many batches the largest groups have.

    Args:
        usual: number of batches of groups of the usual size.
        most: number of batches at most.

    Attributes:
        allowed: number of batches of the largest groups now.
    """

    def __init__(self, usual: int, most: int) -> None:
        self.allowed = self._usual = max(1, usual)
        self._most = most
        self._is_new = False  # whether memory still grows to the size of the groups
        self._rate_before = 0.0  # batches a nanosecond, with groups of half the size
        self._since = 0, 0, 0  # see `review`

    def review(self, count: int, delivered: int, now_ns: int, waited_ns: int) -> None:
        """Choose again, if enough time has passed.

        Args:
            count: number of batches of groups now.
            delivered, now_ns, waited_ns: as for `Grouping.choose`.
        """
        then = self._since
        elapsed = now_ns - then[1]
        if elapsed < REVIEW_SECONDS * 1e9:
            return
        self._since = delivered, now_ns, waited_ns
        rate, waiting = (delivered - then[0]) / elapsed, (waited_ns - then[2]) / elapsed
        few, many = CONSUMER_WAITS
        if waiting < few:
            self.allowed = self._usual
            self._is_new, self._rate_before = False, 0.0
        elif self._is_new:
            self._is_new = False
        elif rate < MIN_GAIN * self._rate_before:
            self._most = self.allowed = self.allowed // 2
            self._rate_before = 0.0
        elif waiting > many and count == self.allowed:
            self._rate_before = 0.0
            if 2 * count <= self._most and 2 * count <= rate * MAX_SECONDS * 1e9:
                self.allowed = 2 * count
                self._is_new, self._rate_before = True, rate
