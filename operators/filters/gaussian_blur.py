"""`fn.gaussian_blur`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import DTYPE, FLOATS, INTS, param
from ...engine.graph.row_arguments import arguments_of_row, try_rows
from ...engine.graph.rules import GpuRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..common.batch_arguments import numbers_of
from ..elementwise.target_dtype import target_type
from .cpu_filter import filter_sample
from .filtered_axes import filter_axes, parts_of
from .gpu_filter import filter_batch
from .windows import weights, windows_of, windows_together


@register
class GaussianBlur(SampleOperator):
    """Blurs samples with a Gaussian window along all axes but C and F.

    Where only sigma is given, the window has `2 * ceil(3 * sigma) + 1` elements. Where only the
    window is given, sigma is `((window_size - 1) / 2 - 1) * 0.3 + 0.8`. Beyond the border the
    sample is mirrored, without the border element twice. CPU and GPU agree within 1 in integers,
    and 1e-5 of the largest number in floats.

    Inputs:
        data: one to three axes of any letters, with F before and C before or after them, such as
            HWC, CHW, HW, FHWC, DHWC; without a layout all axes are blurred. Any type but bool.

    Outputs:
        the blurred samples: of the input's shape, layout and, if `dtype` is not given, type.
    """

    name = "gaussian_blur"
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(rehearses=True)
    inputs = ("data",)

    dtype = param(DTYPE, None, "Element type of the result, by default the input's.")
    sigma = param(
        FLOATS,
        (0.0,),
        "Standard deviation in elements: one, or one for each axis. 0 follows from the window.",
        per_sample=True,
        minimum=0,
    )
    window_size = param(
        INTS,
        (0,),
        "Elements of the window, an odd number: one, or one for each axis. 0 follows from sigma.",
        per_sample=True,
        minimum=0,
    )

    def prepare(self) -> None:
        self._target = target_type(self)

    def sample(self, workspace: Workspace, data: Array, *, sigma: Any, window_size: Any) -> Array:
        axes = filter_axes(self.called, self.layouts[0], data.ndim)
        windows = windows_of(sigma, window_size, len(axes))
        out = workspace.empty(data.shape, self._target or data.dtype)
        if not data.size:
            return out
        kernels = [weights(window) for window in windows]
        for part, target in zip(parts_of(data, axes), parts_of(out, axes), strict=True):
            filter_sample(workspace, part, kernels, target)
        return out

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, *, sigma: object, window_size: object
    ) -> TensorListGPU:
        axes = filter_axes(self.called, self.layouts[0], data.ndim)
        arguments = {"sigma": sigma, "window_size": window_size}
        numbers = [numbers_of(values, batch.size, len(axes)) for values in arguments.values()]
        windows, left = windows_together(*numbers)

        def settle(row: int) -> None:
            values = arguments_of_row(self, arguments, row)
            for axis, window in enumerate(windows_of(**values, axes=len(axes))):
                windows.sigma[row, axis], windows.size[row, axis] = window

        for row in try_rows(batch, np.flatnonzero(left), settle):
            windows.sigma[row] = windows.size[row] = 1
        target = self._target or to_numpy_type(data.dtype)
        return filter_batch(batch, data, target, axes, windows)
