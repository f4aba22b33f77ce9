"""The choice of the components of a sample that become outputs, and of their types."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import ArgumentError, SourceError
from ...engine.suggestions import unknown
from ...engine.tensors.dtypes import to_numpy_type
from ..archives.tar_index import ArchiveIndex
from ..storage.storage import Storage
from .text_numbers import holds_labels, holds_numbers

MISSING = ("empty", "skip", "error")
"""The values of `missing_component_behavior`: the treatment of a sample that lacks a component."""


@dataclass(frozen=True)
class ComponentOutput:
    """The rule for the components of an output.

    Attributes:
        dtype: dtype of the elements that a component's bytes are.
        is_text: whether a component of printable characters is a decimal number instead.
    """

    dtype: np.dtype[Any]
    is_text: bool


@dataclass(frozen=True)
class Archive:
    """A file, its index, and the components that are read.

    Attributes:
        chosen: component of each sample that is read and each output, or -1:
            int64 (samples, outputs).
        numbers: number in the index of each sample that is read.
    """

    storage: Storage
    index: ArchiveIndex
    chosen: Int64s
    numbers: Int64s


def outputs_of(owner: str, ext: Sequence[str], dtypes: Sequence[Any]) -> list[ComponentOutput]:
    """Return the outputs of a reader; warn of labels that nobody asked to have as characters.

    Args:
        owner: the reader, for messages.
        ext: extensions of each output.
        dtypes: dtype of each output, or none.

    Raises:
        ArgumentError: the numbers of entries differ, or a type cannot be read.
    """
    types = _types(ext, dtypes)
    if len(types) != len(ext) or not ext:
        raise ArgumentError(
            f"{owner}: {len(types)} dtypes for {len(ext)} outputs; `ext` and "
            "`dtypes` must have an entry each for every output"
        )
    if np.dtype(np.bool_) in types:
        raise ArgumentError(f"{owner}: bytes cannot be taken for BOOL, but for UINT8")
    labels = [entry for entry in ext if holds_labels(entry)]
    if labels and not dtypes:
        names = ", ".join("types.INT32" if entry in labels else "types.UINT8" for entry in ext)
        warnings.warn(
            f"{owner}: {labels[0]!r} components are decimal text, and without `dtypes` they are "
            "handed out as the codes of its characters, 49 for '1'. "
            f"dtypes=[{names}] gives numbers, UINT8 in all places the codes without this warning",
            stacklevel=2,
        )
    return component_outputs(ext, dtypes)


def component_outputs(ext: Sequence[str], dtypes: Sequence[Any]) -> list[ComponentOutput]:
    """Return the outputs of arguments that `outputs_of` has checked."""
    return [
        ComponentOutput(dtype, holds_numbers(entry, dtype))
        for entry, dtype in zip(ext, _types(ext, dtypes), strict=True)
    ]


def _types(ext: Sequence[str], dtypes: Sequence[Any]) -> list[np.dtype[Any]]:
    return [to_numpy_type(dtype) for dtype in dtypes] or [np.dtype(np.uint8)] * len(ext)


def chosen_archives(
    storages: Sequence[Storage],
    indexes: Sequence[ArchiveIndex],
    ext: Sequence[str],
    missing: str,
    *,
    case_sensitive: bool | None = None,
    tells: bool = True,
) -> list[Archive]:
    """Return the archives with the components that are read; see `open_archives`.

    Without `tells`, archives may lack what is asked for, and no warning is given.

    Raises:
        ArgumentError: without `case_sensitive`, an entry of `ext` fits two components of a sample
            that differ in case, and is neither of them.
        SourceError: a sample lacks a component although `missing` is "error", or there is none.
    """
    archives = []
    doubled: list[tuple[int, str]] = []
    for storage, index in zip(storages, indexes, strict=True):
        chosen = _choose(index, ext, case_sensitive=case_sensitive is not False)
        if case_sensitive is None and (chosen < 0).any():
            in_any_case = np.where(chosen < 0, _choose(index, ext, case_sensitive=False), -1)
            _refuse_ambiguous(storage, index, in_any_case, ext)
            chosen = np.where(chosen < 0, in_any_case, chosen)
        doubled += _doubled(storage, index, chosen)
        numbers = _samples(storage, index, chosen, ext, missing)
        archives.append(Archive(storage, index, chosen[numbers], numbers))
    if tells:
        _check_extensions(archives, ext)
    if doubled and tells:
        warnings.warn(
            f"{sum(count for count, _ in doubled):,} samples have two components of one name, of "
            f"which the first is read, such as {doubled[0][1]}; write the archives anew",
            RuntimeWarning,
            stacklevel=2,
        )
    return archives


def without(archive: Archive, keys: frozenset[bytes]) -> Archive:
    """Return an archive without the samples of some keys.

    Raises:
        SourceError: it has no sample of one of them.
    """
    if not keys:
        return archive
    stored = [archive.index.keys[number] for number in archive.numbers.tolist()]
    if missing := keys.difference(archive.index.keys.take(np.arange(len(archive.index)))):
        raise SourceError(
            f"{archive.storage.name} has no sample {os.fsdecode(min(missing))!r}, which "
            "'exclude' of its metadata leaves out: the archive was changed, or the key is wrong"
        )
    kept = np.array([key not in keys for key in stored], np.bool_)
    return replace(archive, chosen=archive.chosen[kept], numbers=archive.numbers[kept])


def _refuse_ambiguous(
    storage: Storage, index: ArchiveIndex, in_any_case: Int64s, ext: Sequence[str]
) -> None:
    """Raise ArgumentError if samples have a second component that differs in case alone.

    Args:
        storage, index, ext: as those of `chosen_archives`.
        in_any_case: what was found without regard to case for each sample and output, or -1.
    """
    folded: dict[bytes, int] = {}
    extensions = [*index.extensions]
    numbers = [folded.setdefault(name.lower(), len(folded)) for name in extensions]
    if len(folded) == len(extensions):
        return
    kinds = index.extension_numbers
    names = np.array(numbers, np.int64)[kinds]
    sample_of = np.repeat(np.arange(len(index)), np.diff(index.firsts))
    for entry, components in zip(ext, in_any_case.T, strict=True):
        found = components[sample_of]
        other = (found >= 0) & (names == names[found]) & (kinds != kinds[found])
        if not other.any():
            continue
        second = int(np.argmax(other))
        pair = [os.fsdecode(extensions[kinds[number]]) for number in (found[second], second)]
        sample = int(sample_of[second])
        raise ArgumentError(
            f"{storage.name}, sample {sample} {os.fsdecode(index.keys[sample])!r} has the "
            f"components {pair[0]!r} and {pair[1]!r}, and {entry!r} of `ext` fits both without "
            f"case: write it as one of them, or as {';'.join(pair)!r} for the first of each sample"
        )


def _doubled(storage: Storage, index: ArchiveIndex, chosen: Int64s) -> list[tuple[int, str]]:
    """Return how many samples have a chosen component twice, and the first; [] if none has."""
    kinds = index.extension_numbers
    sample_of = np.repeat(np.arange(len(index)), np.diff(index.firsts))
    doubled = np.zeros(len(index), np.bool_)
    for components in chosen.T if len(kinds) else ():
        read = np.where(components >= 0, kinds[components], -1)
        same = sample_of[kinds == read[sample_of]]
        doubled |= np.bincount(same, minlength=len(index)) > 1
    if not doubled.any():
        return []
    first = int(np.argmax(doubled))
    place = f"sample {first} {os.fsdecode(index.keys[first])!r} of {storage.name}"
    return [(int(doubled.sum()), place)]


def _group(entry: str, case_sensitive: bool) -> frozenset[bytes]:
    names = os.fsencode(entry).split(b";")
    return frozenset(names if case_sensitive else map(bytes.lower, names))


def _choose(index: ArchiveIndex, ext: Sequence[str], *, case_sensitive: bool) -> Int64s:
    """Return the component for each sample and output: the first that matches, or -1."""
    groups = [_group(entry, case_sensitive) for entry in ext]
    extensions: Iterable[bytes] = index.extensions
    if not case_sensitive:
        extensions = [extension.lower() for extension in extensions]
    extensions = list(extensions)
    sample_of = np.repeat(np.arange(len(index)), np.diff(index.firsts))
    chosen = np.full((len(index), len(groups)), -1, np.int64)
    for output, group in enumerate(groups):
        wanted = np.array([extension in group for extension in extensions], np.bool_)
        components = np.flatnonzero(wanted[index.extension_numbers])[::-1]
        chosen[sample_of[components], output] = (
            components  # the last assignment stays: the first file
        )
    return chosen


def _samples(
    storage: Storage, index: ArchiveIndex, chosen: Int64s, ext: Sequence[str], missing: str
) -> Int64s:
    """Return the numbers of the samples to read."""
    lacking = chosen < 0
    if missing == "empty":
        return np.arange(len(index))
    if missing == "error" and lacking.any():
        sample, output = np.argwhere(lacking)[0].tolist()
        stored = ", ".join(index.extensions_of(sample)) or "none"
        raise SourceError(
            f"{storage.name}, sample {sample} {os.fsdecode(index.keys[sample])!r} has no component "
            f"{_named(ext[output], set(index.extensions_of(sample)))} (it has {stored}). "
            "missing_component_behavior='skip' leaves out such samples, 'empty' gives empty arrays"
        )
    return np.flatnonzero(~lacking.any(axis=1))


def _check_extensions(archives: Sequence[Archive], ext: Sequence[str]) -> None:
    """Raise SourceError if there is no sample; warn of outputs that no sample has."""
    stored = {os.fsdecode(name) for archive in archives for name in archive.index.extensions}
    name = f"{archives[0].storage.name}{' ...' * (len(archives) > 1)}"
    if not any(len(archive.numbers) for archive in archives):
        wanted = " and ".join(_named(entry, stored) for entry in ext)
        raise SourceError(
            f"{name}: no sample has the components {wanted}; the extensions are {_listed(stored)}"
        )
    for output, entry in enumerate(ext):
        if not any((archive.chosen[:, output] >= 0).any() for archive in archives):
            warnings.warn(
                f"{name}: all arrays of this output are empty, because no sample has a component "
                f"{_named(entry, stored)} (the extensions are {_listed(stored)})",
                stacklevel=2,
            )


def warn_of_missing(archives: Sequence[Archive], ext: Sequence[str]) -> None:
    """Warn of samples that lack a component that others have, so that their arrays are empty."""
    total = sum(len(archive.numbers) for archive in archives)
    for output, entry in enumerate(ext):
        lacking = [np.flatnonzero(archive.chosen[:, output] < 0) for archive in archives]
        count = sum(map(len, lacking))
        if not 0 < count < total:
            continue
        first = next(number for number, rows in enumerate(lacking) if len(rows))
        archive, sample = archives[first], int(archives[first].numbers[lacking[first][0]])
        key = os.fsdecode(archive.index.keys[sample])
        warnings.warn(
            f"{count:,} of {total:,} samples have no component {entry!r}, so their arrays are "
            f"empty; the first is sample {sample} {key!r} of {archive.storage.name}. "
            "missing_component_behavior='empty' says that this is right; 'skip' leaves such "
            "samples out, and 'error' refuses them",
            RuntimeWarning,
            stacklevel=2,
        )


def _named(entry: str, stored: set[str]) -> str:
    """Return an entry of `ext` for a message, with the extension that may be meant.

    >>> _named("jpg;jpeg", {"JPEG", "cls"})
    "'jpg;jpeg'; did you mean 'JPEG'? (case_sensitive_extensions=False finds it)"
    >>> _named("cls", {"JPEG", "cls"})
    "'cls'"
    >>> _named("jpg", {"JPEG", "cls"})
    "'jpg'; did you mean 'JPEG'?"
    """
    names = entry.split(";")
    if stored.intersection(names):
        return repr(entry)
    by_case = sorted(other for other in stored if other.lower() in map(str.lower, names))
    if by_case:
        remedy = "(case_sensitive_extensions=False finds it)"
        return f"{entry!r}; did you mean {by_case[0]!r}? {remedy}"
    near = (unknown(name, stored).removeprefix(repr(name)) for name in names)
    return repr(entry) + next(filter(None, near), "")


def _listed(extensions: set[str]) -> str:
    return ", ".join(sorted(extensions)[:20]) or "none"
