"""Samples of `fn.readers.nemo_asr` before they are decoded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..source import Allocate, Column, checked_indices
from .audio import AudioBytes
from .entries import NemoEntries


class NemoSource:
    """Utterances: encoded audio, a window, a transcript, and a number."""

    def __init__(self, entries: NemoEntries, audio: AudioBytes) -> None:
        self._entries = entries
        self._audio = audio
        duration = entries.column("duration")
        rest = np.where(np.isnan(duration), -1, duration)
        self._windows = np.stack([entries.column("offset"), rest, audio.is_segment()], axis=1)

    def __len__(self) -> int:
        return len(self._entries)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return four columns.

        The encoded audio, uint8 (size,), or a path in its place; the window, float64 (3,): offset
        and duration in seconds (negative for the rest), and 1 for a path; or (3 + n,) with the
        numbers of n selected channels behind; the transcript in
        UTF-8, uint8 (size,); the entry's number, int64 (entries, 1).

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file or an archive cannot be read. SourceError if it lacks the entry.
        """
        indices = checked_indices(indices, len(self))
        texts = [self._entries.text(index) for index in indices.tolist()]
        return (
            self._audio.read(indices, allocate),
            self._windows_of(indices),
            [np.frombuffer(text, np.uint8) for text in texts],
            self._entries.number[indices][:, np.newaxis],
        )

    def _windows_of(self, indices: NDArray[np.int64]) -> Column:
        windows = self._windows[indices]
        if not self._entries.selects_channels():
            return windows
        channels = [self._entries.channels(index) for index in indices.tolist()]
        return [np.append(window, own) for window, own in zip(windows, channels, strict=True)]

    def known_column(self, name: str) -> NDArray[np.float64] | None:
        """Return what the manifests say of each entry, in seconds: one of `known_columns`."""
        return self._entries.column(name) if name in self.known_columns() else None

    def known_columns(self) -> list[str]:
        """Return the columns that `known_column` has."""
        return ["duration", "offset"]

    def where(self, index: int) -> str:
        """Return the audio file, the manifest and the line."""
        return self._entries.where(index)

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        self._audio.close()
