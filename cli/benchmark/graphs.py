"""Pipelines for data on disk, in the terms that Penstock and DALI share.

A graph reads the samples, decodes their images, and makes training batches of these. The same
function defines the graph in both libraries.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...datasets import Dataset
from ...datasets.media import AUDIO, IMAGE, medium_of
from ...engine.errors import MissingDependencyError
from ...readers.recordio.reader import write_mxnet_index
from ...readers.tfrecord.index import write_tfrecord_index
from ...readers.webdataset.index import write_dali_index
from ..commands import CommandFailed

Work = Literal["read", "decode", "train"]

_SIDE = 224
_WINDOW, _STEP, _MELS = 512, 160, 80
_MEAN, _STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]  # of ImageNet
_FILES = {IMAGE: "jpg;jpeg;png;webp;bmp;tif;tiff;jp2", AUDIO: "flac;wav;ogg;opus;mp3"}


@dataclass(frozen=True)
class PipelineLibrary:
    """The modules of Penstock or DALI that define a pipeline."""

    name: str
    fn: Any
    types: Any
    tfrecord: Any
    pipeline_def: Any


def load(package: str) -> PipelineLibrary:
    """Import a library by the name of its package.

    Raises:
        MissingDependencyError: the library is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # DALI warns of missing drivers and of new NumPys
            root = importlib.import_module(package)
            fn, types, tfrecord = (
                importlib.import_module(f"{package}.{name}") for name in ("fn", "types", "tfrecord")
            )
    except ImportError as error:
        raise MissingDependencyError(
            f"--compare needs {package} ({error}): pip install nvidia-dali-cuda130"
        ) from error
    return PipelineLibrary(
        "Penstock" if package == "penstock" else "DALI", fn, types, tfrecord, root.pipeline_def
    )


@dataclass(frozen=True)
class PathGraph:
    """The graph for a data set.

    Attributes:
        read: returns the outputs of the reader; the encoded images or sound come first.
        medium: of the first output: "image", "audio", or "" for other data.
        work: how far the graph goes.
        device: "cpu", or "mixed" to decode on the GPU.
    """

    read: Callable[[PipelineLibrary], Sequence[Any]]
    medium: str
    work: Work
    device: str

    def define(self, library: PipelineLibrary) -> tuple[Any, ...]:
        """Return the outputs of the graph."""
        first, *others = self.read(library)
        if self.work != "read":
            first = {IMAGE: self._images, AUDIO: self._sound}[self.medium](library, first)
        return first, *others

    def _images(self, library: PipelineLibrary, encoded: Any) -> Any:
        decoders, fn, types = library.fn.decoders, library.fn, library.types
        if self.work == "decode":
            return decoders.image(encoded, device=self.device, output_type=types.RGB)
        images = decoders.image_random_crop(encoded, device=self.device, output_type=types.RGB)
        images = fn.resize(images, size=(_SIDE, _SIDE))
        mirror = fn.random.coin_flip(probability=0.5)
        return fn.crop_mirror_normalize(
            images, dtype=types.FLOAT, output_layout="CHW", mean=_MEAN, std=_STD, mirror=mirror
        )

    def _sound(self, library: PipelineLibrary, encoded: Any) -> Any:
        fn = library.fn
        sound, _ = fn.decoders.audio(encoded, dtype=library.types.FLOAT, downmix=True)
        if self.work == "decode":
            return sound
        powers = fn.spectrogram(sound, nfft=_WINDOW, window_length=_WINDOW, window_step=_STEP)
        return fn.to_decibels(fn.mel_filter_bank(powers, nfilter=_MELS))

    def pipeline(self, library: PipelineLibrary, **options: Any) -> Any:
        """Return a pipeline of the library, which has not been built."""
        return library.pipeline_def(**options)(lambda: self.define(library))()


def graph_of(dataset: Dataset, work: Work | None, device: str, folder: str) -> PathGraph:
    """Return the graph for a data set.

    Args:
        dataset: the data set.
        work: how far the graph goes; None for "train" where there are images, else "read".
        device: "cpu" or "mixed".
        folder: where index files for DALI are written.

    Raises:
        CommandFailed: there is no graph for this format, or there are no images to decode.
    """
    if dataset.format not in _READERS:
        raise CommandFailed(
            f"{dataset.path}: there is no ready pipeline for the format {dataset.format}; write "
            "one, and run `penstock bench FILE.py:NAME`",
            2,
        )
    medium = IMAGE if dataset.format in _OF_IMAGES else _encoded(dataset)[1]
    if work in ("decode", "train") and not medium:
        raise CommandFailed(
            f"{dataset.path}: the samples have no images and no sound, but "
            f"{', '.join(dataset.schema)}; use --work read",
            2,
        )
    read = _READERS[dataset.format](dataset, folder)
    return PathGraph(read, medium, work or ("train" if medium else "read"), device)


_OF_IMAGES = ("recordio", "caffe", "caffe2")


def _encoded(dataset: Dataset) -> tuple[str, str]:
    """Return name and medium of the first component with images or sound; ("", "") without one."""
    for name, each in dataset.schema.items():
        medium = medium_of(each.extension) or name
        if each.type == "encoded" and medium in _FILES:
            return name, medium
    return "", ""


Read = Callable[[PipelineLibrary], Sequence[Any]]


def _folder(dataset: Dataset, _: str) -> Read:
    return lambda library: library.fn.readers.file(
        file_root=os.path.abspath(dataset.path), random_shuffle=True, name="reader"
    )


def _file_list(dataset: Dataset, _: str) -> Read:
    path = os.path.abspath(dataset.path)
    return lambda library: library.fn.readers.file(
        file_list=path, file_root=os.path.dirname(path), random_shuffle=True, name="reader"
    )


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
    extensions = {**_FILES, "label": "cls", "text": "txt"}
    present = [each for name, each in extensions.items() if name in dataset.schema]
    if not present:
        raise CommandFailed(f"{dataset.path}: no images, sound, text or labels in the archives", 2)
    indexes = _Indexes("index_paths", folder, files, write_dali_index)
    return lambda library: _as_list(
        library.fn.readers.webdataset(
            paths=files, ext=present, random_shuffle=True, name="reader", **indexes.of(library)
        )
    )


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
