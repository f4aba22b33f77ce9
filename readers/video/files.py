"""Videos by path or URL, for FFmpeg."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import BinaryIO, cast

from ...engine.graph.portable import portable
from ...formats.video.known_files import FileState, OpenUrl, state_of
from ..storage.file_object import StorageFile
from ..storage.opening import open_storage
from ..storage.storage import Storage


def url_opener(options: Mapping[str, object]) -> OpenUrl:
    """Return a function that opens URLs, for operators; it can be pickled.

    Args:
        options: `Reader.storage_options`.
    """
    return partial(open_video_url, options=dict(options))


def file_of(storage: Storage) -> tuple[str | BinaryIO, FileState]:
    """Return the argument for FFmpeg, a path or a file object, and the file's state."""
    if storage.path is not None:
        path = os.fspath(storage.path)
        return path, state_of(path)
    state = storage.name, 0, storage.size, storage.stamp, 0
    return cast("BinaryIO", StorageFile(storage.sequential())), state


@portable
def open_video_url(url: str, options: Mapping[str, object]) -> tuple[BinaryIO, FileState]:
    """Open a video by its URL; `options` are `Reader.storage_options`."""
    return cast("tuple[BinaryIO, FileState]", file_of(open_storage(url, options)))
