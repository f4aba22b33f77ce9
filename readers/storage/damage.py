"""Files that cannot be read to their end, or not at all: an error, or samples that are left out.

A file may be damaged where it is opened and indexed, before any of its samples is asked for. Who
opens files passes `Damages` on. It raises the error, or notes it, and the sound part counts.
"""

from __future__ import annotations

import errno
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ...engine.arrays import Array
from ...engine.errors import ArgumentError, MissingDependencyError, PenstockError, SourceError
from ...engine.graph.inputs import Damage
from ..source import UnavailableError
from .opening import open_storages
from .read_team import READ_TEAM
from .storage import Storage
from .urls import Url, shown, text_of

NAMED_FILES = 3
"""Files that a warning names: the quarantine log and `penstock verify` list all of them."""

_OF_THE_MACHINE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})

Index = TypeVar("Index")


class DamagedFileError(SourceError):
    """A file is readable up to an offset, and damaged or cut off from there on.

    Attributes:
        offset: of the first byte that is not sound.
        sound: the arrays of the index of what lies before.
        lost: number of samples that the file should have besides; -1 if nothing tells it.
        samples: number of samples that are sound; -1 if that is not known.
    """

    def __init__(
        self,
        message: str,
        offset: int = 0,
        sound: Sequence[Array] = (),
        lost: int = -1,
        samples: int = -1,
    ) -> None:
        super().__init__(message)
        self.offset = offset
        self.sound = tuple(sound)
        self.lost = lost
        self.samples = samples


def samples_told(path: str) -> int:
    """Return how many samples a local shard has by the `dataset.json` of its folder; else -1."""
    for folder in (os.path.dirname(path), os.path.dirname(os.path.dirname(path))):
        name = os.path.relpath(path, folder) if os.path.isabs(path) else ""
        try:
            with open(os.path.join(folder, "dataset.json"), "rb") as file:
                shards = json.load(file)["shards"]
            for shard in shards:
                if any(file["name"] == name for file in shard["files"]):
                    return int(shard["samples"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            pass
    return -1


def is_of_data(error: Exception) -> bool:
    """Return whether an error is of the data, and not of the machine, a service or the program."""
    if isinstance(error, UnavailableError | MissingDependencyError):
        return False
    is_known = isinstance(error, OSError | PenstockError) and not isinstance(error, ArgumentError)
    return is_known and getattr(error, "errno", 0) not in _OF_THE_MACHINE


class Damages:
    """Takes the errors of files that are opened and indexed. Thread-safe.

    Attributes:
        leaves_out: whether what cannot be read is left out.
        found: the damage of each file, in the order in which it was met.
    """

    def __init__(self, *, leaves_out: bool = False) -> None:
        """Take whether what cannot be read is left out; else the first error is raised."""
        self.leaves_out = leaves_out
        self._first: Exception | None = None
        self.found: list[Damage] = []

    def __bool__(self) -> bool:
        return bool(self.found)

    def take(self, name: str, error: Exception) -> None:
        """Note the damage of a file, or raise its error.

        Errors of the machine and of services are raised in any case: another run may have none.
        """
        if not self.leaves_out or not is_of_data(error):
            raise SourceError(str(error)) if isinstance(error, DamagedFileError) else error
        offset, lost = getattr(error, "offset", 0), getattr(error, "lost", -1)
        sound, told = getattr(error, "samples", 0), samples_told(name)
        if lost < 0 <= sound and told >= 0:
            lost = max(0, told - sound)
        self._first = self._first or error
        reason = str(error) if shown(name) in str(error) else f"{shown(name)}: {error}"
        kind = SourceError if isinstance(error, SourceError) else type(error)
        self.found.append(Damage(shown(name), reason, offset, lost, kind.__name__, sound))

    def sound(self, name: str, read: Callable[[], tuple[Array, ...]]) -> Any:
        """Return the arrays of an index, up to where the file is damaged."""
        try:
            return read()
        except DamagedFileError as error:
            damaged = error
        self.take(name, damaged)
        return damaged.sound

    def open(
        self, paths: Sequence[str | Url], options: Mapping[str, object] | None, tail: int = 0
    ) -> dict[int, Storage]:
        """Return the storages of the files that can be opened, by number; see `open_storages`."""
        try:
            return dict(enumerate(open_storages(paths, options, tail)))
        except (OSError, PenstockError):
            if not self.leaves_out:
                raise
        opened: dict[int, Storage] = {}
        failed: dict[int, Exception] = {}

        def open_one(number: int) -> None:
            try:
                (opened[number],) = open_storages([paths[number]], options, tail)
            except (OSError, PenstockError) as error:
                failed[number] = error

        READ_TEAM.run_jobs(open_one, range(len(paths)))
        for number in sorted(failed):
            self.take(text_of(paths[number]), failed[number])
        self.require(opened)
        return {number: opened[number] for number in sorted(opened)}

    def each(
        self, storages: Sequence[Storage], read: Callable[[Storage], Index]
    ) -> tuple[list[Storage], list[Index]]:
        """Return the files that `read` can read, and what it returns for each of them.

        If it raises `DamagedFileError` with arrays of what is sound, it returns these.
        """
        kept: list[Storage] = []
        results: list[Any] = []
        for storage in storages:
            try:
                results.append(read(storage))
            except (OSError, PenstockError) as error:
                self.take(storage.name, error)
                if not (sound := getattr(error, "sound", ())):
                    continue
                results.append(sound)
            kept.append(storage)
        self.require(kept)
        return kept, results

    def require(self, left: Iterable[object] | int) -> None:
        """Raise the first error if nothing is left: no files, or no samples."""
        if self._first is not None and not left:
            raise self._first

    def warn(self, owner: str, samples: int) -> None:
        """Warn of what is left out, once all files are indexed.

        Args:
            owner: who reads the files.
            samples: that are left.
        """
        if not self.found:
            return
        count = len(self.found)
        known = [damage.lost for damage in self.found if damage.lost >= 0]
        lost = f"{'' if len(known) == count else 'at least '}{sum(known)} samples are left out"
        if not known:
            lost = "nothing tells how many samples are left out"
        names = ", ".join(damage.name for damage in self.found[:NAMED_FILES])
        more = f" and {count - NAMED_FILES} more" * (count > NAMED_FILES)
        first = self.found[0].reason.rstrip(".")
        warnings.warn(
            f"{owner}: {count} {'file is' if count == 1 else 'files are'} damaged: {names}{more}. "
            f"{lost[0].upper()}{lost[1:]}, {samples} are left. The first error: {first}. "
            "`penstock verify` lists all, `penstock convert --skip-bad` rescues what is sound",
            RuntimeWarning,
            stacklevel=2,
        )


STRICT = Damages()
"""Raises every error."""
