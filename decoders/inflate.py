"""`fn.decoders.inflate`: decompression of bytes into arrays of a known shape."""

from __future__ import annotations

import zlib
from itertools import accumulate, pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..engine.errors import DecodeError, MissingDependencyError
from ..engine.graph.context import Workspace
from ..engine.graph.limits import Remedies
from ..engine.graph.operator import Array, SampleOperator, register
from ..engine.graph.params import (
    BOOL,
    DTYPE,
    INTS,
    LAYOUT,
    NO_EFFECT,
    REQUIRED,
    STR,
    ArgumentType,
    param,
)
from ..engine.tensors.dtypes import UINT8, to_numpy_type
from ..formats.decompression import (
    DEFLATE_RATIO,
    ZSTD_RATIO,
    Decompress,
    deflated,
    lz4_block,
    zstandard,
)
from .errors import check_encoded

_ALGORITHMS: dict[str, tuple[Decompress, int]] = {
    "LZ4": (lz4_block, 255),
    "ZLIB": (deflated(zlib.MAX_WBITS), DEFLATE_RATIO),
    "GZIP": (deflated(zlib.MAX_WBITS | 16), DEFLATE_RATIO),
    "DEFLATE": (deflated(-zlib.MAX_WBITS), DEFLATE_RATIO),
    "ZSTD": (zstandard, ZSTD_RATIO),
}
"""By algorithm: its function, and the most bytes that one compressed byte can stand for."""


def inflate(data: NDArray[np.uint8], out: NDArray[np.uint8], algorithm: str) -> None:
    """Decompress `data` into `out`, whose size must be that of the decompressed data.

    Raises:
        DecodeError: the data is damaged, or of another size.
    """
    decompress, _ = _ALGORITHMS[algorithm]
    try:
        result = decompress(np.ascontiguousarray(data).data, out.size)
    except MissingDependencyError:
        raise
    except Exception as error:  # each library has its own
        raise DecodeError(
            f"{algorithm}: {data.size} bytes cannot be decompressed to {out.size} ({error})"
        ) from error
    if len(result) != out.size:
        more = "more than " * (len(result) > out.size)
        raise DecodeError(
            f"{algorithm}: {data.size} bytes hold {more}{min(len(result), out.size)} bytes, but "
            f"shape and type ask for {out.size}"
        )
    out[:] = np.frombuffer(result, np.uint8)


