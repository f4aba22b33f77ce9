"""Files that a table names by path, in place of holding their bytes.

The library `datasets` writes images and sound of a local folder so: `{bytes: null, path}`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from ...engine.arrays import Bytes
from ...engine.errors import DecodeError
from ..files.source import FileSource
from ..listing.listing import list_files
from ..source import Allocate
from ..storage.urls import is_local, is_url, place_of, shown, text_of


def read_linked(
    table: str, paths: Sequence[str], options: Mapping[str, object], allocate: Allocate
) -> list[Bytes]:
    """Return the content of files: one uint8 array (size,) each.

    Args:
        table: path or URL of the file that names them. Relative paths begin at its folder.
        paths: absolute or relative paths, or URLs.
        options: `Reader.storage_options`, for URLs.
        allocate: see `Source.read`.

    Raises:
        DecodeError: a table behind a URL names a local file: whoever can change the table could
            have any file of this machine read. Or a path names a file in another file.
        OSError: a file cannot be read; the note says which table names it.
    """
    for path in paths:
        if "\0" in path:
            raise DecodeError(f"names {path!r:.100}, which is no path")
        if "::" in path:
            raise DecodeError(f"names {shown(path)!r}, a file in another file; unpack that one")
        if is_url(table) and (is_local(os.fsencode(path)) or ".." in path.split("/")):
            raise DecodeError(
                f"names the local file {path!r}, which a table behind a URL may not; copy the "
                "table to this machine"
            )
    folder = text_of(place_of(table).parent)
    listed = list_files(files=[*paths], file_root=folder, storage_options=options)
    try:
        return list(FileSource(listed, options).read(np.arange(len(paths)), allocate)[0])
    except OSError as error:
        error.add_note(
            f"{shown(table)} names this file in place of holding its bytes; a path is absolute or "
            "begins at the folder of the table. `datasets.table.embed_table_storage` of Hugging "
            "Face puts the bytes into the table"
        )
        raise
