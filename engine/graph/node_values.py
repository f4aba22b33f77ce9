"""The values of nodes whose operators run at once, as in debug mode."""

from __future__ import annotations

from itertools import islice
from typing import Any, Protocol

import numpy as np

from ..arrays import Array
from ..tensors import TensorList
from ..tensors.dtypes import DALIDataType

SHOWN_SAMPLES = 2
"""Samples that are shown of a batch whose samples differ in shape."""

SHOWN_ELEMENTS = 100
"""Elements up to which an array is shown whole, which fit on a screen."""


class ValuesOwner(Protocol):
    """A node of a graph.

    Attributes:
        values: a batch for each output; None while a pipeline is defined.
    """

    values: tuple[TensorList, ...] | None


class NodeValues:
    """Base of `DataNode`, with what needs values."""

    node: ValuesOwner
    index: int
    device: str
    name: str

    @property
    def label(self) -> str:
        """The node with its name and device, for messages."""
        return f"DataNode({self.name!r}, device={self.device!r})"

    def get(self) -> TensorList:
        """Return the values of this batch, in debug mode.

        Raises:
            TypeError: the pipeline is defined without `debug=True`, so there are no values.
        """
        if self.node.values is None:
            raise TypeError(
                f"{self.label} has no values while the pipeline is defined; pass debug=True to "
                "pipeline_def or to the definition's call, so that each run calls the definition"
            )
        return self.node.values[self.index].delivered(None)

    @property
    def dtype(self) -> DALIDataType:
        """Element type of the values, in debug mode.

        Raises:
            AttributeError: the pipeline is defined without `debug=True`, so there are no values.
        """
        if self.node.values is None:
            raise AttributeError(f"{self.label} has no dtype while the pipeline is defined")
        return self.node.values[self.index].dtype

    def __array__(self, *args: Any, **kwargs: Any) -> Array:
        """Return the values as one array, in debug mode; the samples must agree in shape."""
        if self.node.values is not None:
            return np.array(self.get().as_cpu().as_array(), *args, **kwargs)  # type: ignore[attr-defined]
        raise TypeError(
            f"{self.label} has no values while the pipeline is defined, so it is no array. "
            "fn.python_function calls functions of arrays, such as NumPy's, for each sample"
        )

    def __repr__(self) -> str:
        """Return name and device, and in debug mode the values."""
        if self.node.values is None:
            return self.label
        return f"{self.label} {values_as_text(self.get())}"


def values_as_text(data: TensorList) -> str:
    """Return a batch with its values, of which large arrays show the first and the last."""
    host = data.as_cpu()
    if not len(host):
        return repr(data)
    with np.printoptions(threshold=SHOWN_ELEMENTS, edgeitems=2, precision=6, suppress=True):
        if host.is_dense_tensor():
            values = str(host.as_array())
        else:
            rows = [str(row) for row in islice(host.rows(), SHOWN_SAMPLES)]
            values = "\n".join([*rows, *["..."] * (len(host) > SHOWN_SAMPLES)])
    return f"{data!r}:\n{values}"
