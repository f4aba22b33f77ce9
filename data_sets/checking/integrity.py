"""Finding the damaged files and samples of a data set."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import DecodeError, PenstockError, SourceError
from ...readers.storage.damage import is_of_data
from ...readers.storage.opening import opened
from ..dataset import Dataset
from ..formats.hashed_file import sha256_of
from ..manifest import NAME, is_foreign, path_below
from ..media import AUDIO, IMAGE, medium_of
from ..sample import Encoded, Sample
from .bad_samples import FILE, BadSample


def read_intact(dataset: Dataset, indices: Int64s, *, decoding: bool) -> list[Sample | BadSample]:
    """Return samples, and a `BadSample` for each one that cannot be read or decoded.

    Raises:
        OSError, PenstockError: the machine or a service fails, and no sample is to blame.
    """
    try:
        samples: list[Sample | BadSample] = list(dataset.read(indices))
    except (OSError, PenstockError) as error:
        if not is_of_data(error):
            raise
        if len(indices) == 1:
            return [_bad(dataset, int(indices[0]), error)]
        return [
            sample
            for number in range(len(indices))
            for sample in read_intact(dataset, indices[number : number + 1], decoding=decoding)
        ]
    if not decoding:
        return samples
    pairs = zip(indices.tolist(), samples, strict=True)
    return [_decoded(dataset, index, sample) for index, sample in pairs]


def _bad(dataset: Dataset, index: int, error: Exception) -> BadSample:
    """Return a sample's error, which names the location once."""
    location = dataset.where(index)
    return BadSample(index, location, str(error).removeprefix(f"{location}: "))


def _decoded(dataset: Dataset, index: int, sample: Sample | BadSample) -> Sample | BadSample:
    try:
        if isinstance(sample, Sample):
            for value in sample.components.values():
                if isinstance(value, Encoded):
                    check_decodable(value)
            dataset.stored.check_decoded(sample)
    except DecodeError as error:
        return _bad(dataset, index, error)
    return sample


def check_decodable(encoded: Encoded) -> None:
    """Decode an image, or sound with the MD5 of its samples; pass over other files.

    Raises:
        DecodeError: the file is damaged, or of another format.

    >>> check_decodable(Encoded(b"P5 1 1 255 ", "pgm"))
    Traceback (most recent call last):
    ...
    penstock.engine.errors.DecodeError: ...
    """
    from ...decoders.audio.soundness import check_audio  # conversions need no decoders
    from ...decoders.image.decode import decode

    data = np.frombuffer(encoded.data, np.uint8)
    if medium_of(encoded.extension) == IMAGE:
        decode(data, output="ANY_DATA")
    elif medium_of(encoded.extension) == AUDIO:
        check_audio(data)


def miscounted(dataset: Dataset) -> Iterator[BadSample]:
    """Yield the manifest if it counts other samples than the files hold."""
    manifest = dataset.manifest
    if manifest is not None and len(dataset) != manifest.samples:
        reason = f"it counts {manifest.samples} samples, but the files hold {len(dataset)}"
        yield BadSample(FILE, str(dataset.place / NAME), reason)


def damaged_files(dataset: Dataset, known: Collection[str] = ()) -> Iterator[BadSample]:
    """Yield the files that do not have their digest, or not all samples, of the manifest.

    Formats may have digests of their own, without a manifest.

    The lists of loose files (see `writers.folder`) name files with their SHA-256, too. Files that
    are `known` to be damaged, or were found to be when they were opened, are left out.
    """
    known = {*known, *(damage.name for damage in dataset.damages.found)}
    for location, reason in dataset.stored.wrong_files():
        if location not in known:
            yield BadSample(FILE, location, reason)
    if dataset.manifest is None:
        return
    yield from (bad for bad in miscounted(dataset) if bad.location not in known)
    for shard in dataset.manifest.shards:
        for file in shard.files:
            path = str(dataset.place / file.name)
            if path in known or os.path.abspath(path) in known:
                continue
            yield from _compared(dataset, file.name, file.sha256)
            if file.name.endswith(".sha256"):
                yield from _damaged_of_list(dataset, file.name)


def _damaged_of_list(dataset: Dataset, listing: str) -> Iterator[BadSample]:
    with (
        suppress(OSError, SourceError),  # the list itself is a file of the manifest
        opened(dataset.place / listing, dataset.options) as lines,
    ):
        for line in lines:
            text = line.decode("utf-8", "backslashreplace")
            sha256, _, name = text.rstrip("\n").partition("  ")
            yield from _compared(dataset, name, sha256)


def _compared(dataset: Dataset, name: str, sha256: str) -> Iterator[BadSample]:
    """Compare one file with its SHA-256; names that lead out of the data set are not followed."""
    try:
        path = dataset.place / path_below(name)
    except ValueError as error:
        yield BadSample(FILE, str(dataset.place), f"a list of checksums is damaged: {error}")
        return
    try:
        stored = sha256_of(path, dataset.options)
    except (OSError, SourceError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        yield BadSample(FILE, str(path), f"the file cannot be read: {reason}")
        return
    if stored != sha256:
        yield BadSample(FILE, str(path), f"the SHA-256 is {stored}, but should be {sha256:.100}")


def remarks_on(dataset: Dataset) -> Iterator[str]:
    """Yield what cannot be checked, for lack of a checksum."""
    if dataset.manifest is None and is_foreign(dataset.place, dataset.options):
        yield (
            f"{dataset.place / NAME} was written by another program: the files were compared with "
            "no SHA-256"
        )
    elif dataset.manifest is not None and not dataset.manifest.is_checked:
        yield (
            f"{dataset.place / NAME} has no checksum of its own, because an earlier release wrote "
            "it: damage of its schema, or of the names of classes, cannot be noticed"
        )
