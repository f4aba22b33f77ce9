"""`fn.debayer`: colors of the images of sensors."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import cv2
import numpy as np

from ...engine.errors import ArgumentError
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INTS, REQUIRED, STR, param
from ...engine.graph.rules import SequenceRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import IMAGE_LAYOUTS, image_layout
from ..common.batch_arguments import enter_errors, numbers_of
from ..kernels import Pointers, kernel, launch_elements, struct_table

_DTYPES = (np.uint8, np.uint16)
_TILES: dict[tuple[int, ...], str] = {(0, 0): "BG", (0, 1): "GB", (1, 0): "GR", (1, 1): "RG"}
"""OpenCV's names, by the position of blue."""

_BILINEAR = "bilinear_ocv"
_DEFAULT = ("default_npp", _BILINEAR)
_ENDINGS = MappingProxyType(
    {
        _BILINEAR: "2RGB",
        "default_npp": "2RGB",
        "edgeaware_ocv": "2RGB_EA",
        "vng_ocv": "2RGB_VNG",
        "gray_ocv": "2GRAY",
    }
)
"""The ends of OpenCV's names of the algorithms."""


@register
class Debayer(SampleOperator):
    """Makes RGB images of the images of sensors behind a Bayer filter.

    OpenCV does so on the CPU. The GPU has `bilinear_ocv`, with the same results.

    Inputs:
        images: HW or HWC with one channel, or with F in front of them; uint8 or uint16, of an even
            height and width.

    Outputs:
        images: HWC or FHWC with 3 channels (with `gray_ocv` 1), of the input's type. The bilinear
            images of fewer than 3 lines or columns are black, as OpenCV makes them.

    Raises:
        ArgumentError: the position is none of a tile of 2 by 2 pixels, or the algorithm does not
            exist for the type or on the GPU.
    """

    name = "debayer"
    aliases = ("experimental.debayer",)
    devices = ("cpu", "gpu")
    inputs = ("images",)
    assumed_layouts = IMAGE_LAYOUTS
    sequences = SequenceRules(frame_by_frame=True)

    algorithm = param(
        STR,
        _BILINEAR,
        "How missing colors are made: bilinear_ocv, edgeaware_ocv, vng_ocv (uint8 alone), or "
        "gray_ocv, which makes gray images. default_npp, DALI's name on the GPU, is bilinear_ocv.",
        choices=_ENDINGS,
    )
    blue_position = param(
        INTS,
        REQUIRED,
        "Line and column of blue in the tile of 2 by 2 pixels that starts in the second line and "
        "column: (0, 0) for BGGR, (0, 1) for GBRG, (1, 0) for GRBG, (1, 1) for RGGB.",
        per_sample=True,
    )

    def prepare(self) -> None:
        if self.device == "gpu" and self.algorithm not in _DEFAULT:
            self.refuse(f"algorithm is {self.algorithm!r}; use {' or '.join(_DEFAULT)} on the GPU")

    def output_layouts(self) -> tuple[str, ...]:
        return ("FHWC" if self.layouts[0].startswith("F") else "HWC",)

    def sample(
        self, workspace: Workspace, image: Array, *, blue_position: tuple[int, ...]
    ) -> Array:
        if not self._is_possible(image.shape, image.dtype):
            raise ArgumentError(
                f"{self.called} takes uint8 and uint16, HW or HWC with one channel, of an even "
                f"height and width, but the sample is {image.dtype} of the shape {image.shape}"
            )
        tile = _TILES.get(tuple(map(int, blue_position * (3 - len(blue_position)))))
        if tile is None:
            known = ", ".join(map(str, _TILES))
            raise ArgumentError(f"blue_position is {tuple(blue_position)}; give one of {known}")
        if self.algorithm == "vng_ocv" and image.dtype != np.uint8:
            self.refuse(f"vng_ocv takes uint8, not {image.dtype}")
        channels = 1 if self.algorithm == "gray_ocv" else 3
        out = workspace.empty((*image.shape[:2], channels), image.dtype)
        if image.size:
            plane = np.ascontiguousarray(image.reshape(image.shape[:2]))
            code = getattr(cv2, f"COLOR_Bayer{tile}{_ENDINGS[self.algorithm]}")
            out[...] = np.reshape(cv2.cvtColor(plane, code), out.shape)
        return out

    def _is_possible(self, shape: Sequence[int], dtype: object) -> bool:
        image_layout(self.called, self.layouts[0], len(shape))
        even = shape[0] % 2 == shape[1] % 2 == 0
        return even and tuple(shape[2:]) in ((), (1,)) and dtype in _DTYPES

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, *, blue_position: object
    ) -> TensorListGPU:
        shapes, dtype = images.extents(), to_numpy_type(images.dtype)
        blue = numbers_of(blue_position, batch.size, 2)
        possible = np.asarray(np.isin(blue, (0, 1)).all(axis=1))
        possible &= np.array([self._is_possible(s, dtype) for s in shapes.tolist()], bool)
        enter_errors(self, batch, images, possible, {"blue_position": blue_position})
        height, width = shapes[:, :2].T
        colored = np.column_stack([height, width, np.full(batch.size, 3)])
        out = batch.device.empty(colored, dtype, self.output_layouts()[0])
        pixels = np.where(possible, height * width, 0)
        table = struct_table(
            "Sample",
            batch.size,
            source=Pointers(images.pointers(), "const In*"),
            out=Pointers(out.pointers(), "In*"),
            pixels=pixels,
            height=height.astype(np.int32),
            width=width.astype(np.int32),
            blue=(1 - np.where(possible[:, np.newaxis], blue, 0)).astype(np.int32),
        )
        function = kernel("color/debayer", "debayer", In=c_type(dtype))
        launch_elements(batch.device, function, table, pixels)
        return out
