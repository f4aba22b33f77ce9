"""`fn.multi_paste`: regions of several images on each canvas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import ARRAY, DTYPE, INTS, param
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...engine.threads import Team
from ..common.batch_arguments import empty_rows, try_rows, values_of
from ..elementwise.saturation import saturate
from .gpu_multi_paste import paste_batch
from .regions import CanvasPlan, RegionArguments, plan_canvas

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

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
    devices = ("cpu", "gpu")
    assumed_layouts = _LAYOUTS
    inputs = ("*images",)

    in_ids = param(
        INTS, None, "Samples of the batch, one a region; for a single input.", per_sample=True
    )
    output_size = param(
        INTS,
        None,
        "Height and width of the canvas; by default those of the images, if all are the same.",
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
                raise ArgumentError(f"{self.called}: give either {name} or {name}_rel")
        if "in_ids" in self.given and len(self.layouts) > 1:
            raise ArgumentError(
                f"{self.called}: with in_ids there is one input, but {len(self.layouts)} are given"
            )
        wrong = [layout for layout in self.layouts if layout not in ("", *_LAYOUTS.values())]
        if wrong:
            raise ArgumentError(
                f"{self.called}: the images must be HWC or FHWC, but have the layout {wrong[0]!r}"
            )
        self._team = Team("penstock-multi-paste", _MOST_THREADS)

    def close(self) -> None:
        self._team.close()

    def batch(self, batch: BatchContext, *images: TensorList, **arguments: Any) -> TensorList:
        if batch.size == 0:
            return images[0]
        plans = self._plans(batch, images, arguments)
        out = empty_rows(batch, [plan.shape for plan in plans], self._dtype(images))

        def fill(i: int) -> None:
            sources = [images[number].row(row) for number, row in plans[i].sources]
            _fill(out[i], plans[i], sources)

        self._team.run_jobs(fill, range(len(plans)), self.placement.threads)
        return TensorListCPU(out, self.output_layouts()[0])

    def batch_gpu(
        self, batch: BatchContext, *images: TensorListGPU, **arguments: Any
    ) -> TensorListGPU:
        if batch.size == 0:
            return images[0]
        plans = self._plans(batch, images, arguments)
        return paste_batch(batch, images, plans, self._dtype(images))

    def _dtype(self, images: Sequence[TensorList]) -> np.dtype[Any]:
        types = [to_numpy_type(each.dtype) for each in images]
        if len(set(types)) > 1:
            raise ArgumentError(
                f"{self.called}: the inputs are {' and '.join(map(str, types))}; they must have "
                "one type"
            )
        return types[0] if self.dtype is None else to_numpy_type(self.dtype)

    def _plans(
        self, batch: BatchContext, images: Sequence[TensorList], arguments: Any
    ) -> list[CanvasPlan]:
        """Return the plan of each canvas; canvases with errors are empty."""
        count = len(images[0])
        shapes = [each.shape() for each in images]
        if any(len(shape) not in _LAYOUTS for rows in shapes for shape in rows):
            raise ArgumentError(
                f"{self.called}: the images must be HWC or FHWC, but have the shapes "
                f"{sorted({shape for rows in shapes for shape in rows})}"
            )
        rows = {name: values_of(self, name, value, count) for name, value in arguments.items()}
        common = {shape[-3:-1] for each in shapes for shape in each}
        plans: list[CanvasPlan] = []

        def plan(i: int) -> None:
            own = {name: values[i] for name, values in rows.items()}
            sources = self._sources(own.pop("in_ids"), i, len(images), count)
            canvas = self._canvas(own.pop("output_size"), common)
            chosen = [shapes[number][row] for number, row in sources]
            regions = RegionArguments(**own)
            plans.append(plan_canvas(self.called, canvas, sources, chosen, shapes[0][i], regions))

        for i in range(count):
            if try_rows(batch, [i], plan):
                none = np.zeros((1, 0, 2), np.int64)
                plans.append(CanvasPlan((0,) * len(shapes[0][i]), (), none, none, none))
        return plans

    def _sources(self, in_ids: Any, row: int, inputs: int, count: int) -> list[tuple[int, int]]:
        if in_ids is None:
            return [(number, row) for number in range(inputs)]
        chosen = np.atleast_1d(np.asarray(in_ids, np.int64)).tolist()
        wrong = [sample for sample in chosen if not 0 <= sample < count]
        if wrong:
            raise ArgumentError(
                f"{self.called}: in_ids has {wrong[0]}, but the batch has {count} samples"
            )
        return [(0, sample) for sample in chosen]

    def _canvas(self, size: Any, common: set[tuple[int, ...]]) -> tuple[int, int]:
        if size is None:
            if len(common) > 1:
                raise ArgumentError(
                    f"{self.called}: the images have different sizes, {sorted(common)[:3]}; give "
                    "output_size"
                )
            (only,) = common
            return only[0], only[1]
        extents = np.atleast_1d(np.asarray(size)).tolist()
        if len(extents) != 2 or min(extents) < 1:
            raise ArgumentError(
                f"{self.called}: output_size is {tuple(extents)}; give (height, width) in pixels, "
                "each at least 1"
            )
        return extents[0], extents[1]


def _fill(out: Array, plan: CanvasPlan, sources: Sequence[Array]) -> None:
    """Paste the regions of one canvas."""
    height, width = out.shape[-3:-1]
    if not (plan.extents == (height, width)).all(axis=-1).any(axis=-1).all():
        out[...] = 0
    tables = [each.tolist() for each in (plan.start, plan.to, plan.extents)]
    for i, boxes in enumerate(zip(*tables, strict=True)):
        frames = slice(None) if len(plan.start) == 1 else slice(i, i + 1)
        for source, (y, x), (to_y, to_x), (h, w) in zip(sources, *boxes, strict=True):
            leading = (frames,) * (out.ndim - 3)
            part = source[(*leading, slice(y, y + h), slice(x, x + w))]
            saturate(part, out[(*leading, slice(to_y, to_y + h), slice(to_x, to_x + w))])
