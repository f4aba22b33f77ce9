"""The readers of data on disk, in the terms that Penstock and DALI share.

A format without a reader of its own is read sample by sample by `penstock.datasets`, as the source
of `fn.external_source`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from ...datasets import Dataset
from ...datasets.formats.base import ReaderCall
from ...datasets.media import encoded_component, main_components
from ..commands import CommandFailed
from .pipeline_library import Node, PipelineLibrary
from .sample_source import SampleSource

Read = Callable[[PipelineLibrary], Sequence[Node]]


def reader_of(dataset: Dataset, folder: str, *, decoding: bool) -> Read:
    """Return what adds the reader of a data set to a graph.

    Args:
        dataset: the data set.
        folder: where index files for DALI are written.
        decoding: whether samples are decoded, too; see `decodes`.
    """
    calls = dataset.stored.reader_calls()
    samples = _samples(dataset)
    if not calls or (calls[0].decodes and not decoding):
        return samples
    indexes = [_Indexes(call, folder, dataset.stored.files()) for call in calls]

    def read(library: PipelineLibrary) -> Sequence[Node]:
        if library.name != "Penstock" and any(call.is_own for call in calls):
            if calls[0].decodes:
                raise CommandFailed(
                    f"{dataset.path}: {library.name} has no reader for this layout of "
                    f"{dataset.format}; run without --compare",
                    2,
                )
            return samples(library)
        outputs: list[Node] = []
        for number, call in enumerate(calls):
            name = f"reader_{number}" if number else "reader"
            outputs += _called(library, call, {"name": name, **indexes[number].of(library)})
        return outputs

    return read


def decodes(dataset: Dataset) -> bool:
    """Return whether the reader of the format decodes by itself."""
    return any(call.decodes for call in dataset.stored.reader_calls())


def medium(dataset: Dataset) -> str:
    """Return "image" or "audio", the medium of the reader's first output, or ""."""
    media = [call.medium for call in dataset.stored.reader_calls()]
    return (media and media[0]) or encoded_component(dataset.schema)[1]


def _called(library: PipelineLibrary, call: ReaderCall, more: dict[str, object]) -> Sequence[Node]:
    """Return the outputs of a reader, in random order."""
    arguments = {
        n: value(library) if callable(value) else value for n, value in call.arguments.items()
    }
    reader = getattr(library.fn.readers, call.operator)
    outputs = reader(**arguments, random_shuffle=True, **more)
    if call.outputs:
        return [outputs[name] for name in call.outputs]
    return outputs if isinstance(outputs, list | tuple) else [outputs]


def _samples(dataset: Dataset) -> Read:
    names = main_components(dataset.schema)
    source = SampleSource(dataset, names)
    return lambda library: library.fn.external_source(
        source=source, num_outputs=len(names), batch=False
    )


class _Indexes:
    """Index files, which DALI needs; they are written when DALI's pipeline is made."""

    def __init__(self, call: ReaderCall, folder: str, files: Sequence[str]) -> None:
        self._index = call.index
        self._folder, self._files = folder, files
        self._paths: list[str] = []

    def of(self, library: PipelineLibrary) -> dict[str, Any]:
        """Return the reader's argument that names the index files, if the library needs them."""
        if self._index is None or library.name == "Penstock":
            return {}
        argument, write = self._index
        if not self._paths:
            for number, file in enumerate(self._files):
                self._paths.append(os.path.join(self._folder, f"{number}.idx"))
                write(file, self._paths[-1])
        return {argument: self._paths}
