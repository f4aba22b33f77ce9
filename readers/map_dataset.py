"""Objects of Python with random access as a reader: `fn.readers.map_dataset`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..engine.arrays import Array, Int64s
from ..engine.errors import DecodeError
from ..engine.graph.operator import register
from ..engine.graph.params import ANY, INT, REQUIRED, param
from .reader import Reader
from .source import Allocate, Columns, checked_indices


@register
class MapDatasetReader(Reader):
    """Reads the samples of a Python object that has `__len__` and `__getitem__`.

    Such objects are the map-style data sets of PyTorch, and lists. They take part in shuffles,
    shards, checkpoints, mixtures, and batches of equal cost. Samples are NumPy arrays, what NumPy
    makes arrays of, numbers, or bytes; or tuples of these. All samples have outputs of the same
    types and numbers of dimensions as the first one. One thread asks for samples, or several with
    `prefetch_queue_depth`. Samples that are dicts, such as those of Hugging Face's `datasets`, need
    an object around them that returns their values; `fn.readers.parquet` reads the files.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def
    >>> squares = [(np.full(i, i, np.uint8), i * i) for i in range(1, 4)]
    >>> @pipeline_def(batch_size=3, num_threads=1)
    ... def numbers():
    ...     return tuple(fn.readers.map_dataset(squares, num_outputs=2))
    >>> with numbers() as pipe:
    ...     data, square = pipe.run()
    >>> [row.tolist() for row in data.rows()], square.as_array().tolist()
    ([[1], [2, 2], [3, 3, 3]], [1, 4, 9])

    Outputs:
        the values of the samples: with several, samples are tuples or lists of so many.

    Raises:
        ArgumentError: the object has no length or no samples.
        DecodeError: a sample is no array of numbers, or has another number of values, another type,
            or another number of dimensions than the first one.
        Exception: any error of the object is one of the sample (see `on_error` of the pipeline).
    """

    name = "readers.map_dataset"
    positional = ("dataset",)

    dataset = param(
        ANY, REQUIRED, "The object: `len(dataset)` samples, of which i is `dataset[i]`."
    )
    output_count = param(INT, 1, "Number of outputs.", name="num_outputs", minimum=1)

    refuses: ClassVar[Mapping[str, str]] = {
        "storage_options": "the object opens its data by itself; give it what they need"
    }

    source: MapSource

    def num_outputs(self) -> int:
        return int(self.output_count)

    def open_source(self) -> MapSource:
        if not hasattr(self.dataset, "__getitem__") or not hasattr(self.dataset, "__len__"):
            self.refuse(
                f"the data set is a {type(self.dataset).__name__}, which lacks __len__ or "
                "__getitem__; fn.external_source takes iterables and functions"
            )
        if not len(self.dataset):
            self.refuse("the data set has no samples")
        return MapSource(self.dataset, self.num_outputs())

    def placeholder(self) -> tuple[Array, ...]:
        return self.source.placeholder


class MapSource:
    """The samples of an object with `__len__` and `__getitem__`.

    Args:
        dataset: the object.
        count: number of values of a sample.
    """

    def __init__(self, dataset: Any, count: int) -> None:
        self._dataset = dataset
        self._count = count

    def __len__(self) -> int:
        return len(self._dataset)

    @cached_property
    def placeholder(self) -> tuple[Array, ...]:
        """Empty arrays of the types and numbers of dimensions that samples have."""
        return tuple(np.zeros((0,) * each.ndim, each.dtype) for each in self._sample(0))

    def read(self, indices: Int64s, allocate: Allocate) -> Columns:
        """Return the samples: see `Source.read`."""
        samples = [self._checked(i) for i in checked_indices(indices, len(self)).tolist()]
        return tuple([sample[i] for sample in samples] for i in range(self._count))

    def _checked(self, index: int) -> list[Array]:
        sample = self._sample(index)
        for i, (value, usual) in enumerate(zip(sample, self.placeholder, strict=True)):
            if (value.dtype, value.ndim) != (usual.dtype, usual.ndim):
                raise DecodeError(
                    f"{self.where(index)}: value {i} is of {value.dtype} with {value.ndim} "
                    f"dimensions, and of sample 0 of {usual.dtype} with {usual.ndim}; they must "
                    "agree"
                )
        return sample

    def _sample(self, index: int) -> list[Array]:
        sample = self._dataset[index]
        values: Sequence[Any] = [sample]
        if self._count > 1:
            values = sample if isinstance(sample, tuple | list) else ()
        if len(values) != self._count:
            raise DecodeError(
                f"{self.where(index)} is a {type(sample).__name__}, but with num_outputs="
                f"{self._count} each sample must be a tuple of so many values"
            )
        return [self._array(index, value) for value in values]

    def _array(self, index: int, value: object) -> Array:
        if isinstance(value, bytes | bytearray | memoryview):
            return np.frombuffer(value, np.uint8)
        try:
            array: Array = np.asarray(value)
        except Exception as error:  # any library's, of an object that is no array
            raise DecodeError(
                f"{self.where(index)}: NumPy makes no array of it: {error}"
            ) from error
        if array.dtype.kind not in "biuf":
            raise DecodeError(
                f"{self.where(index)}: a {type(value).__name__} is no array of numbers; return "
                "NumPy arrays, numbers or bytes"
            )
        return array

    def where(self, index: int) -> str:
        """Return the type of the object, and the number of the sample."""
        checked_indices(np.array([index]), len(self))
        return f"{type(self._dataset).__name__}[{index}]"

    def close(self) -> None:
        """Do nothing: the object is the program's."""
