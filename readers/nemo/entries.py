"""The entries of several manifests: which are read, and in which order."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Int64s
from ...engine.errors import ArgumentError, SourceError
from ...formats.nemo import NemoManifest, parse_manifest
from ..source import checked_indices
from ..storage.opening import opened
from ..storage.urls import is_url, shown

ORDERS = ("manifest", "ascending", "descending")


@dataclass(frozen=True)
class NemoEntries:
    """The entries that are read, in the order of the data set.

    Attributes:
        manifests: as they were parsed.
        folders: folders of the manifests, absolute paths or URLs, which relative paths begin at.
        manifest: number of the manifest of each entry: (entries,).
        row: number of each entry in its manifest: (entries,).
        number: number of each entry, counted over all manifests and the entries that the limits of
            duration leave, in the order of the files: (entries,).
    """

    manifests: tuple[NemoManifest, ...]
    folders: tuple[str, ...]
    manifest: Int64s
    row: Int64s
    number: Int64s

    def __len__(self) -> int:
        return len(self.row)

    def column(self, name: str) -> Array:
        """Return a column of `NemoManifest` for all entries: (entries,)."""
        column = np.empty(len(self), getattr(self.manifests[0], name).dtype)
        for number, manifest in enumerate(self.manifests):
            own = self.manifest == number
            column[own] = getattr(manifest, name)[self.row[own]]
        return column

    def text(self, index: int) -> bytes:
        """Return the transcript of an entry in UTF-8."""
        return self._manifest_of(index).texts.encoded(int(self.row[index]))

    def files(self, index: int) -> list[str]:
        """Return the audio files of an entry as its manifest spells them: most often one."""
        return self._manifest_of(index).files(int(self.row[index]))

    def path(self, index: int) -> str:
        """Return the audio file of an entry; several ones with commas between them."""
        return self._manifest_of(index).path(int(self.row[index]))

    def channels(self, index: int) -> tuple[int, ...]:
        """Return the channels that an entry selects; none for all."""
        return self._manifest_of(index).channels.get(int(self.row[index]), ())

    def selects_channels(self) -> bool:
        """Return whether any entry selects channels."""
        return any(manifest.channels for manifest in self.manifests)

    def where(self, index: int) -> str:
        """Return the audio file of an entry, with manifest and line."""
        checked_indices(np.array([index]), len(self))
        line = self._manifest_of(index).where(int(self.row[index]))
        return f"{', '.join(map(shown, self.files(index)))} ({line})"

    def _manifest_of(self, index: int) -> NemoManifest:
        return self.manifests[int(self.manifest[index])]

    def select(self, which: Array) -> NemoEntries:
        """Return these entries alone: a mask, or numbers in another order."""
        return replace(
            self, manifest=self.manifest[which], row=self.row[which], number=self.number[which]
        )


def read_manifests(
    paths: Sequence[str], options: Mapping[str, object] | None = None
) -> NemoEntries:
    """Return all entries of manifests; `options` are `Reader.storage_options`.

    Raises:
        SourceError: a manifest cannot be read, or one of its lines is bad.
    """
    manifests = tuple(_read_manifest(path, options or {}) for path in paths)
    counts = [len(manifest) for manifest in manifests]
    return NemoEntries(
        manifests,
        tuple(posixpath.dirname(p if is_url(p) else os.path.abspath(p)) for p in paths),
        np.repeat(np.arange(len(manifests)), counts),
        np.concatenate([np.arange(count) for count in counts]),
        np.arange(sum(counts)),
    )


def _read_manifest(path: str, options: Mapping[str, object]) -> NemoManifest:
    try:
        with opened(path.encode("utf-8", "surrogateescape"), options) as lines:
            return parse_manifest(lines, shown(path))
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(
            f"the manifest {shown(path)!r} cannot be read: {error.strerror or error}"
        ) from error


def chosen_entries(
    entries: NemoEntries, *, min_duration: float, max_duration: float, order: str
) -> NemoEntries:
    """Return the entries whose duration is within the limits, in an order of `ORDERS`.

    As in DALI, an entry without a duration passes `max_duration` alone, and a limit of 0 is none.

    Raises:
        ArgumentError: no entry is left. SourceError: an entry has no duration to sort by.
    """
    duration = entries.column("duration")
    keep = np.ones(len(entries), np.bool_)
    if min_duration > 0:
        keep &= duration >= min_duration
    if max_duration > 0:
        keep &= ~(duration > max_duration)
    if not keep.any():
        raise ArgumentError(
            f"fn.readers.nemo_asr: none of {len(entries)} entries is {min_duration:g} to "
            f"{max_duration or np.inf:g} s long"
        )
    kept = replace(entries.select(keep), number=np.arange(int(keep.sum())))
    return kept if order == "manifest" else _sorted(kept, duration[keep], order)


def _sorted(entries: NemoEntries, duration: NDArray[np.float64], order: str) -> NemoEntries:
    unknown = np.flatnonzero(np.isnan(duration))
    if len(unknown):
        raise SourceError(
            f"{entries.where(int(unknown[0]))} has no 'duration', by which entries are sorted; add "
            "one, or leave out `order`"
        )
    key = duration if order == "ascending" else -duration
    return entries.select(np.argsort(key, kind="stable"))
