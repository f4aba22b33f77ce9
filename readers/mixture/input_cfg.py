"""The sources of a mixture as NeMo's `input_cfg` lists them.

    - type: nemo_tarred                     or nemo; lhotse and lhotse_shar have a `shar_path`
      manifest_filepath: en/manifest__OP_0..63_CL_.json
      tarred_audio_filepaths: en/audio__OP_0..63_CL_.tar
      weight: 0.6
      tags: {lang: en}
    - type: group                           its weights are shares of its own weight
      weight: 0.4
      input_cfg: [...]                      or the path of another such file

As in NeMo, a list has a weight for each entry, or none, which gives all the same share. An entry
may list several paths: they are one source, or with `[path, weight]` for each, a source each.
`reweight_temperature` beside the list is the exponent of all weights, and a list of such numbers
has one for each level of groups. `sample_rate`, `min_duration` and `max_duration` beside the list
are arguments of the readers. Paths are those of the program, not of the file. Tags, and notes on
how NeMo reads and forms batches, change no sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf, isfinite
from typing import Any

from ...engine.errors import SourceError
from ...engine.order.shares import exact_numbers
from ..storage.opening import read_whole
from ..storage.urls import place_of
from ..webdataset.energon import loaded

ARCHIVES = "tarred_audio_filepaths"
_MANIFESTS = {
    "nemo": "manifest_filepath",
    "nemo_tarred": "manifest_filepath",
    "lhotse": "shar_path",
    "lhotse_shar": "shar_path",
}
"""The key that names the manifests of a source, by its type."""

_NO_AUDIO = "it has texts, and no audio: read it by fn.readers.map_dataset"
_TURNS = "it has conversations of several turns: write the turns as entries of a manifest of NeMo"
_OTHERS = {
    **dict.fromkeys(("txt", "txt_jsonl", "txt_pair", "nemo_sft_jsonl"), _NO_AUDIO),
    **dict.fromkeys(("nemotron_text_converation", "materialized_sft_messages"), _NO_AUDIO),
    **dict.fromkeys(("multimodal_conversation", "share_gpt"), _TURNS),
    **dict.fromkeys(("lhotse_as_conversation", "s2s_as_conversation"), _TURNS),
    "share_gpt_webdataset": "it has tar archives: name fn.readers.webdataset in fn.readers.mix",
}
"""Types of NeMo that are refused, and what can be done."""

_NOTES = (
    *("type", "weight", "tags", "lang_field", "shuffle", "shard_seed", "metadata_only"),
    *("force_finite", "max_open_streams", "slice_length", "fault_tolerant_audio_loading"),
    *("force_map_dataset", "force_iterable_dataset", "indexed", "indexes_root", "index_pack"),
    *("index_pack_root", "index_pack_max_open_files", "audio_locator_tag"),
    "token_equivalent_duration",
)

_OF_READERS = ("sample_rate", "min_duration", "max_duration")
"""Keys beside the list that are arguments of `fn.readers.nemo_asr`."""

_SAMPLINGS: Mapping[str, Sequence[Any]] = {
    "text_field": ("text",),
    **dict.fromkeys(("min_tps", "min_tpt", "min_tokens"), (-1, 0)),
    **dict.fromkeys(("max_tps", "max_tpt", "max_tokens"), (inf,)),
    **dict.fromkeys(("skip_missing_manifest_entries", "tarred_random_access"), (False,)),
    **dict.fromkeys(("perturb_speed", "concatenate_samples", "rir_enabled"), (False,)),
    **dict.fromkeys(("noise_path", "channel_selector"), ()),
    **dict.fromkeys(("truncate_duration", "cut_into_windows_duration", "pad_min_duration"), ()),
}
"""Keys beside the list by which NeMo changes samples, and the values that change none."""

_DEEPEST = 16
"""Files and groups inside of one another: more are a file that names itself."""


class InputConfig:
    """The sources of an `input_cfg`.

    Args:
        name: of the file, for messages.
        entries: the list, or the path of a file that has it.
        arguments: of the readers of all sources.
        temperatures: exponents of the weights: one for all levels, or one for each.

    Attributes:
        sources: arguments of `fn.readers.nemo_asr` by the source's name, which is its manifest.
        weights: shares of the sources, which sum to 1.

    Raises:
        SourceError: an entry is damaged, or asks for what Penstock does not do.
    """

    def __init__(
        self, name: str, entries: Any, arguments: Mapping[str, Any], temperatures: Any = None
    ) -> None:
        self.sources: dict[str, dict[str, Any]] = {}
        self.weights: dict[str, Fraction] = {}
        self._arguments = arguments
        self._temperatures = _exponents(name, temperatures)
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
            kind = entry.get("type") if isinstance(entry, Mapping) else None
            if kind not in (*_MANIFESTS, "group"):
                remedy = f". Of {kind!r}: {_OTHERS[kind]}" if kind in _OTHERS else ""
                raise SourceError(
                    f"{name}: {entry!r:.200} is no source of a type that Penstock reads, which are "
                    f"{', '.join(_MANIFESTS)} and group{remedy}"
                )
        given = [entry.get("weight") for entry in entries]
        if None in given and any(weight is not None for weight in given):
            raise SourceError(f"{name}: give each source of a list a weight, or none of them")
        weights = _exact(name, [1 if weight is None else weight for weight in given])
        if None not in given:
            weights = self._tempered(name, weights, depth)
        for entry, weight in zip(entries, weights, strict=True):
            own = share * weight / (sum(weights) or 1)
            if entry["type"] == "group":
                _check_keys(name, entry, ("input_cfg",))
                self._add(name, entry.get("input_cfg"), own, depth + 1)
            else:
                self._add_entry(name, entry, own)

    def _tempered(self, name: str, weights: list[Fraction], depth: int) -> list[Fraction]:
        """Return the weights of a list as its level's temperature makes them."""
        if not self._temperatures:
            return weights
        if len(self._temperatures) > 1 and depth >= len(self._temperatures):
            raise SourceError(
                f"{name}: reweight_temperature has {len(self._temperatures)} numbers, and groups "
                "have more levels; give one for each level"
            )
        exponent = self._temperatures[min(depth, len(self._temperatures) - 1)]
        if not all(weights):
            raise SourceError(f"{name}: reweight_temperature needs weights above 0; leave out 0")
        try:
            tempered = [Fraction(float(weight) ** exponent) for weight in weights]
        except OverflowError:
            tempered = [Fraction(0)]
        if not all(tempered):
            raise SourceError(
                f"{name}: reweight_temperature {exponent:g} makes a weight too large or too small "
                "to be a number; give weights nearer to 1"
            )
        return tempered

    def _add_entry(self, name: str, entry: Mapping[str, Any], share: Fraction) -> None:
        """Enter the sources of an entry: one, or one for each of several paths with weights."""
        key = _MANIFESTS[entry["type"]]
        other = "cuts_path" if key == "shar_path" else ARCHIVES
        _check_keys(name, entry, (key, "text_field", other))
        if entry.get("text_field", "text") != "text":
            raise SourceError(
                f"{name}: text_field={entry['text_field']!r:.80}: fn.readers.nemo_asr reads 'text' "
                "alone; name the field so in the manifest"
            )
        paths, weights = _paths(name, entry, key)
        archives: list[str] | None = None
        if entry["type"] == "nemo_tarred" or entry.get(ARCHIVES) is not None:
            archives, _ = _paths(name, entry, ARCHIVES)
        if not weights:
            self._add_source(name, paths, archives, share)
            return
        if archives is not None and len(archives) != len(paths):
            raise SourceError(
                f"{name}: {key!r} has {len(paths)} manifests with weights, and {ARCHIVES!r} "
                f"{len(archives)} paths; give as many"
            )
        exact = _exact(name, weights)
        for i, path in enumerate(paths):
            own = share * exact[i] / (sum(exact) or 1)
            self._add_source(name, [path], archives and [archives[i]], own)

    def _add_source(
        self, name: str, paths: list[str], archives: list[str] | None, share: Fraction
    ) -> None:
        arguments = {**self._arguments, "manifest_filepaths": paths}
        if archives is not None:
            arguments[ARCHIVES] = archives
        source = ", ".join(paths)
        if self.sources.setdefault(source, arguments) != arguments:
            raise SourceError(f"{name} lists {source!r:.100} twice, with different archives")
        self.weights[source] = self.weights.get(source, Fraction(0)) + share