@register
class Inflate(SampleOperator):
    """Decompresses bytes to arrays whose shape and type are known.

    A sample is one compressed chunk, or several chunks of one shape. Several chunks become one
    array with one more, outermost dimension; `chunk_offsets` or `chunk_sizes` (or both) locate the
    chunks in the sample. A shape that the compressed bytes cannot fill is an error before memory
    is allocated.

    DALI has LZ4 alone (blocks without a header), on the GPU. Here are also zlib, gzip, raw Deflate
    and Zstandard (below Python 3.14 with backports.zstd).

    >>> import zlib
    >>> import numpy as np
    >>> from penstock import Pipeline, fn, types
    >>> data = np.frombuffer(zlib.compress(np.int16([1, 2, 3]).tobytes()), np.uint8)
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.decoders.inflate(data, shape=[3], dtype=types.INT16, algorithm="zlib")
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2 3]

    Inputs:
        data: compressed bytes; uint8, one dimension.

    Outputs:
        the decompressed array: of type `dtype` and shape `shape`, or (chunks, *shape).

    Raises:
        DecodeError: the data is damaged, does not fill the shape exactly, or a chunk lies
            outside of the sample.
        MissingDependencyError: `algorithm` needs a library that is not installed.
    """

    name = "decoders.inflate"
    aliases = ("experimental.inflate",)
    inputs = ("data",)

    shape = param(INTS, REQUIRED, "Shape of a decompressed chunk.", per_sample=True, minimum=0)
    dtype = param(DTYPE, UINT8, "Type of the elements, in this machine's byte order.")
    layout = param(LAYOUT, "", "Layout of a decompressed chunk, one letter a dimension.")
    chunk_offsets = param(
        INTS,
        None,
        "Offsets of the chunks in the sample, in bytes. Without `chunk_sizes`, each chunk ends "
        "where the next one starts.",
        per_sample=True,
    )
    chunk_sizes = param(
        INTS,
        None,
        "Sizes of the compressed chunks in bytes. Without `chunk_offsets`, they lie end to end.",
        per_sample=True,
    )
    sequence_axis_name = param(
        STR, "F", "Letter of the outermost dimension where a sample has chunks and a layout."
    )
    algorithm = param(
        ArgumentType("str", lambda value: STR.convert(value).upper()),
        "LZ4",
        "LZ4, ZLIB, GZIP, DEFLATE or ZSTD.",
        choices=_ALGORITHMS,
    )
    check_output_size = param(BOOL, False, NO_EFFECT)

    def prepare(self) -> None:
        if len(self.sequence_axis_name) != 1:
            self.refuse(
                f"sequence_axis_name must be one letter, but is {self.sequence_axis_name!r}"
            )
        self._dtype = to_numpy_type(self.dtype)
        self._chunked = bool({"chunk_offsets", "chunk_sizes"} & self.given)

    def remedies(self) -> Remedies:
        return {"decoding": ("a faster algorithm, such as LZ4", "more cores")}

    def output_layouts(self) -> tuple[str, ...]:
        axis = self.sequence_axis_name if self._chunked and self.layout else ""
        return (axis + self.layout,)

    def sample(
        self,
        workspace: Workspace,
        data: Array,
        *,
        shape: tuple[int, ...],
        chunk_offsets: tuple[int, ...] | None,
        chunk_sizes: tuple[int, ...] | None,
    ) -> Array:
        check_encoded(data, "compressed data")
        chunks = [data]
        if self._chunked:
            chunks = _cut(data, chunk_offsets, chunk_sizes)
        self._check_shape(shape, chunks)
        out = workspace.empty((len(chunks), *shape) if self._chunked else shape, self._dtype)
        memory = out.reshape(-1).view(np.uint8)
        size = memory.size // max(1, len(chunks))
        for number, chunk in enumerate(chunks):
            inflate(chunk, memory[number * size :][:size], self.algorithm)
        if self._dtype == np.bool_:  # any other byte than 0 and 1 would be no bool
            np.not_equal(memory, 0, out=memory.view(np.bool_))
        return out

    def _check_shape(self, shape: tuple[int, ...], chunks: list[Array]) -> None:
        """Raise unless the chunks can fill the shape, before memory is taken for it."""
        if min(shape, default=0) < 0 or (self.layout and len(self.layout) != len(shape)):
            raise DecodeError(
                f"the shape {shape} has negative extents, or not those of layout {self.layout!r}"
            )
        size = prod(shape) * self._dtype.itemsize
        _, ratio = _ALGORITHMS[self.algorithm]
        for chunk in chunks:
            if size > ratio * chunk.size:
                raise DecodeError(
                    f"{self.algorithm}: {chunk.size} bytes cannot hold the {size} bytes that "
                    f"shape {shape} and type {self._dtype.name} ask for"
                )


def _cut(
    data: Array, offsets: tuple[int, ...] | None, sizes: tuple[int, ...] | None
) -> list[Array]:
    """Return the chunks of a sample."""
    if offsets is None:
        sizes = sizes or ()
        offsets = tuple(accumulate(sizes[:-1], initial=0))[: len(sizes)]
    elif sizes is None:
        sizes = tuple(end - start for start, end in pairwise((*offsets, data.size)))
    if len(offsets) != len(sizes):
        raise DecodeError(f"{len(offsets)} chunk_offsets, but {len(sizes)} chunk_sizes")
    chunks = []
    for number, (start, size) in enumerate(zip(offsets, sizes, strict=True)):
        if start < 0 or size < 0 or start + size > data.size:
            raise DecodeError(
                f"chunk {number}, {size} bytes at offset {start}, does not lie inside the sample "
                f"of {data.size} bytes"
            )
        chunks.append(data[start : start + size])
    return chunks
