"""Pipelines for data on disk, in the terms that Penstock and DALI share.

A graph reads the samples, decodes their images, and makes training batches of these. The same
function defines the graph in both libraries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...datasets import Dataset
from ...datasets.media import AUDIO, IMAGE
from ..commands import CommandFailed
from .path_readers import Read, decodes, medium, reader_of
from .pipeline_library import Node, PipelineLibrary, Runnable

Work = Literal["read", "decode", "train"]

_SIDE = 224
_WINDOW, _STEP, _MELS = 512, 160, 80
_MEAN, _STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]  # of ImageNet


@dataclass(frozen=True)
class PathGraph:
    """The graph for a data set.

    Attributes:
        read: returns the outputs of the reader; the encoded images or sound come first.
        medium: of the first output: "image", "audio", or "" for other data.
        work: how far the graph goes.
        device: "cpu", or "mixed" to decode on the GPU.
        is_decoded: whether the reader decodes by itself, unless `work` is "read".
    """

    read: Read
    medium: str
    work: Work
    device: str
    is_decoded: bool = False

    def define(self, library: PipelineLibrary) -> tuple[Node, ...]:
        """Return the outputs of the graph."""
        first, *others = self.read(library)
        if self.work != "read":
            first = {IMAGE: self._images, AUDIO: self._sound}[self.medium](library, first)
        return first, *others

    def _images(self, library: PipelineLibrary, encoded: Node) -> Node:
        decoders, fn, types = library.fn.decoders, library.fn, library.types
        if self.is_decoded:
            images = encoded.gpu() if self.device == "mixed" else encoded
            if self.work == "decode":
                return images
            images = fn.random_resized_crop(images, size=(_SIDE, _SIDE))
        elif self.work == "decode":
            return decoders.image(encoded, device=self.device, output_type=types.RGB)
        else:
            images = decoders.image_random_crop(encoded, device=self.device, output_type=types.RGB)
            images = fn.resize(images, size=(_SIDE, _SIDE))
        mirror = fn.random.coin_flip(probability=0.5)
        return fn.crop_mirror_normalize(
            images, dtype=types.FLOAT, output_layout="CHW", mean=_MEAN, std=_STD, mirror=mirror
        )

    def _sound(self, library: PipelineLibrary, encoded: Node) -> Node:
        fn = library.fn
        sound = encoded
        if not self.is_decoded:
            sound, _ = fn.decoders.audio(encoded, dtype=library.types.FLOAT, downmix=True)
        if self.work == "decode":
            return sound
        powers = fn.spectrogram(sound, nfft=_WINDOW, window_length=_WINDOW, window_step=_STEP)
        return fn.to_decibels(fn.mel_filter_bank(powers, nfilter=_MELS))

    def pipeline(self, library: PipelineLibrary, **options: object) -> Runnable:
        """Return a pipeline of the library, which has not been built."""
        return library.pipeline_def(**options)(lambda: self.define(library))()


def graph_of(dataset: Dataset, work: Work | None, device: str, folder: str) -> PathGraph:
    """Return the graph for a data set.

    Args:
        dataset: the data set.
        work: how far the graph goes; None for "train" where there are images or sound, else "read".
        device: "cpu" or "mixed".
        folder: where index files for DALI are written.

    Raises:
        CommandFailed: there are no images and no sound to decode.
    """
    kind = medium(dataset)
    if work in ("decode", "train") and not kind:
        raise CommandFailed(
            f"{dataset.path}: the samples have no images and no sound, but "
            f"{', '.join(dataset.schema)}; use --work read",
            2,
        )
    work = work or ("train" if kind else "read")
    read = reader_of(dataset, folder, decoding=work != "read")
    return PathGraph(read, kind, work, device, is_decoded=decodes(dataset))