def arguments_beside(
    name: str, content: Mapping[str, Any], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of the readers, with those that stand beside the list of a file.

    Raises:
        SourceError: a key beside the list changes samples as Penstock does not.
    """
    for word, usual in _SAMPLINGS.items():
        if content.get(word) not in (None, *usual):
            raise SourceError(
                f"{name} has {word} {content[word]!r:.100} beside 'input_cfg', which Penstock does "
                "not do; leave it out, and change the manifests or the pipeline in its place"
            )
    own = {word: content[word] for word in _OF_READERS if content.get(word) is not None}
    return {**own, **arguments}


def _exact(name: str, weights: Sequence[Any]) -> list[Fraction]:
    named = {str(i): weight for i, weight in enumerate(weights)}
    return [*exact_numbers(f"{name}: weight", named).values()]


def _exponents(name: str, temperatures: Any) -> list[float]:
    given = [] if temperatures is None else temperatures
    given = given if isinstance(given, list) else [given]
    if not all(isinstance(each, int | float) and isfinite(each) and each >= 0 for each in given):
        raise SourceError(
            f"{name}: reweight_temperature is {temperatures!r:.80}; expected a number from 0 on, "
            "or a list of them"
        )
    return [float(each) for each in given]


def _paths(name: str, entry: Mapping[str, Any], key: str) -> tuple[list[str], list[Any]]:
    """Return the paths that an entry lists, and the weight of each; [] where they have none."""
    given = entry.get(key)
    listed = [[each] if isinstance(each, str) else each for each in _as_list(given)]
    paths = [each[0] for each in listed if isinstance(each, list) and each]
    weights = [each[1] for each in listed if isinstance(each, list) and len(each) == 2]
    if (
        not listed
        or len(paths) < len(listed)
        or not all(isinstance(path, str) for path in paths)
        or any(len(each) > 2 for each in listed)
        or len(weights) not in (0, len(paths))
    ):
        remedy = ""
        if key == "shar_path" and "cuts_path" in entry:
            remedy = ". cuts_path is not read: write the cuts as Shar, by lhotse's CutSet.to_shar"
        raise SourceError(
            f"{name}: {key!r} of a source of the type {entry['type']!r} is {given!r:.80}; "
            f"expected a path, or a list of paths, or of [path, weight]{remedy}"
        )
    return paths, weights


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _check_keys(name: str, entry: Mapping[str, Any], wanted: Sequence[str]) -> None:
    known = (*wanted, *_NOTES)
    if odd := [str(key) for key in entry if key not in known]:
        raise SourceError(
            f"{name}: a source of the type {entry['type']!r} has {odd[0]!r:.100}, which Penstock "
            f"does not read; {', '.join(known)} are read"
        )
