"""Converting data sets: `convert`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...engine.errors import ArgumentError
from ...readers.storage.urls import Url, place_of
from ..dataset import open_dataset
from ..sample import Sample
from ..where import Where
from .conversion import Conversion, ConvertOptions, ConvertReport
from .destination import Destination
from .execution import OnProgress
from .reencoding.reencoding import Reencoding


def convert(
    source: str | os.PathLike[str],
    destination: str | os.PathLike[str],
    *,
    to: str,
    format: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    shard_count: int | None = None,
    shard_size: int | None = None,
    shuffle_seed: int | None = None,
    sample_fraction: float = 1.0,
    sample_seed: int = 0,
    where: str | Callable[[Sample], bool] | None = None,
    components: Sequence[str] | None = None,
    classes: Sequence[str] | Mapping[int, str] | None = None,
    jpeg_quality: int | None = None,
    longest_side: int | None = None,
    audio: str | None = None,
    video: str | None = None,
    workers: int | None = None,
    engine: str = "local",
    overwrite: bool = False,
    resume: bool = False,
    progress: OnProgress | None = None,
) -> ConvertReport:
    """Write the samples of a data set in another format.

    Encoded files keep their bytes unless an option encodes them anew. A shard gets its name when it
    is whole and on the disk, so neither a kill nor a full disk leaves a part of a shard. The file
    `dataset.json` appears last. It holds the counts, the schema, and the SHA-256 of each shard.

    Args:
        source: path, pattern or URL of the data set: see `open_dataset`.
        destination: local folder to write; it must not exist, or be empty. Of a link to a folder,
            that folder is written.
        to: format to write, a name in `datasets.FORMATS`.
        format: of the source; by default, the content of the files tells.
        storage_options: for a source behind URLs.
        shard_count: number of shards.
        shard_size: bytes of a shard, about: the mean size of a few samples gives the number of
            shards. By default 256 MB.
        shuffle_seed: seed of a global shuffle; None keeps the order. LMDB databases of files are
            read in the order of their keys, whatever the seed.
        sample_fraction: fraction of the samples to take, more than 0 and at most 1.
        sample_seed: selects which samples these are.
        where: a filter: an expression such as "label in (1, 2) and image.size > 10000" (see
            `datasets.where`), or a function of a `Sample`. Expressions only compare, so they may
            come from anywhere.
        components: names of the components to write; by default all.
        classes: names of the labels, for class folders; by default those of the source.
        jpeg_quality: 1 to 100; images are encoded anew as JPEG.
        longest_side: pixels; larger images are made smaller and encoded anew as JPEG.
        audio: "flac" or "opus"; audio is encoded anew.
        video: "h264"; video is encoded anew.
        workers: shards that are written at once; by default the number of cores, or all workers of
            a cluster. Local workers are threads. From 2,000 samples on that keep their bytes, three
            and more workers are processes, at most one a core.
        engine: "local", "ray" or "dask". The result is the same, byte for byte.
        overwrite: whether to replace a data set that an earlier conversion wrote. The old data set
            stays until the new one is whole.
        resume: whether to go on with a conversion that was cut off.
        progress: function that is called now and then, from several threads, one at a time.

    Raises:
        ArgumentError: the arguments contradict each other; the format cannot hold the samples; or
            two samples have one key.
        SourceError: the source cannot be read, or was changed meanwhile.
        OSError: the destination exists, or cannot be written.

    >>> from pathlib import Path
    >>> for name in ("cat", "dog"):
    ...     Path("pets", name).mkdir(parents=True)
    ...     _ = Path("pets", name, "1.jpg").write_bytes(b"...")
    >>> report = convert("pets", "pets-tar", to="webdataset")
    >>> report.samples, sorted(path.name for path in Path("pets-tar").iterdir())
    (2, ['dataset.json', 'shard-00000.tar'])
    """
    options = ConvertOptions(
        to,
        shard_count,
        shard_size,
        shuffle_seed,
        sample_fraction,
        sample_seed,
        None if where is None else Where(where),
        None if components is None else tuple(components),
        classes,
        Reencoding(jpeg_quality, longest_side, audio, video),
        workers,
        engine,
    )
    folder_path = place_of(destination)
    if isinstance(folder_path, Url):
        raise ArgumentError(
            f"the destination {folder_path} is a URL, but conversions write local folders; convert "
            "to a local folder and copy it there, for example with `aws s3 sync` or rclone"
        )
    with open_dataset(source, format=format, storage_options=storage_options) as dataset:
        folder = Destination(folder_path, dataset, overwrite=overwrite, resume=resume)
        return Conversion(dataset, dict(storage_options or {}), folder, options).run(progress)
