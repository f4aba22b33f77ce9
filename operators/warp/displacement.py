"""The base of operators that move each pixel in a way of their own."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ...engine.arrays import Float32s
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator
from ...engine.graph.params import ANY_FLOAT, INT, INTERP, param
from ...engine.graph.rules import SequenceRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import DALIInterpType, to_numpy_type
from ...geometry.layouts import IMAGE_LAYOUTS, image_layout
from ..common.batch_arguments import enter_errors, numbers_of
from .cpu_warp import Sampling, sample_at
from .frame_maps import canvases_fit, check_extents
from .gpu_displacement import launch_displacement


class DisplacementOperator(SampleOperator, ABC):
    """Base: a subclass says where in the image the pixels of the result lie.

    Positions are computed in float32, with the same operations on both devices.
    """

    devices = ("cpu", "gpu")
    inputs = ("images",)
    assumed_layouts = IMAGE_LAYOUTS
    sequences = SequenceRules(frame_by_frame=True)
    kernel_name: str  # and the name of its file

    fill_value = param(ANY_FLOAT, 0.0, "Value of what lies around the image.")
    interp_type = param(
        INTERP,
        DALIInterpType.INTERP_NN,
        "Interpolation: INTERP_NN or INTERP_LINEAR.",
        choices=(DALIInterpType.INTERP_NN, DALIInterpType.INTERP_LINEAR),
    )
    mask = param(INT, 1, "Whether to move the pixels; 0 leaves them alone.", per_sample=True)

    def prepare(self) -> None:
        self._sampling = Sampling(self.interp_type == DALIInterpType.INTERP_NN, self.fill_value)

    @abstractmethod
    def positions(self, workspace: Workspace, height: int, width: int) -> Float32s:
        """Return x and y of each pixel of the result, in pixel indices: (2, height, width)."""

    @abstractmethod
    def gpu_arguments(
        self, batch: BatchContext, extents: object
    ) -> tuple[dict[str, object], list[object]]:
        """Return the fields of the kernel's table, and the kernel's further arguments.

        Args:
            extents: height and width of each sample: (batch, 2).
        """

    def index_at(self, coordinates: Float32s) -> Float32s:
        """Return pixel indices for coordinates that are 0 at the corner of the first pixel."""
        if self._sampling.nearest:
            return np.floor(coordinates)
        return np.asarray(coordinates - np.float32(0.5), np.float32)

    def sample(self, workspace: Workspace, image: Array, *, mask: int) -> Array:
        image_layout(self.called, self.layouts[0], image.ndim)
        height, width = image.shape[:2]
        check_extents((height, width), (height, width))
        if not mask:
            return image
        out = workspace.empty(image.shape, image.dtype)
        source, target = (array.reshape(height, width, -1) for array in (image, out))
        sample_at(source, target, self.positions(workspace, height, width), self._sampling)
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, *, mask: object
    ) -> TensorListGPU:
        image_layout(self.called, self.layouts[0], images.ndim)
        shapes, dtype = images.extents(), to_numpy_type(images.dtype)
        extents = shapes[:, :2]
        moves = numbers_of(mask, batch.size)[:, 0] != 0
        possible = canvases_fit(extents, extents)
        enter_errors(self, batch, images, possible, {"mask": mask})
        out = batch.device.empty(shapes, dtype, self.output_layouts()[0])
        fields, arguments = self.gpu_arguments(batch, np.where(possible[:, np.newaxis], extents, 0))
        fields |= {"moves": moves.astype(np.int32)}
        taps = 1 if self._sampling.nearest else 2
        launch = self.kernel_name, taps, self.fill_value
        launch_displacement(batch, images, out, possible, *launch, fields, arguments)
        return out
