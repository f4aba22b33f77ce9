"""The outputs of a batch, and the samples of a data set, ready to be drawn."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...datasets import Dataset, Sample
from ...datasets.manifest import read_manifest
from ...datasets.media import medium_of
from ...datasets.reading import size_of
from ...datasets.sample import array_of
from ...engine.errors import SourceError
from ...engine.tensors import TensorList
from .annotations import with_annotations_drawn
from .encoded import decoded
from .overlays import SIZES
from .roles import Output, Role, with_roles
from .tiles import SampleText

_MOST_CLASSES = 1 << 20
"""Labels above are no numbers of class folders."""

_LABELS = {"label", "labels"}
"""Components that tell the class of a sample, or those of its boxes."""

_LOOKED_AT, _LOOKED_AT_BYTES = 16, 64 << 20
"""Samples that tell labels, for each one that is shown, and about the bytes that they have."""

_BEHIND_PATH = re.compile(r" at (?:key|index) |:\d+:|, ")
"""What readers tell of a sample behind the path of its file."""


def of_batch(
    batch: Sequence[TensorList], count: int, known: Sequence[tuple[str, ...]] = ()
) -> tuple[list[Output], list[SampleText]]:
    """Return the first `count` samples of a batch.

    Args:
        batch: the outputs.
        count: of samples.
        known: names of classes that a reader knows; the first ones that fit the labels are shown.
    """
    outputs, keys = [], list[str]()
    for number, samples in enumerate(batch):
        rows = [np.array(row) for row in samples.as_cpu().rows()[:count]]
        outputs.append(Output(f"output {number}", rows, samples.layout()))
        keys = keys if any(keys) else samples.source_info()[:count]
    drawn = with_roles([decoded(output) for output in outputs])
    label = next((output.rows for output in drawn if output.role == Role.LABEL), [])
    labels = [int(row.item()) for row in label]
    names = class_names(keys, labels, known) if labels and len(labels) == len(keys) else ()
    return drawn, [SampleText(row, key, names) for row, key in enumerate(_shortened(keys))]


def of_dataset(dataset: Dataset, indices: Sequence[int]) -> tuple[list[Output], list[SampleText]]:
    """Return samples of a data set."""
    samples = dataset.read(indices)
    names = list(dict.fromkeys(name for sample in samples for name in sample.components))
    outputs = [decoded(_component(name, samples, dataset.format)) for name in names]
    outputs = with_annotations_drawn(outputs, samples)
    known = [
        SampleText(index, sample.key, dataset.classes)
        for index, sample in zip(indices, samples, strict=True)
    ]
    return with_roles(outputs), known


def by_turns(dataset: Dataset, count: int) -> list[int]:
    """Return the numbers of `count` samples, of each class one after the other.

    Where labels are not known beforehand, a few samples that are spread over the data set tell
    them. Without labels, the samples are spread.
    """
    labels = dataset.stored.labels
    numbers = np.arange(len(dataset))
    if labels is None and len(dataset):
        few = _LOOKED_AT * count if _LABELS & set(dataset.schema) else count
        few = max(count, min(few, _LOOKED_AT_BYTES // (size_of(dataset.read([0])[0]) + 1)))
        spread = np.linspace(0, len(dataset) - 1, min(few, len(dataset)))
        numbers = np.unique(spread.astype(np.int64))
        labels = np.array([_label_of(sample) for sample in dataset.read(numbers)])
    if labels is None:
        return []
    order = np.argsort(labels, kind="stable")  # class by class
    first = np.searchsorted(labels[order], labels[order])
    turn = np.arange(len(labels)) - first
    chosen: list[int] = numbers[order[np.lexsort((labels[order], turn))][:count]].tolist()
    return chosen


def _label_of(sample: Sample) -> int:
    """Return the label of a sample, or of the first of its boxes; else -1."""
    label = sample.components.get("label")
    if isinstance(label, int):
        return label
    of_boxes = sample.components.get("labels")
    return int(of_boxes.flat[0]) if isinstance(of_boxes, np.ndarray) and of_boxes.size else -1


def class_names(
    keys: Sequence[str], labels: Sequence[int], known: Sequence[tuple[str, ...]] = ()
) -> tuple[str, ...]:
    """Return the names of the classes of the data set that a batch comes from; else ().

    They are those that the reader knows, or that the manifest of the data set tells. Of files that
    a list names, the folders are the names if the batch does not speak against it.

    Args:
        keys: locations of the samples, as the reader tells them.
        labels: of the samples.
        known: by a reader.
    """
    folders = [os.path.basename(os.path.dirname(key)) for key in keys]
    for names in (*known, _names_of_manifest(keys[0])):
        if min(labels) >= 0 and max(labels) < len(names):
            pairs = zip(labels, folders, strict=True)
            if all(names[label] == name for label, name in pairs if name in names):
                return names
    return _names_of_folders(folders, labels)


def _names_of_manifest(key: str) -> tuple[str, ...]:
    """Return the names that the manifest beside a shard tells, or the manifest of its folder."""
    path = _BEHIND_PATH.split(key, maxsplit=1)[0]
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    if not os.path.isabs(folder):  # it is below the folder of a reader, or a URL
        return ()
    try:
        manifest = read_manifest(Path(folder))
    except (SourceError, OSError):
        return ()
    return manifest.classes if manifest else ()


def _names_of_folders(folders: Sequence[str], labels: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the folders if the labels number them by their order; else ()."""
    by_label = dict(zip(labels, folders, strict=True))
    numbers = sorted(by_label)
    names = [os.fsencode(by_label[number]) for number in numbers]
    fits = (
        len(numbers) > 1
        and numbers[0] >= 0
        and numbers[-1] < _MOST_CLASSES
        and all(names)
        and names == sorted(set(names))
        and all(by_label[label] == name for label, name in zip(labels, folders, strict=True))
    )
    return tuple(by_label.get(number, "") for number in range(numbers[-1] + 1)) if fits else ()


