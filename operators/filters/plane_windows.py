"""The base of operators whose windows are rectangles of pixels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..common.batch_arguments import made_of_arguments
from ..kernels import kernel, launch_elements
from .filtered_axes import filter_axes, parts_of
from .gpu_windows import window_table


class PlaneWindow(NamedTuple):
    """A window of pixels; both fields are (vertical, horizontal).

    Attributes:
        extent: number of pixels.
        anchor: index of the pixel that is replaced.
    """

    extent: tuple[int, int]
    anchor: tuple[int, int]


class PlaneWindowOperator(SampleOperator, ABC):
    """Base: a subclass has the window of a sample, and what the pixels in the window become."""

    devices = ("cpu", "gpu")
    inputs = ("data",)

    @abstractmethod
    def window(self, *args: Any, **arguments: Any) -> PlaneWindow:
        """Return the window for the arguments of a sample."""

    @abstractmethod
    def filter_image(self, image: Array, window: PlaneWindow, out: Array) -> None:
        """Write the result for an image (height, width, channels), which is not empty."""

    @abstractmethod
    def kernel_of(self) -> tuple[str, dict[str, str | int]]:
        """Return the name of the kernel and of its file, and the kernel's macros."""

    def _axes(self, ndim: int) -> tuple[int, ...]:
        layout = self.layouts[0]
        axes = filter_axes(self.called, layout, ndim)
        if len(axes) != 2 or "".join(layout[axis] for axis in axes if layout) not in ("", "HW"):
            raise ArgumentError(
                f"{self.called} takes HW, HWC and CHW, or F in front of them, but the sample of "
                f"{ndim} dimensions is {layout!r}; use fn.transpose before"
            )
        return axes

    def sample(self, workspace: Workspace, data: Array, **arguments: object) -> Array:
        axes = self._axes(data.ndim)
        window = self.window(**arguments)
        out = workspace.empty(data.shape, data.dtype)
        if data.size:
            for part, result in zip(parts_of(data, axes), parts_of(out, axes), strict=True):
                self.filter_image(part, window, result)
        return out

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, **arguments: object
    ) -> TensorListGPU:
        axes, dtype = self._axes(data.ndim), to_numpy_type(data.dtype)
        nothing = PlaneWindow((1, 1), (0, 0))
        windows, possible = made_of_arguments(self, batch, arguments, self.window, nothing)
        out = batch.device.empty(data.extents(), dtype, self.output_layouts()[0])
        numbers = np.array(windows, np.int64).reshape(batch.size, 2, 2)
        table, elements = window_table(data, out, axes, numbers[:, 0], numbers[:, 1], possible)
        name, macros = self.kernel_of()
        function = kernel(f"filters/{name}", name, In=c_type(dtype), Out=c_type(dtype), **macros)
        launch_elements(batch.device, function, table, elements)
        return out


def two_numbers(name: str, values: Sequence[int]) -> tuple[int, int]:
    """Return (vertical, horizontal) of an argument that is (horizontal, vertical), or one for both.

    >>> two_numbers("mask_size", (3, 5))
    (5, 3)
    """
    if len(values) not in (1, 2):
        raise ArgumentError(f"{name} is {tuple(values)}; give (width, height), or one for both")
    return int(values[-1]), int(values[0])
