"""The sources of a mixture as NeMo's `input_cfg` lists them.

    - type: nemo_tarred                     or nemo, which has no tar archives; or lhotse_shar
      manifest_filepath: en/manifest__OP_0..63_CL_.json
      tarred_audio_filepaths: en/audio__OP_0..63_CL_.tar
      weight: 0.6
      tags: {lang: en}
    - type: group                           its weights are shares of its own weight
      weight: 0.4
      input_cfg: [...]                      or the path of another such file

As in NeMo, a list has a weight for each entry, or none, which gives all the same share. Paths are
those of the program, not of the file. Tags, and notes on how NeMo reads, change no sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ...engine.errors import SourceError
from ...engine.order.shares import exact_numbers
from ..storage.opening import read_whole
from ..storage.urls import place_of
from ..webdataset.energon import loaded

_ARGUMENTS = {
    "nemo": {"manifest_filepath": "manifest_filepaths"},
    "nemo_tarred": {
        "manifest_filepath": "manifest_filepaths",
        "tarred_audio_filepaths": "tarred_audio_filepaths",
    },
    "lhotse_shar": {"shar_path": "manifest_filepaths"},
}
"""Arguments of `fn.readers.nemo_asr` by the keys of each type of source."""

_NOTES = (
    *("type", "weight", "tags", "lang_field", "shuffle", "shard_seed", "metadata_only"),
    *("force_finite", "max_open_streams"),
)

_DEEPEST = 16
"""Files and groups inside of one another: more are a file that names itself."""


class InputConfig:
    """The sources of an `input_cfg`.

    Args:
        name: of the file, for messages.
        entries: the list, or the path of a file that has it.
        arguments: of the readers of all sources.

    Attributes:
        sources: arguments of `fn.readers.nemo_asr` by the source's name, which is its manifest.
        weights: shares of the sources, which sum to 1.

    Raises:
        SourceError: an entry is damaged, or asks for what Penstock does not do.
    """

    def __init__(self, name: str, entries: Any, arguments: Mapping[str, Any]) -> None:
        self.sources: dict[str, dict[str, Any]] = {}
        self.weights: dict[str, Fraction] = {}
        self._arguments = arguments
        self._add(name, entries, Fraction(1), 0)

    def _add(self, name: str, entries: Any, share: Fraction, depth: int) -> None:
        if depth > _DEEPEST:
            raise SourceError(f"{name}: more than {_DEEPEST} groups lie inside of one another")
        if isinstance(entries, str):
            place = place_of(entries)
            name = str(place)
            entries = loaded(name, read_whole(place, self._arguments.get("storage_options")))
        if not isinstance(entries, list) or not entries:
            raise SourceError(f"{name}: an input_cfg is no list of sources, or is empty")
        for entry in entries:
            if not isinstance(entry, Mapping) or entry.get("type") not in (*_ARGUMENTS, "group"):
                raise SourceError(
                    f"{name}: {entry!r:.200} is no source of a type that Penstock reads, which are "
                    f"{', '.join(_ARGUMENTS)} and group"
                )
        given = [entry.get("weight") for entry in entries]
        if None in given and any(weight is not None for weight in given):
            raise SourceError(f"{name}: give each source of a list a weight, or none of them")
        weights = exact_numbers(
            f"{name}: weight",
            {str(i): 1 if weight is None else weight for i, weight in enumerate(given)},
        ).values()
        for entry, weight in zip(entries, weights, strict=True):
            own = share * weight / (sum(weights) or 1)
            if entry["type"] == "group":
                _check_keys(name, entry, ("input_cfg",))
                self._add(name, entry.get("input_cfg"), own, depth + 1)
            else:
                self._add_source(name, entry, own)

    def _add_source(self, name: str, entry: Mapping[str, Any], share: Fraction) -> None:
        wanted = _ARGUMENTS[entry["type"]]
        _check_keys(name, entry, (*wanted, "text_field"))
        if entry.get("text_field", "text") != "text":
            raise SourceError(
                f"{name}: text_field={entry['text_field']!r:.80}: fn.readers.nemo_asr reads 'text' "
                "alone; name the field so in the manifest"
            )
        arguments = dict(self._arguments)
        for key, argument in wanted.items():
            paths = entry.get(key)
            paths = [paths] if isinstance(paths, str) else paths
            if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
                raise SourceError(
                    f"{name}: {key!r} of a source of the type {entry['type']!r} is {paths!r:.80}; "
                    "expected a path, or a list of paths"
                )
            arguments[argument] = paths
        source = ", ".join(arguments["manifest_filepaths"])
        if self.sources.setdefault(source, arguments) != arguments:
            raise SourceError(f"{name} lists {source!r:.100} twice, with different archives")
        self.weights[source] = self.weights.get(source, Fraction(0)) + share


def _check_keys(name: str, entry: Mapping[str, Any], wanted: Sequence[str]) -> None:
    known = (*wanted, *_NOTES)
    if odd := [str(key) for key in entry if key not in known]:
        raise SourceError(
            f"{name}: a source of the type {entry['type']!r} has {odd[0]!r:.100}, which Penstock "
            f"does not read; {', '.join(known)} are read"
        )
