"""`fn.multi_paste`: regions of several images on each canvas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ...engine.arrays import DType
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import ARRAY, DTYPE, INTS, param
from ...engine.graph.row_arguments import array_of
from ...engine.graph.rules import BatchRules, Input
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...engine.tensors.source_info import joined
from ...engine.threads import Team
from ..common.batch_arguments import empty_rows
from ..elementwise.saturation import saturate
from .gpu_multi_paste import paste_batch
from .regions import CanvasPlans, RegionArguments, empty_canvas, plan_canvases

List = TypeVar("List", TensorListCPU, TensorListGPU)

_LAYOUTS = {3: "HWC", 4: "FHWC"}
_MOST_THREADS = 64


@register
class MultiPaste(BatchOperator):
    """Pastes regions of images on black canvases, such as four images for a mosaic.

    With `in_ids`, the regions of a canvas come from these samples of the batch. Without, region i
    comes from input i. Later regions cover earlier ones. Numbers are (y, x) or (height, width) for
    each region: shape (regions, 2), or (frames, regions, 2) for videos; or one number for all.
    Relative anchors are rounded down, relative shapes up.

    Inputs:
        images: HWC or FHWC; any type, the same for all inputs.

    Outputs:
        the canvases: HWC or FHWC; of `dtype`, or of the type of the input.

    Raises:
        ArgumentError: a region reaches out of its image or the canvas, images of one canvas have
            different numbers of channels or frames, or the size of the canvas is not known.
    """

    name = "multi_paste"
    batches = BatchRules(sample_independent=False)  # it pastes samples of the same batch
    devices = ("cpu", "gpu")
    assumed_layouts = _LAYOUTS
    inputs = (Input("images", many=True),)

    in_ids = param(
        INTS, None, "Samples of the batch, one a region; for a single input.", per_sample=True
    )
    output_size = param(
        INTS,
        None,
        "Height and width of the canvas, by default those of the images, if all are the same. "
        "Further numbers, such as that of the channels, have no effect.",
        per_sample=True,
        minimum=1,
    )
    in_anchors = param(ARRAY, None, "First pixel in the image; by default 0.", per_sample=True)
    in_anchors_rel = param(ARRAY, None, "The same, relative to the image.", per_sample=True)
    out_anchors = param(ARRAY, None, "First pixel on the canvas; by default 0.", per_sample=True)
    out_anchors_rel = param(ARRAY, None, "The same, relative to the canvas.", per_sample=True)
    shapes = param(
        ARRAY,
        None,
        "Size of the region; by default from the anchor to the end of the image.",
        per_sample=True,
    )
    shapes_rel = param(ARRAY, None, "The same, relative to the image.", per_sample=True)
    dtype = param(DTYPE, None, "Element type of the result, by default the input's.")

    def prepare(self) -> None:
        for name in ("in_anchors", "out_anchors", "shapes"):
            if {name, f"{name}_rel"} <= self.given:
                self.refuse(f"give either {name} or {name}_rel")
        if "in_ids" in self.given and len(self.layouts) > 1:
            self.refuse(f"with in_ids there is one input, but {len(self.layouts)} are given")
        wrong = [layout for layout in self.layouts if layout not in ("", *_LAYOUTS.values())]
        if wrong:
            self.refuse(f"the images must be HWC or FHWC, but have the layout {wrong[0]!r}")
        self._team = Team("penstock-multi-paste", _MOST_THREADS)

    def close(self) -> None:
        self._team.close()

    def batch(self, batch: BatchContext, *images: TensorList, **arguments: Any) -> TensorList:
        if batch.size == 0:
            return images[0]
        plans = self._plans(batch, images, arguments)
        canvases = {row: (plan, i) for plan in plans for i, row in enumerate(plan.rows)}
        shapes = [tuple(plan.shapes[i].tolist()) for _, (plan, i) in sorted(canvases.items())]
        out = empty_rows(batch, shapes, self._dtype(images))

        def fill(row: int) -> None:
            plan, i = canvases[row]
            places = zip(*(column[i].tolist() for column in plan.sources), strict=True)
            sources = [images[index].row(source) for index, source in places]
            _fill(out[row], plan.start[i], plan.to[i], plan.extents[i], sources)

        self._team.run_jobs(fill, range(len(canvases)), self.placement.threads)
        return _named(TensorListCPU(out, self.output_layouts()[0]), images, plans)

    def batch_gpu(
        self, batch: BatchContext, *images: TensorListGPU, **arguments: object
    ) -> TensorListGPU:
        if batch.size == 0:
            return images[0]
        plans = self._plans(batch, images, arguments)
        return _named(paste_batch(batch, images, plans, self._dtype(images)), images, plans)

    def _dtype(self, images: Sequence[TensorList]) -> DType:
        types = [to_numpy_type(data.dtype) for data in images]
        if len(set(types)) > 1:
            self.refuse(f"the inputs are {' and '.join(map(str, types))}; they must have one type")
        return types[0] if self.dtype is None else to_numpy_type(self.dtype)

    def _plans(
        self, batch: BatchContext, images: Sequence[TensorList], arguments: Mapping[str, object]
    ) -> list[CanvasPlans]:
        """Return the plans of all canvases; canvases with errors are empty."""
        extents = self._extents(images)
        groups = _groups_of_one_form(arguments, extents[0, :, :-3])
        return [plan for rows in groups for plan in self._group(batch, extents, rows, arguments)]

    def _group(
        self,
        batch: BatchContext,
        extents: Array,
        rows: Sequence[int],
        arguments: Mapping[str, object],
    ) -> list[CanvasPlans]:
        """Return one plan for some rows; if a canvas has an error, those of both halves."""
        own = {name: _chosen(value, rows) for name, value in arguments.items()}
        try:
            return [self._plan(extents, rows, own)]
        except Exception as error:
            if len(rows) == 1:
                batch.fail_row(rows[0], error)
                return [empty_canvas(rows[0], extents.shape[2])]
        middle = len(rows) // 2
        first, second = (
            self._group(batch, extents, half, arguments) for half in (rows[:middle], rows[middle:])
        )
        return first + second

    def _extents(self, images: Sequence[TensorList]) -> Array:
        """Return the shapes of all images: (inputs, batch, ndim)."""
        shapes = [data.shape() for data in images]
        distinct = {len(shape): shape for rows in shapes for shape in rows}
        if not distinct.keys() <= _LAYOUTS.keys():
            self.refuse(
                "the images must be HWC or FHWC, but have the shapes "
                f"{sorted({shape for rows in shapes for shape in rows})}"
            )
        if len(distinct) > 1:
            self.refuse(
                f"images of the shapes {distinct[3]} and {distinct[4]} cannot be pasted together; "
                "their channels and frames must be as many"
            )
        return np.stack([data.extents() for data in images])

    def _plan(
        self, extents: Array, rows: Sequence[int], arguments: Mapping[str, object]
    ) -> CanvasPlans:
        """Return the plan of the canvases of some rows, whose arguments these are."""
        given = dict(arguments)
        sources = self._sources(given.pop("in_ids"), rows, extents)
        canvases = self._canvases(given.pop("output_size"), len(rows), extents)
        regions = RegionArguments(**{name: _stacked(value) for name, value in given.items()})
        return plan_canvases(self.called, rows, canvases, sources, extents, regions)

    def _sources(self, in_ids: object, rows: Sequence[int], extents: Array) -> tuple[Array, Array]:
        """Return input and row of the source of each region: (rows, regions)."""
        inputs, count = extents.shape[:2]
        if in_ids is None:
            numbers, own = np.broadcast_arrays(np.arange(inputs), np.array(rows)[:, np.newaxis])
            return numbers, own
        ids = array_of(self, "in_ids", in_ids, len(rows)).astype(np.int64)
        wrong = ids[(ids < 0) | (ids >= count)]
        if wrong.size:
            self.refuse(f"in_ids has {wrong[0]}, but the batch has {count} samples")
        return np.zeros_like(ids), ids

    def _canvases(self, size: object, count: int, extents: Array) -> Array:
        """Return height and width of each canvas: (count, 2)."""
        if size is None:
            sizes = extents[..., -3:-1].reshape(-1, 2)
            if (sizes != sizes[0]).any():
                some = list(map(tuple, np.unique(sizes, axis=0)[:3].tolist()))
                self.refuse(f"the images have different sizes, {some}; give output_size")
            return np.broadcast_to(sizes[0], (count, 2))
        canvases = array_of(self, "output_size", size, count).astype(np.int64)
        if canvases.shape[1] < 2 or canvases.min() < 1:
            self.refuse(
                f"output_size is {tuple(canvases[0].tolist())}; give (height, width) in pixels, "
                "each at least 1"
            )
        return canvases[:, :2]


def _groups_of_one_form(arguments: Mapping[str, object], frames: Array) -> list[Sequence[int]]:
    """Return groups of samples; in a group the values of each argument have one form.

    Args:
        arguments: of the operator.
        frames: number of frames of each sample: (batch, 1); (batch, 0) for images.
    """
    uneven = [
        value
        for value in arguments.values()
        if isinstance(value, TensorList) and not value.is_dense_tensor()
    ]
    if not uneven and (frames == frames[0]).all():
        return [range(len(frames))]
    groups: dict[object, list[int]] = {}
    for row, length in enumerate(frames.tolist()):
        values = [value.row(row) for value in uneven]
        form = *length, *((array.shape, array.dtype) for array in values)
        groups.setdefault(form, []).append(row)
    return [*groups.values()]


def _chosen(value: object, rows: Sequence[int]) -> object:
    """Return an argument of some samples, whose values have one form."""
    if not isinstance(value, TensorList) or len(value) == len(rows):
        return value
    if value.is_dense_tensor():
        return TensorListCPU(value.dense()[rows])
    return TensorListCPU([value.row(row) for row in rows])


def _stacked(value: Any) -> Array | None:
    """Return the numbers of samples, or one array for all: (samples or 1, ...)."""
    if not isinstance(value, TensorList):
        return None if value is None else value[np.newaxis]
    numbers: Array = ARRAY.convert(value.dense())
    return numbers.reshape(-1) if numbers.size == len(numbers) else numbers


def _named(canvases: List, images: Sequence[TensorList], plans: Sequence[CanvasPlans]) -> List:
    """Return canvases whose names are those of their regions' sources."""
    names = [data.names for data in images]
    places: dict[int, list[tuple[int, int]]] = {}
    for plan in plans:
        for row, numbers, rows in zip(plan.rows, *plan.sources, strict=True):
            places[row] = list(zip(numbers.tolist(), rows.tolist(), strict=True))

    def sources(row: int) -> list[str]:
        return [own[source] for number, source in places[row] if (own := names[number])]

    return canvases.with_source_info(joined(sources, len(canvases)))


def _fill(out: Array, start: Array, to: Array, extents: Array, sources: Sequence[Array]) -> None:
    """Paste the regions of one canvas: see `CanvasPlans`."""
    height, width = out.shape[-3:-1]
    if not (extents == (height, width)).all(axis=-1).any(axis=-1).all():
        out[...] = 0
    tables = [table.tolist() for table in (start, to, extents)]
    for i, boxes in enumerate(zip(*tables, strict=True)):
        frames = slice(None) if len(start) == 1 else slice(i, i + 1)
        for source, (y, x), (to_y, to_x), (h, w) in zip(sources, *boxes, strict=True):
            leading = (frames,) * (out.ndim - 3)
            part = source[(*leading, slice(y, y + h), slice(x, x + w))]
            saturate(part, out[(*leading, slice(to_y, to_y + h), slice(to_x, to_x + w))])
