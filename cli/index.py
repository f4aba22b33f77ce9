"""`penstock index`: the index of a data file, made before a reader needs it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..datasets import DatasetFormat
from ..datasets.recognition import data_files, format_of_file
from ..engine.errors import PenstockError
from ..readers.listing.path_patterns import expand_paths
from ..readers.remote.writing import WritableFolder
from ..readers.storage.index_cache import SUFFIX, adopt_index, cache_paths, replace_file
from ..readers.storage.storage import Storage
from ..readers.storage.urls import Url, is_url
from .commands import AsJson, CommandFailed, message_of
from .console import Printer
from .formats import INDEXED
from .progress import Spinner
from .target import require_path

EXAMPLES = (
    "penstock index train-000.tar",
    "penstock index 'shards/train-{000..127}.tfrecord'",
    "penstock index shards/ --force",
    "penstock index 's3://bucket/train-{000..127}.tar' --beside",
)


@dataclass(frozen=True)
class FileIndex:
    """The index of one data file.

    Attributes:
        file: the data file.
        format: name of the format.
        samples: number of samples.
        index: path of the index; "" if neither the file's folder nor the cache can be written.
        made: whether the index was made now; otherwise there was one of this state of the file.
    """

    file: str
    format: str
    samples: int
    index: str
    made: bool


def index(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A file, a folder of files, or a pattern such as 'train-{000..127}.tar'; or URLs. "
            f"Files of the formats {INDEXED} have indexes.",
        ),
    ],
    force: Annotated[
        bool, typer.Option(help="Make the index anew, even if it fits the file.")
    ] = False,
    beside: Annotated[
        bool,
        typer.Option(
            help="Keep the indexes beside the data, for all who read them, instead of in your "
            "cache folder."
        ),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Make or refresh the indexes of files with many samples.

    Readers make the same index when they open a file for the first time, which takes a while for
    large files. The index is a file in `~/.cache/penstock`; with `--beside` it is
    `<file>.penstock-index` beside the data, also in s3://, gs:// and az://. To index an object, all
    of its bytes are fetched once.
    """
    with Spinner(sys.stderr) as tick:
        indexes, bad = _indexes(path, force, beside, tick)
    if as_json:
        print(json.dumps([asdict(index) for index in indexes], indent=2))
    elif indexes:
        _print(indexes)
    if bad:
        raise CommandFailed("\n".join(bad))
    return 0


def _indexes(
    path: str, force: bool, beside: bool, tick: Callable[[str], None]
) -> tuple[list[FileIndex], list[str]]:
    """Return the indexes, and what is wrong with files that are damaged."""
    require_path(path)
    indexes, bad, others = [], list[str](), set[str]()
    for file in expand_paths([path]) if is_url(path) else data_files(Path(path)):
        tick(f"indexing {file}")
        try:
            row = format_of_file(file)
            if row is not None and row.index is not None:
                indexes.append(_index_of(file, row, force, beside))
                continue
        except (OSError, PenstockError) as error:
            bad.append(message_of(error))
        else:
            others.add("unknown format" if row is None else row.name)
    if not indexes and not bad:
        what = f" (files there: {', '.join(sorted(others))})" if others else ""
        raise CommandFailed(
            f"{path}: nothing to index: files of {INDEXED} have an index, all other data need "
            f"none{what}",
            2,
        )
    return indexes, bad


def _index_of(file: str, row: DatasetFormat, force: bool, beside: bool) -> FileIndex:
    assert row.index is not None
    storage, scan = row.index(file)
    if beside and is_url(file):
        return _index_in_store(file, row.name, storage, scan, force)
    paths = cache_paths(storage)
    if force:
        for path in paths:
            with suppress(OSError):
                path.unlink()
    before = {path: path.stat().st_mtime_ns for path in paths if path.exists()}
    samples = scan()
    if beside and paths[0].exists():
        replace_file(paths[-1], [paths[0].read_bytes()])
        paths[0].unlink()
    after = {path: path.stat().st_mtime_ns for path in paths if path.exists()}
    return FileIndex(file, row.name, samples, str(next(iter(after), "")), made=after != before)


def _index_in_store(
    url: str, format: str, storage: Storage, scan: Callable[[], int], force: bool
) -> FileIndex:
    """Write the index of an object beside it, unless the same one lies there."""
    place = Url(url)
    folder, name = WritableFolder(place.parent, {}), f"{place.name}{SUFFIX}"
    (cached,) = cache_paths(storage)
    known = None
    with suppress(FileNotFoundError):
        known = folder.read(name)
    if force:
        cached.unlink(missing_ok=True)
    elif known is not None:
        adopt_index(storage, known)
    samples = scan()
    if not cached.exists():  # the service tells no version, or the cache cannot be written
        return FileIndex(str(place), format, samples, "", made=False)
    content = cached.read_bytes()
    if content != known:
        folder.write(name, content)
    return FileIndex(str(place), format, samples, str(folder.url / name), made=content != known)


def _print(indexes: list[FileIndex]) -> None:
    rows = [
        (
            index.file,
            index.format,
            f"{index.samples:,}",
            ("made", "green") if index.made else "up to date",
            index.index or "nowhere: neither the folder nor the cache can be written",
        )
        for index in indexes
    ]
    Printer(sys.stdout).table(("file", "format", "samples", "index", ""), rows, words=5)
