"""`fn.experimental.remap`."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INTERP, STR, param
from ...engine.graph.rules import Input, SequenceRules
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import DALIInterpType, to_numpy_type
from ...geometry.layouts import IMAGE_LAYOUTS, image_layout
from ..common.batch_arguments import enter_errors
from ..common.opencv_images import by_channels
from ..kernels import Pointers
from .cpu_perspective import FILTERS
from .cpu_warp import FAR, Sampling, sample_at
from .frame_maps import canvases_fit, check_extents
from .gpu_displacement import launch_displacement
from .gpu_perspective import TAPS

_ORIGINS = {"corner": -0.5, "center": 0.0}
_CHANNELS = 4  # that OpenCV moves together


@register
class Remap(SampleOperator):
    """Makes images of the pixels at given positions: result(x, y) = image(mapx(x, y), mapy(x, y)).

    Outside of the image all values are 0. Positions are float32. CPU and GPU agree within 1 in
    integers, and 1e-5 of the range in floats. With INTERP_CUBIC OpenCV moves the pixels on the
    CPU, which rounds positions to 1/32 of a pixel. DALI has no such operator on the CPU.

    Inputs:
        images: HW or HWC, or with F in front of them; any type.
        mapx, mapy: where each pixel of the result lies in the image: numbers, (height, width) of
            the result, or (height, width, 1). Maps with F in front have a map for each frame.

    Outputs:
        the moved images: of the type and the layout of the images, and of the extent of the maps.

    Raises:
        ArgumentError: both maps are not of one such shape.
    """

    name = "experimental.remap"
    devices = ("cpu", "gpu")
    inputs = ("images", Input("mapx", device="any"), Input("mapy", device="any"))
    assumed_layouts = IMAGE_LAYOUTS
    sequences = SequenceRules(frame_by_frame=True)

    interp = param(
        INTERP,
        DALIInterpType.INTERP_LINEAR,
        "Interpolation: INTERP_NN, INTERP_LINEAR or INTERP_CUBIC.",
        choices=FILTERS,
    )
    pixel_origin = param(
        STR,
        "corner",
        '"corner" or "center": the point of the first pixel that has coordinates 0.',
        choices=_ORIGINS,
    )

    def prepare(self) -> None:
        self._shift = np.float32(_ORIGINS[self.pixel_origin])

    def sample(self, workspace: Workspace, image: Array, mapx: Array, mapy: Array) -> Array:
        image_layout(self.called, self.layouts[0], image.ndim)
        if mapx.shape != mapy.shape or mapx.ndim not in (2, 3) or mapx.shape[2:] not in ((), (1,)):
            raise ArgumentError(
                f"the maps have the shapes {mapx.shape} and {mapy.shape}; both must be (height, "
                "width) or (height, width, 1)"
            )
        extent, canvas = image.shape[:2], mapx.shape[:2]
        check_extents(extent, canvas)
        out = workspace.empty((*canvas, *image.shape[2:]), image.dtype)
        pixels, results = image.reshape(*extent, -1), out.reshape(*canvas, -1)
        positions = np.stack(
            [coordinates.reshape(canvas).astype(np.float32) for coordinates in (mapx, mapy)]
        )
        positions += self._shift
        if self.interp == DALIInterpType.INTERP_CUBIC:
            _remap_cubic(pixels, results, positions)
        else:
            nearest = self.interp == DALIInterpType.INTERP_NN
            sample_at(pixels, results, positions, Sampling(nearest, 0.0))
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, mapx: TensorList, mapy: TensorList
    ) -> TensorListGPU:
        image_layout(self.called, self.layouts[0], images.ndim)
        shapes, dtype = images.extents(), to_numpy_type(images.dtype)
        across, down = mapx.extents(), mapy.extents()
        possible = np.zeros(batch.size, bool)
        canvas = np.ones((batch.size, 2), np.int64)
        if across.shape == down.shape and across.shape[1] in (2, 3):
            canvas = across[:, :2]
            possible = (across == down).all(axis=1) & (across[:, 2:] == 1).all(axis=1)
            possible &= canvases_fit(shapes[:, :2], canvas)
        enter_errors(self, batch, images, possible, {}, mapx, mapy)
        resized = shapes.copy()
        resized[:, :2] = np.where(possible[:, np.newaxis], canvas, 1)
        out = batch.device.empty(resized, dtype, self.output_layouts()[0])
        maps = [batch.device.to_device(coordinates) for coordinates in (mapx, mapy)]
        types = [f"const {c_type(to_numpy_type(coordinates.dtype))}*" for coordinates in maps]
        fields = {
            "map_x": Pointers(maps[0].pointers(), types[0]),
            "map_y": Pointers(maps[1].pointers(), types[1]),
            "moves": np.int32(1),
        }
        launch = "remap", TAPS[self.interp], 0.0
        launch_displacement(batch, images, out, possible, *launch, fields, [self._shift])
        return out


def _remap_cubic(image: Array, out: Array, positions: NDArray[np.float32]) -> None:
    x, y = np.nan_to_num(positions, nan=-FAR).clip(-FAR, FAR)

    def compute(some: Array, target: Array | None) -> object:
        return cv2.remap(some, x, y, cv2.INTER_CUBIC, target, cv2.BORDER_CONSTANT, 0)

    by_channels(image, out, compute, most=_CHANNELS)
