"""Rows of Parquet files: `fn.readers.parquet`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.graph.operator import Array, register
from ...engine.graph.params import DTYPES, INT, OPTIONS, REQUIRED, STR, STRS, param
from ...engine.suggestions import not_among
from ...engine.tensors.dtypes import to_numpy_type
from ..column_arguments import check_columns
from ..reader import Reader

if TYPE_CHECKING:
    from .source import ParquetSource


@register
class Parquet(Reader):
    """Reads columns of Parquet files, and of the Arrow files that `save_to_disk` writes.

    The files are those of the Hugging Face hub, of pandas, Spark, Polars and others. A feature that
    is an image, sound or video is a struct of `bytes` and `path`: the output is `bytes`, which
    `fn.decoders` take. Where `bytes` is null, the file at `path` is read, which is absolute or
    begins at the folder of the table.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from penstock import fn, pipeline_def
    >>> images = pa.array([{"bytes": b"...", "path": "a.jpg"}, {"bytes": b"..", "path": "b.jpg"}])
    >>> pq.write_table(pa.table({"image": images, "label": [3, 5]}), "train.parquet")
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def samples():
    ...     return fn.readers.parquet(path="train.parquet", columns=["image", "label"])
    >>> with samples() as pipe:
    ...     images, labels = pipe.run()
    >>> labels.as_array().tolist()
    [3, 5]

    A row group is decoded as a whole. The groups that were used last stay in memory, at most
    `cache_bytes` of them, and at least one. Without a shuffle each group is decoded once an epoch.
    A global shuffle (`random_shuffle`) takes each sample from another group. Where the data do not
    fit into the cache, it decodes a group for nearly each sample. A warning says so. With
    `shuffle_block` of as many rows as a group has, each group is decoded once an epoch.

    Outputs:
        for each of `columns`, by the type of the column:
            struct of bytes and path, binary, text: uint8, shape (size,). Texts are UTF-8.
            integers, real numbers, bool: of the column's type, shape ().
            lists of numbers: of their type, shape (length,); lists of lists have an axis a level.
            lists of files (structs of bytes and path, or binary): a bundle of encoded files,
                uint8, shape (size,), which `fn.decoders.image_list` takes. Python code gets the
                files by `penstock.extend.files_of`.
            other lists and structs, such as conversations: their JSON in UTF-8, uint8, shape
                (size,), which `fn.decoders.json` takes.
            dictionaries of numbers, bytes and texts: as without the dictionary.

    Decimals, times, maps and other types are refused. A missing value (null) is an error of its
    sample, unless `fill` has a value for its column. Nulls inside of JSON are JSON's.

    Raises:
        ArgumentError: a column is not there, or its type is refused; a folder holds several
            splits, or not `split`.
        SourceError: a file is damaged, is neither Parquet nor Arrow, or there is no row.
        DecodeError: a value is missing, a list is no array, JSON would need NaN, or a number does
            not fit into `dtypes` (see `on_error` of the pipeline).
        MissingDependencyError: PyArrow is not installed.
        OSError: a file, or one that a column names, cannot be read.
    """

    name = "readers.parquet"

    path = param(
        STRS,
        REQUIRED,
        "Paths or URLs of the files. Braces ('train-{00000..00009}.parquet'), globs and folders "
        "stand for the files that they name; the URL of a folder ends with a slash.",
    )
    columns = param(
        STRS,
        REQUIRED,
        "Names of the columns, one for each output. A dot leads to a field: 'objects.bbox'.",
    )
    split = param(
        STR,
        None,
        "Split of the folders that `path` names, such as 'train', as README.md, or the names of "
        "files and folders tell it. Needed where there are several.",
    )
    config = param(
        STR,
        None,
        "Configuration of the folders that `path` names: one that README.md lists, or a folder. "
        "Needed where there are several and none is the default.",
    )
    dtypes = param(
        DTYPES,
        None,
        "Types of the outputs, one each; by default those of the columns. Numbers are converted, "
        "and must fit. Bytes are taken for elements of the type. Texts are read as decimal numbers "
        "if the type has several bytes.",
    )
    fill = param(
        OPTIONS,
        {},
        "Values for missing ones (null), by column: {'caption': '', 'images': []}. A file takes "
        "bytes. Nulls of other columns are bad samples.",
    )
    cache_bytes = param(
        INT,
        256 << 20,
        "Memory for row groups that stay decoded. Reading takes the memory of four more.",
        minimum=0,
    )

    source: ParquetSource

    def prepare(self) -> None:
        super().prepare()
        check_columns(self, self.columns, self.dtypes)
        if unknown := self.fill.keys() - set(self.columns):
            self.refuse(f"fill has no column {not_among(min(unknown), self.columns)}")
        self._types = [to_numpy_type(dtype) for dtype in self.dtypes or ()]

    def num_outputs(self) -> int:
        return len(self.columns)

    def open_source(self) -> ParquetSource:
        from .source import open_parquet  # needs an optional library

        source = open_parquet(
            self.path,
            self.columns,
            split=self.split or "",
            config=self.config or "",
            dtypes=self._types,
            fill=self.fill,
            cache_bytes=self.cache_bytes,
            storage_options=self.storage_options,
            damages=self.damages,
        )
        if (self.random_shuffle or self.shuffle_after_epoch) and self.shuffle_block is None:
            self._warn_of_decoding(source)
        self._rules = source.rules
        return source

    def _warn_of_decoding(self, source: ParquetSource) -> None:
        try:
            nbytes, groups = source.nbytes(), source.groups()
        except OSError:
            return  # the error is raised when the samples are read
        rows = -(-len(source) // max(1, groups))
        if nbytes > self.cache_bytes and rows > 1:
            warnings.warn(
                f"fn.{self.name}: a global shuffle decodes a row group of about {rows} rows and "
                f"{nbytes // max(1, groups) >> 10} KiB for nearly each sample, because the "
                f"{nbytes >> 20} MiB of these columns do not fit into cache_bytes="
                f"{self.cache_bytes}. shuffle_block={rows} decodes each row group once an epoch",
                stacklevel=2,
            )

    def meta(self) -> dict[str, Any]:
        """Return what all readers tell, and the names of the classes by column."""
        return super().meta() | {"class_names": self.class_names()}

    def placeholder(self) -> tuple[Array, ...]:
        return tuple(np.zeros((0,) * rule.ndim, rule.dtype) for rule in self._rules)
