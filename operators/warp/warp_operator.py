"""The base of operators that move pixels by affine maps: axes, canvases, and both devices."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.arrays import Float64s, Int64s
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator
from ...engine.graph.params import ANY_FLOAT, DTYPE, FLOATS, INTERP, param
from ...engine.graph.rules import GpuRules, SequenceRules
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import DALIInterpType, to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, layout_of
from ...geometry.rounding import round_away
from ..common.batch_arguments import enter_errors
from ..common.number_arguments import check_numbers
from ..elementwise.target_dtype import target_type
from .cpu_volume import warp_volume
from .cpu_warp import Sampling, warp
from .frame_maps import FrameMaps, canvases_fit, check_extents, given_sizes
from .gpu_volume import warp_volumes
from .gpu_warp import warp_images

_LAYOUT = re.compile("(F?)(D?)HWC?")


class WarpAxes(NamedTuple):
    """The axes of a sample.

    Attributes:
        first: index of the first spatial axis; an axis of frames stands in front of it.
        ndim: number of spatial axes: 2 for images, 3 for volumes.
    """

    first: int
    ndim: int

    @property
    def leading(self) -> int:
        """The number of axes in front of the channels."""
        return self.first + self.ndim

    def extent(self, shapes: Any) -> Any:
        """Return the spatial extents: of a shape, or of shapes (batch, ndim)."""
        chosen = slice(self.first, self.leading)
        return shapes[chosen] if isinstance(shapes, tuple) else shapes[:, chosen]


class WarpOperator(SampleOperator, ABC):
    """Base: a subclass has the maps of one sample in `sample`, and those of a batch in `maps`."""

    devices = ("cpu", "gpu")
    on_gpu = GpuRules(rehearses=True)
    assumed_layouts = VIDEO_LAYOUTS
    sequences = SequenceRules(own_frames=True)
    turned = False

    fill_value = param(
        ANY_FLOAT, None, "What lies around the image; by default its border is repeated."
    )
    interp_type = param(
        INTERP,
        DALIInterpType.INTERP_LINEAR,
        "Interpolation: INTERP_NN or INTERP_LINEAR.",
        choices=(DALIInterpType.INTERP_NN, DALIInterpType.INTERP_LINEAR),
    )
    size = param(
        FLOATS,
        (),
        "Height and width of the canvas in pixels, for volumes with the depth in front of them; "
        "rounded to integers.",
        per_sample=True,
    )
    dtype = param(
        DTYPE,
        None,
        "Element type of the result, by default the input's.",
        aliases=("output_dtype",),
    )

    def prepare(self) -> None:
        self.target = target_type(self)
        self.sampling = Sampling(self.interp_type == DALIInterpType.INTERP_NN, self.fill_value)
        if self.layouts[0]:
            self._parse(self.layouts[0])

    @abstractmethod
    def maps(
        self,
        batch: BatchContext,
        axes: WarpAxes,
        frames: Int64s,
        extents: Int64s,
        canvas: Int64s,
        *others: Any,
        **arguments: Any,
    ) -> FrameMaps:
        """Return the maps of a batch.

        Args:
            axes: of the samples.
            frames: number of frames of each sample: (batch,).
            extents: of the samples: (batch, 2 or 3).
            canvas: the argument `size`: (batch, 2 or 3); 0 where it is not given, -1 if wrong.
            others: further inputs.
            arguments: the subclass's arguments that may vary by sample.
        """

    def axes_of(self, ndim: int) -> WarpAxes:
        """Return the axes of a sample with `ndim` dimensions."""
        return self._parse(layout_of(self.layouts[0], ndim, VIDEO_LAYOUTS))

    def _parse(self, layout: str) -> WarpAxes:
        match = _LAYOUT.fullmatch(layout)
        if match is None:
            raise ArgumentError(
                f"{self.called} takes HW, HWC, DHW and DHWC, or F in front of them, but the sample "
                f"is {layout!r}; bring it into such an order with fn.transpose"
            )
        return WarpAxes(len(match[1]), 2 + len(match[2]))

    def given_canvas(self, axes: WarpAxes, size: Sequence[float]) -> tuple[int, ...] | None:
        """Return the argument `size` of a sample as integers; None if it is not given."""
        if not size:
            return None
        if len(size) == 1:
            size = [size[0]] * axes.ndim
        if len(size) != axes.ndim:
            wanted = "(height, width)" if axes.ndim == 2 else "(depth, height, width)"
            raise ArgumentError(f"size is {tuple(size)}; give {wanted}")
        check_numbers(self, {"size": size})
        return tuple(map(round_away, size))

    def write(
        self,
        workspace: Workspace,
        image: Array,
        axes: WarpAxes,
        canvas: tuple[int, ...],
        matrices: Iterable[Float64s],
    ) -> Array:
        """Return a sample on its canvas, under the map of each frame."""
        extent = axes.extent(image.shape)
        check_extents(extent, canvas)
        frames = image.shape[: axes.first]
        shape = (*frames, *canvas, *image.shape[axes.leading :])
        out = workspace.empty(shape, self.target or image.dtype)
        write = warp if axes.ndim == 2 else warp_volume
        pairs = zip(image, out, strict=True) if axes.first else [(image, out)]
        for (frame, result), matrix in zip(pairs, matrices, strict=True):
            write(frame, result, matrix, self.sampling)
        return out

    def batch_gpu(
        self,
        batch: BatchContext,
        data: TensorListGPU,
        *others: TensorList,
        size: Any,
        **arguments: Any,
    ) -> TensorListGPU:
        axes = self.axes_of(data.ndim)
        shapes, source = data.extents(), to_numpy_type(data.dtype)
        extents = axes.extent(shapes)
        frames = shapes[:, 0] if axes.first else np.ones_like(shapes[:, 0])
        canvas = given_sizes(size, batch.size, axes.ndim)
        maps = self.maps(batch, axes, frames, extents, canvas, *others, **arguments)
        possible = maps.possible & canvases_fit(extents, maps.canvas)
        enter_errors(self, batch, data, possible, {**arguments, "size": size}, *others)

        canvas = np.where(possible[:, None], maps.canvas, 1)
        matrices = np.where(possible[maps.samples, None], maps.matrices, 0.0)
        maps = maps._replace(possible=possible, canvas=canvas, matrices=matrices)
        resized = np.column_stack([shapes[:, : axes.first], canvas, shapes[:, axes.leading :]])
        out = batch.device.empty(resized, self.target or source, self.output_layouts()[0])
        if axes.ndim == 3:
            warp_volumes(batch, data, out, maps, self.sampling, axes.leading)
        else:
            leading, turned = axes.leading, self.turned
            warp_images(batch, data, out, maps, self.sampling, leading=leading, turned=turned)
        return out
