"""Indexing and slicing of samples: what `node[...]` does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, HeapWorkspace, Workspace
from ...engine.graph.index_keys import IndexFromData, NewAxis
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import ANY, INTS, REQUIRED, param
from ...engine.graph.row_arguments import try_rows
from ...engine.graph.rules import Input
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from .gpu_copies import copy_views
from .gpu_subscript import indexed_views
from .strided_views import StridedViews


@register
class Subscript(SampleOperator):
    """Indexes each sample, as NumPy's basic indexing does.

    Indices count from the end where negative; slices are cut to what there is. A dimension
    that is indexed loses its letter in the layout; one that is inserted without a name
    leaves no layout.

    Raises:
        IndexError: an index is out of range, or there are more of them than dimensions.
    """

    name = "_subscript"
    called = "indexing"
    devices = ("cpu", "gpu")
    inputs = ("data",)
    key = param(ANY, REQUIRED, "The key, from `engine.graph.index_keys.split_key`.")
    indices = param(INTS, (), "The index for each `IndexFromData` of the key.", per_sample=True)

    def prepare(self) -> None:
        self._constant = None if "indices" in self.per_sample else _resolve(self.key, ())

    def output_layouts(self) -> tuple[str, ...]:
        return (_layout(self.key, self.layouts[0]),)

    def sample(self, workspace: Workspace, data: Array, *, indices: tuple[int, ...]) -> Array:
        key = _resolve(self.key, indices) if self._constant is None else self._constant
        return _take(data, key)

    def batch(self, batch: BatchContext, data: TensorList, *, indices: Any) -> TensorListCPU:
        """Index a whole batch, in one call where it is dense and the key is the same for all."""
        layout = self.output_layouts()[0]
        if self._constant is not None and data.is_dense_tensor() and len(data):
            _take(data.row(0), self._constant)
            return TensorListCPU(data.dense()[(slice(None), *self._constant)], layout)
        rows = []
        for i in range(len(data)):
            key = self._constant
            if key is None:
                key = _resolve(self.key, indices.row(i).reshape(-1).tolist())
            rows.append(_take(data.row(i), key))
        return TensorListCPU(rows, layout)

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU, *, indices: Any) -> TensorListGPU:
        view = StridedViews.of(data)
        key, numbers = self._constant, None
        if key is None:
            numbers = np.array([row.reshape(-1) for row in indices.rows()], np.int64)
            key = _resolve(self.key, numbers.T)
        if sum(item is not None and item is not Ellipsis for item in key) <= data.ndim:
            views, wrong = indexed_views(view, key)
        else:
            views, wrong = view, np.ones(len(data), bool)

        def alone(i: int) -> None:
            shown = key if numbers is None else _resolve(self.key, numbers[i].tolist())
            _take(np.broadcast_to(np.uint8(0), tuple(view.shapes[i].tolist())), shown)

        for i in try_rows(batch, np.flatnonzero(wrong), alone):
            views.shapes[i] = 0
        return copy_views(batch, views)


@register
class Indices(SampleOperator):
    """Joins scalars that serve as indices into one vector of int64."""

    name = "_indices"
    called = "indexing"
    inputs = (Input("scalars", many=True),)

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(self, workspace: Workspace, *scalars: Array) -> Array:
        for scalar in scalars:
            if scalar.ndim != 0 or scalar.dtype.kind not in "iu":
                raise ArgumentError(
                    "an index must be an integer scalar, but is of type "
                    f"{scalar.dtype} and shape {scalar.shape}; take one element of it "
                    "(node[0]), or cast it"
                )
        return np.array(scalars, np.int64)

    def batch(self, batch: BatchContext, *scalars: TensorList) -> Array:
        """Join the scalars of a whole batch."""
        return np.stack(
            [self.sample(HeapWorkspace(), *(s.row(i) for s in scalars)) for i in range(batch.size)]
        )


def _resolve(key: tuple[object, ...], indices: Any) -> tuple[object, ...]:
    """Return the key as NumPy takes it."""

    def number(value: Any) -> Any:
        return indices[value.number] if isinstance(value, IndexFromData) else value

    def item(value: object) -> Any:
        if isinstance(value, NewAxis):
            return None
        if isinstance(value, slice):
            return slice(number(value.start), number(value.stop), number(value.step))
        return number(value)

    return tuple(map(item, key))


def _take(data: Array, key: tuple[Any, ...]) -> Array:
    try:
        return np.asarray(data[key])
    except (IndexError, ValueError) as error:
        shown = ", ".join("newaxis" if item is None else _show(item) for item in key)
        raise IndexError(f"[{shown}] of a sample of shape {data.shape}: {error}") from None


def _show(item: object) -> str:
    if not isinstance(item, slice):
        return "..." if item is Ellipsis else str(item)
    ends = [item.start, item.stop] + ([] if item.step is None else [item.step])
    return ":".join("" if end is None else str(end) for end in ends)


def _layout(key: tuple[object, ...], layout: str) -> str:
    named = all(item.name is not None for item in key if isinstance(item, NewAxis))
    if not layout or not named:
        return ""
    letters = iter(layout)
    used = sum(item is not Ellipsis and not isinstance(item, NewAxis) for item in key)
    result = ""
    for item in key:
        if isinstance(item, NewAxis):
            result += item.name or ""
        elif item is Ellipsis:
            result += "".join(next(letters) for _ in range(len(layout) - used))
        elif isinstance(item, slice):
            result += next(letters, "")
        else:
            next(letters, "")
    return result + "".join(letters)