def media_files(path: str) -> list[str]:
    """Return a file of an image, sound or video, or those that lie loosely in a folder."""
    files = sorted(entry.path for entry in os.scandir(path)) if os.path.isdir(path) else [path]
    return [file for file in files if medium_of(file.rpartition(".")[2]) and os.path.isfile(file)]


def of_files(files: Sequence[str]) -> tuple[list[Output], list[SampleText]]:
    """Return files of images, sound or video: one output for each medium."""
    media = [medium_of(file.rpartition(".")[2]) for file in files]
    contents = [np.fromfile(file, np.uint8) for file in files]
    outputs = []
    for medium in dict.fromkeys(media):
        pairs = zip(media, contents, strict=True)
        rows = [
            data if file_medium == medium else np.empty(0, np.uint8) for file_medium, data in pairs
        ]
        outputs.append(decoded(Output(medium, rows)))
    known = [SampleText(number, key) for number, key in enumerate(_shortened(files))]
    return with_roles(outputs), known


def _component(name: str, samples: Sequence[Sample], format: str) -> Output:
    values = [sample.components.get(name) for sample in samples]
    first = next(value for value in values if value is not None)
    missing = np.empty((0,) * array_of(first).ndim, array_of(first).dtype)
    rows = [missing if value is None else array_of(value) for value in values]
    layout = SIZES if (format, name) == ("coco", "boxes") else ""
    return Output(name, rows, layout, Role.TEXT if isinstance(first, str) else Role.UNKNOWN)


def _shortened(keys: Sequence[str]) -> list[str]:
    """Return locations without the folders that all of them share.

    >>> _shortened(["/data/cats/1.jpg", "/data/dogs/2.jpg"]), _shortened(["a/1.jpg"])
    (['cats/1.jpg', 'dogs/2.jpg'], ['1.jpg'])
    """
    if not keys:
        return []
    first, last = min(keys), max(keys)
    pairs = zip(first, last, strict=False)
    shared = next((i for i, (a, b) in enumerate(pairs) if a != b), len(first))
    start = first.rfind("/", 0, shared) + 1
    return [key[start:] for key in keys]
