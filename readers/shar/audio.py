"""The recordings of a Shar data set, for `fn.readers.nemo_asr`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.errors import SourceError
from ...formats.nemo import parse_manifest
from ..listing.folder import Folder
from ..nemo.entries import NemoEntries
from ..source import Allocate, Column
from ..storage.damage import STRICT, Damages
from ..storage.urls import is_url, place_of, shown
from .fields import FieldData
from .folder import RECORDING, cuts_of, shar_shards


def is_shar(path: str, options: Mapping[str, object] | None = None) -> bool:
    """Return whether a path, or a URL with a slash at its end, is a folder of a Shar data set."""
    place = place_of(path)
    if is_url(path) and not path.endswith("/"):
        return False
    folder = Folder(place, options or {})
    return folder.has("cuts*.jsonl*") and folder.has("*.tar")


class SharAudio:
    """The encoded recordings of cuts; see `AudioBytes`."""

    def __init__(self, field: FieldData, rows: Int64s) -> None:
        """Take the recordings of all cuts, and which cuts are the entries."""
        self._field = field
        self._rows = rows

    def read(self, indices: Int64s, allocate: Allocate) -> Column:
        return self._field.read(self._rows[indices], allocate)

    def is_segment(self) -> NDArray[np.bool_]:
        return np.zeros(len(self._rows), np.bool_)

    def close(self) -> None:
        self._field.close()


def open_shar(
    paths: Sequence[str], options: Mapping[str, object] | None = None, damages: Damages = STRICT
) -> tuple[NemoEntries, FieldData]:
    """Return the cuts of Shar data sets as entries, and their recordings.

    The window of an entry is that of its cut in the recording.

    Raises:
        SourceError: cuts and recordings differ, there are no recordings, or a file is damaged.
    """
    shards = []
    for place in map(place_of, paths):
        own = shar_shards(place, options)
        if any(RECORDING not in shard.fields for shard in own):
            raise SourceError(f"{place} has no field {RECORDING!r}, so it holds no audio")
        shards += own
    manifests, ids = [], []
    for shard in shards:
        cuts = [cut for _, cut in cuts_of(shard.cuts, options)]
        lines: Sequence[bytes] = [
            json.dumps(
                {
                    "audio_filepath": cut.id,
                    "offset": cut.start,
                    "duration": cut.duration,
                    "text": cut.text,
                }
            ).encode()
            for cut in cuts
        ]
        manifests.append(parse_manifest(lines, shown(shard.cuts)))
        ids.append([cut.id for cut in cuts])
    counts = [len(own) for own in ids]
    entries = NemoEntries(
        tuple(manifests),
        ("",) * len(manifests),
        np.repeat(np.arange(len(counts)), counts),
        np.concatenate([np.arange(count) for count in counts]),
        np.arange(sum(counts)),
    )
    return entries, FieldData(RECORDING, shards, ids, options, damages)
