"""Files named by data: `fn.io.file.read`."""

from __future__ import annotations

import os

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, NO_EFFECT, OPTIONS, param
from ..storage.opening import open_storage
from ..storage.urls import is_url


@register
class ReadFile(SampleOperator):
    """Reads the file that each sample names.

    >>> import numpy as np
    >>> from pathlib import Path
    >>> from penstock import Pipeline, fn
    >>> _ = Path("hello.txt").write_text("hello")
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.io.file.read(np.frombuffer(b"hello.txt", np.uint8)))
    ...     (result,) = pipe.run()
    ...     print(bytes(result.at(0)))
    b'hello'

    Inputs:
        filepaths: a path or URL a sample, encoded in UTF-8 (or as the file system has it): uint8
            or int8, one dimension, as `np.frombuffer(path.encode(), np.uint8)` gives it. Relative
            paths begin at the current folder.

    Outputs:
        the file's bytes: uint8, shape (size,).

    Raises:
        ArgumentError: the input is no path.
        OSError: a file cannot be read; the subclass says why and the message which one.
    """

    name = "io.file.read"
    inputs = ("filepaths",)

    storage_options = param(OPTIONS, {}, "For URLs: see `fn.readers.file`.")
    dont_use_mmap = param(BOOL, False, NO_EFFECT)
    use_o_direct = param(BOOL, False, NO_EFFECT)

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(self, workspace: Workspace, filepath: Array) -> Array:
        if filepath.dtype not in (np.uint8, np.int8) or filepath.ndim != 1:
            raise ArgumentError(
                "filepaths must be of one dimension and type uint8 or int8, but one has "
                f"{filepath.ndim} and {filepath.dtype}"
            )
        path = filepath.tobytes()
        if not path or b"\0" in path:
            raise ArgumentError(f"{path!r} is no path of a file")
        return self._read(workspace, os.fsdecode(path))

    def _read(self, workspace: Workspace, path: str) -> Array:
        if is_url(path):
            from ..remote.objects import start_whole  # needs optional libraries

            remote: Array = start_whole(path, self.storage_options, workspace.empty).result()
            return remote
        storage = open_storage(path)
        try:
            content: Array = workspace.empty((storage.size,), np.uint8)
            storage.fill([0], [content])
        finally:
            storage.close()
        return content
