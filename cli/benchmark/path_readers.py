"""The readers of data on disk, in the terms that Penstock and DALI share.

A format without a reader of its own is read sample by sample by `penstock.datasets`, as the source
of `fn.external_source`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...datasets import Dataset
from ...datasets.media import AUDIO, IMAGE, medium_of
from ...datasets.stored.arrays import StackSamples
from ...readers.recordio.reader import write_mxnet_index
from ...readers.storage.urls import Place, Url, place_of
from ...readers.tfrecord.index import write_tfrecord_index
from ...readers.webdataset.index import write_dali_index
from ..commands import CommandFailed
from .pipeline_library import PipelineLibrary
from .sample_source import SampleSource

Read = Callable[[PipelineLibrary], Sequence[Any]]

_FILES = {IMAGE: "jpg;jpeg;png;webp;bmp;tif;tiff;jp2", AUDIO: "flac;wav;ogg;opus;mp3"}
_ROWS = 1000
"""Consecutive rows of a table that are shuffled as one block, so that few groups are decoded."""

_OF_IMAGES = ("recordio", "caffe", "caffe2")
_OF_UTTERANCES = ("nemo", "nemo-tar")


def reader_of(dataset: Dataset, folder: str, *, decoding: bool) -> Read:
    """Return what adds the reader of a data set to a graph.

    Args:
        dataset: the data set.
        folder: where index files for DALI are written.
        decoding: whether samples are decoded, too; see `decodes`.
    """
    if not decoding and decodes(dataset):
        return _samples(dataset, folder)
    return _READERS.get(dataset.format, _samples)(dataset, folder)


def decodes(dataset: Dataset) -> bool:
    """Return whether the reader of the format decodes by itself."""
    return dataset.format in _OF_UTTERANCES


def medium(dataset: Dataset) -> str:
    """Return "image" or "audio", the medium of the reader's first output, or ""."""
    return IMAGE if dataset.format in _OF_IMAGES else _encoded(dataset)[1]


def _encoded(dataset: Dataset) -> tuple[str, str]:
    """Return name and medium of the first component with images or sound; ("", "") without one."""
    for name, each in dataset.schema.items():
        medium = medium_of(each.extension) or name
        if each.type == "encoded" and medium in _FILES:
            return name, medium
    return "", ""


def _folder(dataset: Dataset, _: str) -> Read:
    root = _whole(dataset.place)
    return lambda library: library.fn.readers.file(
        file_root=root, random_shuffle=True, name="reader"
    )


def _file_list(dataset: Dataset, _: str) -> Read:
    (path,) = dataset.stored.files() or [dataset.path]
    place = place_of(path)
    return lambda library: library.fn.readers.file(
        file_list=_whole(place), file_root=_whole(place.parent), random_shuffle=True, name="reader"
    )


def _whole(place: Place) -> str:
    """Return an absolute path, or a URL."""
    return place.text if isinstance(place, Url) else os.path.abspath(place)


def _tfrecord(dataset: Dataset, folder: str) -> Read:
    files = list(dataset.stored.files())
    names = [_encoded(dataset)[0] or next(iter(dataset.schema))]
    names += ["label"] if "label" in dataset.schema and names != ["label"] else []
    indexes = _Indexes("index_path", folder, files, write_tfrecord_index)

    def read(library: PipelineLibrary) -> Sequence[Any]:
        tfrecord = library.tfrecord
        features = {
            name: tfrecord.FixedLenFeature([1], tfrecord.int64, -1)
            if dataset.schema[name].type == "int"
            else tfrecord.FixedLenFeature((), tfrecord.string, "")
            for name in names
        }
        made = library.fn.readers.tfrecord(
            path=files, features=features, random_shuffle=True, name="reader", **indexes.of(library)
        )
        return [made[name] for name in names]

    return read


def _recordio(dataset: Dataset, folder: str) -> Read:
    files = list(dataset.stored.files())
    indexes = _Indexes("index_path", folder, files, write_mxnet_index)
    return lambda library: library.fn.readers.mxnet(
        path=files, random_shuffle=True, name="reader", **indexes.of(library)
    )


def _webdataset(dataset: Dataset, folder: str) -> Read:
    files = list(dataset.stored.files())
    present = _extensions(dataset)
    if not present:
        raise CommandFailed(f"{dataset.path}: no images, sound, text or labels in the archives", 2)
    indexes = _Indexes("index_paths", folder, files, write_dali_index)
    return lambda library: _as_list(
        library.fn.readers.webdataset(
            paths=files,
            ext=present,
            dtypes=[library.types.UINT8] * len(present),
            random_shuffle=True,
            name="reader",
            **indexes.of(library),
        )
    )


def _extensions(dataset: Dataset) -> list[str]:
    """Return the extensions of the components with images, sound, labels and text."""
    extensions = {**_FILES, "label": "cls", "text": "txt"}
    return [each for name, each in extensions.items() if name in dataset.schema]


def _caffe(dataset: Dataset, _: str) -> Read:
    files = dataset.stored.files()
    folders = [os.path.dirname(p) if os.path.basename(p) == "data.mdb" else p for p in files]
    return lambda library: getattr(library.fn.readers, dataset.format)(
        path=folders, random_shuffle=True, name="reader"
    )


