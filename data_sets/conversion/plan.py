"""The plan of a conversion: what determines its result, the state of the source included."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, SourceError
from ...engine.order.permutation import Permutation
from ...readers.storage.local_reads import identity
from ...readers.storage.opening import open_storages
from ...readers.storage.urls import Url, is_url
from ..checking.bad_samples import ChosenSamples
from ..dataset import Dataset
from ..formats.writer import Target
from .options import ConvertOptions


@dataclass(frozen=True)
class SampleOrder:
    """The samples of a conversion, in their order.

    Attributes:
        size: samples of the source, or those of them that lists choose.
        count: samples that are looked at, the first ones of the order.
        key: of the permutation that shuffles; None keeps the order.
        sampling_key: of the permutation whose first `count` samples are looked at.
        chosen: the samples of the source that lists choose; None for all.
    """

    size: int
    count: int
    key: int | None = None
    sampling_key: int = 0
    chosen: ChosenSamples | None = field(default=None, repr=False)

    def indices(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the samples at positions of the order."""
        numbers = self._numbers(start, stop)
        return numbers if self.chosen is None else self.chosen.at(numbers)

    def _numbers(self, start: int, stop: int) -> NDArray[np.int64]:
        positions = np.arange(start, stop, dtype=np.int64)
        if self.key is not None and self.count:
            positions = Permutation(self.count, self.key)(positions)
        if self.count < self.size:
            return _drawn(self.size, self.count, self.sampling_key)[positions]
        return positions


@lru_cache(maxsize=1)
def _drawn(size: int, count: int, key: int) -> NDArray[np.int64]:
    """Return `count` of `size` indices, ascending."""
    return np.sort(Permutation(size, key)(np.arange(count)))


@dataclass(frozen=True)
class ConvertPlan:
    """What determines the result of a conversion.

    Attributes:
        fields: the source and the options, as JSON.
        stamp: state of the source's files.
        versions: of the source's objects behind URLs.
    """

    fields: str
    stamp: str
    versions: str

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        options: ConvertOptions,
        target: Target,
        order: SampleOrder,
        shards: int,
    ) -> ConvertPlan:
        """Return the plan for an open source, options, and what follows from both."""
        stamp, versions = stamp_of(dataset), versions_of(dataset)
        place = dataset.place
        fields = {
            "source": str(place if isinstance(place, Url) else place.absolute()),
            "stamp": stamp,
            "to": options.to,
            "shards": shards,
            "order": repr(order),
            "where": str(options.filter or ""),
            "components": list(target.schema),
            "reencoding": repr(options.reencoding),
            "classes": list(target.classes),
        }
        fields |= {"versions": versions} if versions else {}
        part = {"split": options.split, "config": options.config}
        fields |= {name: value for name, value in part.items() if value}
        fields |= {"skip_bad": True} if options.skip_bad else {}
        fields |= {"lists": repr(order.chosen)} if order.chosen is not None else {}
        return cls(json.dumps(fields, sort_keys=True), stamp, versions)

    @property
    def digest(self) -> str:
        """A text that only equal plans share."""
        return hashlib.sha256(self.fields.encode()).hexdigest()

    def difference(self, other: str) -> str:
        """Return the names of the fields that differ from other fields, as JSON."""
        ours, theirs = json.loads(self.fields), json.loads(other)
        names = sorted(name for name in ours if ours[name] != theirs.get(name))
        files = {"stamp", "versions"}
        return ", ".join("the source's files" if name in files else name for name in names)


def run_before(content: bytes, plan: ConvertPlan, name: str) -> tuple[int, dict[str, int]]:
    """Return when the run began that is to go on, and `ahead`: see `OpenedDestination`.

    Args:
        content: of the file that the run wrote.
        plan: of this run.
        name: of the file.

    Raises:
        SourceError: the file is damaged. ArgumentError: the run had another plan.
    """
    try:
        fields = json.loads(content)
        started, difference = int(fields["started"]), plan.difference(fields["plan"])
        ahead = {str(path): int(time) for path, time in fields.get("ahead", {}).items()}
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as error:
        raise SourceError(
            f"{name} is damaged ({type(error).__name__}: {error}); start anew with overwrite=True"
        ) from None
    if difference:
        raise ArgumentError(
            f"{name}: the conversion that was cut off there had other values of: {difference}; "
            "repeat it with the same values, or start anew with overwrite=True"
        )
    return started, ahead


def stamp_of(dataset: Dataset) -> str:
    """Return a text that changes if a file of a data set is changed, added or removed."""
    digest = hashlib.sha256()
    for path in dataset.stored.files():
        if is_url(path):
            continue
        try:
            stamp = identity(os.stat(path)).stamp
        except FileNotFoundError:  # a shard that `skip_bad` leaves out
            stamp = "missing"
        state = f"{path}\0{stamp}\n"
        digest.update(os.fsencode(state))
    return digest.hexdigest()


def check_stamp(dataset: Dataset, stamp: str) -> None:
    """Raise SourceError if the source is no longer what it was at the start."""
    if stamp_of(dataset) != stamp:
        raise _changed(dataset)


def versions_of(dataset: Dataset) -> str:
    """Return a text that changes if an object of a data set behind URLs changes; else "".

    A task does not ask for it, because each object takes a request.
    """
    urls = [path for path in dataset.stored.files() if is_url(path)]
    stamps = [storage.stamp for storage in open_storages(urls, dataset.options)]
    return hashlib.sha256(json.dumps([urls, stamps]).encode()).hexdigest() if urls else ""


def check_versions(dataset: Dataset, versions: str) -> None:
    """Raise SourceError if an object of the source is no longer what it was at the start."""
    if versions_of(dataset) != versions:
        raise _changed(dataset)


def _changed(dataset: Dataset) -> SourceError:
    return SourceError(
        f"{dataset.place} was changed while it was converted; the shards that are whole may "
        "mix both states, so convert with overwrite=True once nobody writes to it"
    )
