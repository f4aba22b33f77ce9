"""Whether all ranks read shards of the same data, in the same order, and each its own shard.

Every rank writes what it reads to the store of the process group. The first rank's text stands for
all: the others compare theirs with it, and raise a flag if the texts differ. All ranks look at the
flag, so all of them raise the error. A rank also enters its shard, and raises the flag if another
rank has entered it. There is no collective, so ranks may have other pipelines: a
rank waits for the others for a limited time, and looks again at later batches.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from ..errors import ArgumentError
from .discovery import say_once
from .group import Group

PATIENCE_SECONDS = 20.0
"""Seconds that a process waits for other ranks, for all its pipelines together.

Ranks that start together differ by seconds. A pipeline that only some ranks have costs them this
time once.
"""

_LOOK_SECONDS = 1.0  # between two looks at later batches
_LINGER_SECONDS = 5.0  # for others to see the flag, before the rank that has the store may end
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.005, 0.5  # between two questions; 1,000 ranks ask one store

Facts = Mapping[str, Any]
"""What the ranks must agree in, by the words of messages."""

_patience = PATIENCE_SECONDS
_lock = threading.Lock()
_numbered: tuple[object, dict[str, int]] = (None, {})  # pipelines of each name, of one store


class Agreement:
    """The comparison of one pipeline with those of the other ranks.

    Args:
        name: of the pipeline; those of one name are compared in the order of their starts.
        facts: of this rank.
        own: what no other rank may have, by the words of messages: this rank's shard of each reader
            that has as many shards as there are ranks. Without such a reader the rank is lenient:
            lenient ranks may read different data, unless another rank is among them.
        group: the ranks.
    """

    def __init__(self, name: str, facts: Facts, own: Facts, group: Group) -> None:
        self._name = name
        self._key = f"penstock/{name}/{_number(name, group.store)}"
        self._group = group
        self._next_look = 0.0
        group.store.set(f"{self._key}/{group.rank}", json.dumps([own, facts]))
        text = json.dumps([bool(own), facts])
        first = self._first_to_set("first", text)
        differs = first != text and (own or json.loads(first)[0])
        rank = str(group.rank)
        if differs or any(self._first_to_set(f"{what}: {own[what]}", rank) != rank for what in own):
            group.store.set(f"{self._key}/differs", "1")
        self._arrived = int(group.store.add(f"{self._key}/arrived", 1))

    def _first_to_set(self, name: str, text: str) -> str:
        """Return the text that a rank has written first under a name: this rank's, or another's."""
        return str(self._group.store.compare_set(f"{self._key}/{name}", "", text).decode())

    def check(self, is_stopped: Callable[[], bool]) -> bool:
        """Raise ArgumentError unless the ranks agree; return whether all have been compared.

        The first call waits for other ranks. Later calls look from time to time.
        """
        if not self._next_look:
            self._wait(is_stopped)
        elif time.monotonic() < self._next_look:
            return False
        self._look()
        self._next_look = time.monotonic() + _LOOK_SECONDS
        return self._arrived == self._group.world

    def _look(self) -> None:
        self._arrived = int(self._group.store.add(f"{self._key}/arrived", 0))
        if self._group.store.check([f"{self._key}/differs"]):
            self._raise()

    def _wait(self, is_stopped: Callable[[], bool]) -> None:
        global _patience
        start = time.monotonic()
        patience = _patience
        arrived = self._until(self._count_arrived, patience, is_stopped)
        with _lock:
            _patience = max(0.0, _patience - (time.monotonic() - start))
        if not arrived and not is_stopped() and patience > 0:
            missing = [rank for rank in range(self._group.world) if not self._has_arrived(rank)]
            say_once(
                f"{self._name}: {_ranks(missing)} did not start this pipeline within "
                f"{patience:.0f} s. If only some ranks read these data, give the readers "
                "shard_id=0 and num_shards=1: else each of the ranks reads a part"
            )

    def _count_arrived(self) -> bool:
        self._arrived = int(self._group.store.add(f"{self._key}/arrived", 0))
        return self._arrived == self._group.world

    def _has_arrived(self, rank: int) -> bool:
        return bool(self._group.store.check([f"{self._key}/{rank}"]))

    def _raise(self) -> NoReturn:
        store, key = self._group.store, self._key
        arrived = [rank for rank in range(self._group.world) if self._has_arrived(rank)]
        texts = {rank: json.loads(store.get(f"{key}/{rank}")) for rank in arrived}
        store.add(f"{key}/raised", 1)

        def all_have_seen() -> bool:
            return int(store.add(f"{key}/raised", 0)) >= len(arrived)

        with suppress(RuntimeError):  # the rank that has the store may have ended
            self._until(all_have_seen, _LINGER_SECONDS, lambda: False)
        if differing := differences({rank: facts for rank, (_, facts) in texts.items()}):
            raise ArgumentError(
                f"the ranks do not read the same data in {self._name}: {differing}. Give "
                "all ranks the same data set and the same arguments. If only some ranks read these "
                "data, give the readers of these ranks shard_id=0 and num_shards=1"
            )
        raise ArgumentError(
            f"ranks read the same shard in {self._name}, so no rank reads another one: "
            f"{repetitions({rank: own for rank, (own, _) in texts.items()})}. Leave out shard_id "
            "and num_shards, or give each rank its own number as shard_id, such as "
            "torch.distributed.get_rank(); with num_shards=1 each rank reads all of the data"
        )

    @staticmethod
    def _until(
        condition: Callable[[], bool], seconds: float, is_stopped: Callable[[], bool]
    ) -> bool:
        """Wait until a condition holds; return whether it does."""
        end, pause = time.monotonic() + seconds, _SHORTEST_PAUSE
        while not (holds := condition()) and time.monotonic() < end and not is_stopped():
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        return holds


def agreement_of(
    group: Group, readers: Mapping[str, Facts], shards: Mapping[str, int], common: Facts
) -> Agreement | None:
    """Return the comparison of a pipeline; None if there is nothing to compare.

    Args:
        group: the ranks.
        readers: facts of each reader, by its name. Readers of one shard are left out, so that a
            pipeline in which each rank reads all data may exist on some ranks only.
        shards: the shard that each reader reads, by its name.
        common: facts of the pipeline.
    """
    divided = {name: facts for name, facts in readers.items() if facts["num_shards"] > 1}
    if not divided:
        return None
    facts = {
        f"{what} of reader {name!r}": value
        for name, of_reader in divided.items()
        for what, value in of_reader.items()
    }
    own = {
        f"shard_id of reader {name!r}": shards[name]
        for name, of_reader in divided.items()
        if of_reader["num_shards"] == group.world
    }
    return Agreement(_name(divided), {**common, **facts}, own, group)


def agreed_seed(group: Group, seed: int, readers: Iterable[str]) -> int:
    """Return the seed that a rank has drawn first for its pipeline with these readers.

    If the store fails, that is `seed`.
    """
    name = f"the seed of {_name(readers)}"
    try:
        key = f"penstock/{name}/{_number(name, group.store)}"
        return int(group.store.compare_set(key, "", str(seed)))
    except RuntimeError:
        return seed


def digest(texts: Iterable[str]) -> str:
    """Return twelve characters that stand for texts."""
    return hashlib.sha256("\n".join(texts).encode(errors="replace")).hexdigest()[:12]


def _name(readers: Iterable[str]) -> str:
    return f"the pipeline with {', '.join(map(repr, readers))}"


def differences(facts: Mapping[int, Facts]) -> str:
    """Return in which facts ranks differ, as a part of a sentence.

    >>> differences({0: {"size": 8, "seed": 1}, 1: {"size": 9, "seed": 1}, 2: {"size": 9}})
    'size is 8 on rank 0, 9 on ranks 1 and 2; seed is 1 on ranks 0 and 1, missing on rank 2'
    """
    by_value = _ranks_by_value(facts)
    return _shown({what: ranks for what, ranks in by_value.items() if len(ranks) > 1})


def repetitions(facts: Mapping[int, Facts]) -> str:
    """Return which facts several ranks have, as a part of a sentence.

    >>> repetitions({0: {"shard": 0}, 1: {"shard": 1}, 2: {"shard": 0}})
    'shard is 0 on ranks 0 and 2'
    """
    by_value = {
        what: {value: which for value, which in ranks.items() if len(which) > 1}
        for what, ranks in _ranks_by_value(facts).items()
    }
    return _shown({what: ranks for what, ranks in by_value.items() if ranks})


def _ranks_by_value(facts: Mapping[int, Facts]) -> dict[str, dict[str, list[int]]]:
    """Return the ranks that have each value of each fact."""
    by_value: dict[str, dict[str, list[int]]] = {}
    for what in dict.fromkeys(name for each in facts.values() for name in each):
        ranks = by_value[what] = {}
        for rank, each in facts.items():
            value = str(each[what]) if what in each else "missing"
            ranks.setdefault(value, []).append(rank)
    return by_value


def _shown(by_value: Mapping[str, Mapping[str, list[int]]]) -> str:
    return "; ".join(
        f"{what} is {', '.join(f'{value} on {_ranks(which)}' for value, which in ranks.items())}"
        for what, ranks in by_value.items()
    )


def _ranks(numbers: list[int]) -> str:
    """Return "rank 3", "ranks 0 and 2" or "ranks 0, 1, 2 and 5 more"."""
    if len(numbers) == 1:
        return f"rank {numbers[0]}"
    *shown, last = (*map(str, numbers[:3]), f"{len(numbers) - 3} more")[: max(2, len(numbers))]
    return f"ranks {', '.join(shown)} and {last}"


def _number(name: str, store: object) -> int:
    """Return how many pipelines of this name have started since the store is there."""
    global _numbered
    with _lock:
        if _numbered[0] is not store:
            _numbered = store, {}
        counts = _numbered[1]
        counts[name] = counts.get(name, -1) + 1
        return counts[name]