def _coco(dataset: Dataset, _: str) -> Read:
    key = dataset.read([0])[0].key
    root, _, _ = dataset.where(0).rpartition(key)
    return lambda library: library.fn.readers.coco(
        file_root=root,
        annotations_file=dataset.stored.files()[0],
        random_shuffle=True,
        name="reader",
    )


def _lmdb(dataset: Dataset, folder: str) -> Read:
    several = len(dataset.schema) > 1  # else a value is a sample
    present = _extensions(dataset) if several else []
    if several and not present:
        return _samples(dataset, folder)

    def read(library: PipelineLibrary) -> Sequence[Any]:
        types = [library.types.INT64 if ext == "cls" else library.types.UINT8 for ext in present]
        components = {"ext": present, "dtypes": types} if present else {}
        return _as_list(
            library.fn.readers.lmdb(
                path=dataset.stored.files(), random_shuffle=True, name="reader", **components
            )
        )

    return _or_samples(read, dataset, folder)


def _parquet(dataset: Dataset, folder: str) -> Read:
    def read(library: PipelineLibrary) -> Sequence[Any]:
        return _as_list(
            library.fn.readers.parquet(
                path=dataset.stored.files(),
                columns=_components(dataset),
                shuffle_block=_ROWS,
                random_shuffle=True,
                name="reader",
            )
        )

    return _or_samples(read, dataset, folder)


def _or_samples(read: Read, dataset: Dataset, folder: str) -> Read:
    """Return `read` for Penstock; in DALI, which has no such reader, read sample by sample."""
    samples = _samples(dataset, folder)
    return lambda library: (read if library.name == "Penstock" else samples)(library)


def _arrays(dataset: Dataset, folder: str) -> Read:
    stored = dataset.stored
    if isinstance(stored, StackSamples):
        return lambda library: _stacks(library, dataset, stored)
    if len(dataset.schema) > 1:  # a sample is several members of an archive
        return _samples(dataset, folder)
    files = stored.files()

    def read(library: PipelineLibrary) -> Sequence[Any]:
        if dataset.format != "npy":
            _check_is_penstock(library, dataset)
        return [library.fn.readers.numpy(files=files, random_shuffle=True, name="reader")]

    return read


def _stacks(library: PipelineLibrary, dataset: Dataset, stored: StackSamples) -> Sequence[Any]:
    _check_is_penstock(library, dataset)
    return [  # of one order, because all have the same seed
        library.fn.readers.numpy(
            files=files,
            member_filter=member,
            sample_axis=0,
            random_shuffle=True,
            name="reader" if number == 0 else f"reader_{number}",
        )
        for number, (files, member) in enumerate(stored.parts.values())
    ]


def _utterances(dataset: Dataset, _: str) -> Read:
    files = dataset.stored.files()
    archives = [path for path in files if path.endswith(".tar")]
    manifests = [path for path in files if path not in archives]

    def read(library: PipelineLibrary) -> Sequence[Any]:
        if archives:
            _check_is_penstock(library, dataset)
        tarred = {"tarred_audio_filepaths": archives} if archives else {}
        sound = library.fn.readers.nemo_asr(
            manifest_filepaths=manifests,
            read_sample_rate=False,
            read_text=False,
            random_shuffle=True,
            name="reader",
            **tarred,
        )
        return _as_list(sound)

    return read


def _samples(dataset: Dataset, _: str) -> Read:
    names = _components(dataset)
    source = SampleSource(dataset, names)
    return lambda library: library.fn.external_source(
        source=source, num_outputs=len(names), batch=False
    )


def _components(dataset: Dataset) -> list[str]:
    """Return the names of the components to read: those with images or sound, and labels."""
    encoded = _encoded(dataset)[0]
    names = [encoded] if encoded else list(dataset.schema)
    return names + ["label"] * ("label" in dataset.schema and "label" not in names)


def _check_is_penstock(library: PipelineLibrary, dataset: Dataset) -> None:
    if library.name != "Penstock":
        raise CommandFailed(
            f"{dataset.path}: {library.name} has no reader for this layout of "
            f"{dataset.format}; run without --compare",
            2,
        )


def _as_list(outputs: Any) -> Sequence[Any]:
    return outputs if isinstance(outputs, list | tuple) else [outputs]


_READERS: Mapping[str, Callable[[Dataset, str], Read]] = {
    "folder": _folder,
    "filelist": _file_list,
    "tfrecord": _tfrecord,
    "recordio": _recordio,
    "webdataset": _webdataset,
    "caffe": _caffe,
    "caffe2": _caffe,
    "coco": _coco,
    "lmdb": _lmdb,
    "parquet": _parquet,
    "npy": _arrays,
    "npz": _arrays,
    "nemo": _utterances,
    "nemo-tar": _utterances,
}


class _Indexes:
    """Index files, which DALI needs; they are written when DALI's pipeline is made."""

    def __init__(
        self, argument: str, folder: str, files: Sequence[str], write: Callable[..., int]
    ) -> None:
        self._argument = argument
        self._folder, self._files, self._write = folder, files, write
        self._paths: list[str] = []

    def of(self, library: PipelineLibrary) -> dict[str, Any]:
        """Return the reader's argument that names the index files, if the library needs them."""
        if library.name == "Penstock":
            return {}
        if not self._paths:
            for number, file in enumerate(self._files):
                self._paths.append(os.path.join(self._folder, f"{number}.idx"))
                self._write(file, self._paths[-1])
        return {self._argument: self._paths}
