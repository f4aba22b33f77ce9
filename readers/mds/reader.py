"""Columns of MDS data sets: `fn.readers.mds`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from ...engine.graph.operator import Array, register
from ...engine.graph.params import DTYPES, INT, REQUIRED, STR, STRS, param
from ...engine.tensors.dtypes import to_numpy_type
from ..column_arguments import check_columns
from ..record_reader import RecordReader

if TYPE_CHECKING:
    from .source import MdsSource


@register
class MDS(RecordReader):
    """Reads columns of MDS data sets, which `MDSWriter` of MosaicML's streaming writes.

    A data set is a folder with `index.json`. Samples are read where they lie: a sample of a shard
    without compression is one range of bytes. Shards that are compressed as a whole, by zstd, gz or
    bz2, are decompressed as a whole. Those that were used last stay in memory, at most
    `cache_bytes` of them. So a global shuffle needs a cache of all shards, or `shuffle_block` of as
    many samples as a shard has; a warning says so.

    >>> import json, struct
    >>> from pathlib import Path
    >>> from penstock import fn, pipeline_def
    >>> values = [struct.pack("<Iq5s", 5, n, text) for n, text in ((3, b"hello"), (5, b"world"))]
    >>> table = struct.pack("<IIII", 2, 16, 33, 50)
    >>> columns = {"column_names": ["label", "text"], "column_encodings": ["int", "str"]}
    >>> shard = {"version": 2, "format": "mds", "samples": 2, "compression": None, **columns}
    >>> shard |= {"column_sizes": [8, None], "hashes": [], "zip_data": None}
    >>> shard["raw_data"] = {"basename": "shard.00000.mds", "bytes": 50, "hashes": {}}
    >>> Path("set").mkdir()
    >>> _ = Path("set/index.json").write_text(json.dumps({"version": 2, "shards": [shard]}))
    >>> _ = Path("set/shard.00000.mds").write_bytes(table + b"".join(values))
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def samples():
    ...     return fn.readers.mds(path="set", columns=["text", "label"])
    >>> with samples() as pipe:
    ...     texts, labels = pipe.run()
    >>> bytes(texts.at(1)).decode(), labels.as_array().tolist()
    ('world', [3, 5])

    If the index has digests, a compressed shard is compared with one of them each time that it is
    decompressed; `penstock verify` compares all files. Digests of the package xxhash are passed
    over.

    Outputs:
        for each of `columns`, by its encoding:
            bytes, str, json, jpeg, png: uint8, shape (size,). Texts are UTF-8.
            pil: the image in PAM, which `fn.decoders.image` takes; uint8, shape (size,). Modes
                are L, LA, RGB and RGBA.
            list[jpeg], list[png], list[pil], jpeg_array: one image, as above. The column
                "images[0]" is the first image of the list "images". A list that has fewer
                images gives no bytes: shape (0,).
            int: int64, shape (); int8 to int64, uint8 to uint64, float16 to float64: of this type.
            str_int, str_float: int64, float64, shape (); str_decimal: the text.
            ndarray: of its type and shape. Arrays of a column have one type and number of
                dimensions, which the first sample tells if the encoding does not.

    Raises:
        ArgumentError: a column is not there, or its encoding is refused, as pickles (pkl) are; a
            folder holds several splits.
        SourceError: the index or a shard is damaged, a shard has another format or compression, or
            there is no sample.
        DecodeError: a value is damaged, is an array of another type or number of dimensions, or
            does not fit into `dtypes` (see `on_error` of the pipeline).
        MissingDependencyError: shards are compressed by zstd, and its library is not installed.
        OSError: a file cannot be read.
    """

    name = "readers.mds"

    path = param(
        STRS,
        REQUIRED,
        "Paths or URLs of folders that hold an index.json. Their samples follow one another.",
    )
    columns = param(
        STRS,
        REQUIRED,
        "Names of the columns, one for each output; 'images[2]' is the third image of a list.",
    )
    split = param(STR, None, "Folder inside of each of `path`, such as 'train'.")
    dtypes = param(
        DTYPES,
        None,
        "Types of the outputs, one each; by default those of the columns. Numbers are converted, "
        "and must fit. Bytes are taken for elements of the type, such as tokens. Texts are read as "
        "decimal numbers if the type has several bytes.",
    )
    cache_bytes = param(
        INT,
        256 << 20,
        "Memory for decompressed shards. At least one stays.",
        minimum=0,
    )

    source: MdsSource

    def prepare(self) -> None:
        super().prepare()
        check_columns(self, self.columns, self.dtypes)

    def num_outputs(self) -> int:
        return len(self.columns)

    def open_source(self) -> MdsSource:
        from .source import open_mds  # few programs need it

        source = open_mds(
            self.path,
            self.columns,
            split=self.split or "",
            dtypes=[to_numpy_type(dtype) for dtype in self.dtypes or ()],
            cache_bytes=self.cache_bytes,
            storage_options=self.storage_options,
            damages=self.damages,
        )
        nbytes, shards = source.inflated_bytes(), len(source.shards)
        shuffles = self.random_shuffle or self.shuffle_after_epoch
        if shuffles and self.shuffle_block is None and nbytes > self.cache_bytes:
            samples = len(source) // shards
            warnings.warn(
                f"{self.called}: a global shuffle decompresses a shard of about {samples} samples "
                f"for nearly each sample, because {nbytes >> 20} MiB of shards do not fit into "
                f"cache_bytes={self.cache_bytes}. shuffle_block={samples} decompresses each shard "
                "once an epoch",
                stacklevel=2,
            )
        return source

    def cores_suffice(self) -> bool:
        # Each process would have a cache of its own.
        return super().cores_suffice() and not self.source.inflated_bytes()

    def placeholder(self) -> tuple[Array, ...]:
        return tuple(np.zeros((0,) * rule.ndim, rule.dtype) for rule in self.source.rules)
