"""The values of nodes whose operators run at once, as in debug mode."""

from __future__ import annotations

from abc import abstractmethod
from itertools import islice
from typing import Any

import numpy as np

from ..arrays import Array
from ..tensors import TensorList
from ..tensors.dtypes import DALIDataType

SHOWN_SAMPLES = 2
"""Samples that are shown of a batch whose samples differ in shape."""

SHOWN_ELEMENTS = 100
"""Elements up to which an array is shown whole, which fit on a screen."""


class NodeValues:
    """Base of `DataNode`, with what needs values."""

    device: str

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the node."""

    @property
    @abstractmethod
    def batch(self) -> TensorList | None:
        """The values as the operator has returned them; None while a pipeline is defined."""

    @property
    def label(self) -> str:
        """The node with its name and device, for messages."""
        return f"DataNode({self.name!r}, device={self.device!r})"

    def get(self) -> TensorList:
        """Return the values of this batch, in debug mode.

        Raises:
            TypeError: the pipeline is defined without `debug=True`, so there are no values.
        """
        if (value := self.batch) is None:
            raise TypeError(
                f"{self.label} has no values while the pipeline is defined; pass debug=True to "
                "pipeline_def or to the definition's call, so that each run calls the definition"
            )
        return value.delivered(None)

    @property
    def dtype(self) -> DALIDataType:
        """Element type of the values, in debug mode.

        Raises:
            AttributeError: the pipeline is defined without `debug=True`, so there are no values.
        """
        if (value := self.batch) is None:
            raise AttributeError(f"{self.label} has no dtype while the pipeline is defined")
        return value.dtype

    def __array__(self, *args: Any, **kwargs: Any) -> Array:
        """Return the values as one array, in debug mode; the samples must agree in shape."""
        if self.batch is not None:
            return np.array(self.get().as_cpu().dense(), *args, **kwargs)
        raise TypeError(
            f"{self.label} has no values while the pipeline is defined, so it is no array. "
            "fn.python_function calls functions of arrays, such as NumPy's, for each sample"
        )

    def __repr__(self) -> str:
        """Return name and device, and in debug mode the values."""
        if self.batch is None:
            return self.label
        return f"{self.label} {values_as_text(self.get())}"


def values_as_text(data: TensorList) -> str:
    """Return a batch with its values, of which large arrays show the first and the last."""
    host = data.as_cpu()
    if not len(host):
        return repr(data)
    with np.printoptions(threshold=SHOWN_ELEMENTS, edgeitems=2, precision=6, suppress=True):
        if host.is_dense_tensor():
            values = str(host.dense())
        else:
            rows = [str(row) for row in islice(host.rows(), SHOWN_SAMPLES)]
            values = "\n".join([*rows, *["..."] * (len(host) > SHOWN_SAMPLES)])
    return f"{data!r}:\n{values}"
