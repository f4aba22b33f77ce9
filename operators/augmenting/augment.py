"""The operator of `penstock.auto_aug`: augmentations that are chosen by sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import ANY_FLOAT, BOOL, FLOATS, INTERP, STR, param
from ...engine.graph.rules import GpuRules, Input, SequenceRules
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.tensors.dtypes import DALIInterpType, to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, layout_of
from ..common.batch_arguments import why_not
from ..warp.cpu_warp import Sampling
from .cpu_augment import Style, apply_steps
from .effects import EFFECTS, WIDTH, Floats, checked_steps, number_of, parameter_row
from .gpu_augment import Request, augment_batch
from .references import given_reference

LAYOUTS = ("HW", "HWC", "FHW", "FHWC")


class Planes(NamedTuple):
    """The axes of samples: (frames, height, width, channels), some of which may be missing.

    Attributes:
        frames: whether the first axis runs over frames.
        channels: whether the last axis runs over channels.
    """

    frames: bool
    channels: bool

    def whole(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return a sample's shape with all four axes."""
        before, after = () if self.frames else (1,), () if self.channels else (1,)
        return (*before, *shape, *after)


@register
class Augment(SampleOperator):
    """Augments images and videos by steps that may differ from sample to sample.

    Every step is an effect and its parameter. The frames of a video get the same steps; equalize,
    contrast and auto_contrast look at each frame alone. In each step CPU and GPU agree within 1.

    Inputs:
        images: uint8; HW, HWC, FHW or FHWC.
        steps: float32, (steps, 10): each sample's effects and parameters. With `effect`, the
            parameter of this effect: of any shape and type.

    Outputs:
        the images: of the input's shape, type and layout.

    Raises:
        ArgumentError: the images are not uint8, or a parameter does not fit its effect.
    """

    name = "_augment"
    called = "auto_aug"
    devices = ("cpu", "gpu")
    assumed_layouts = VIDEO_LAYOUTS
    sequences = SequenceRules(own_frames=True)
    on_gpu = GpuRules(rehearses=True)
    inputs = ("images", Input("steps", optional=True, device="cpu"))

    effect = param(STR, None, "The only effect.", choices=tuple(EFFECTS))
    fill_value = param(
        ANY_FLOAT, None, "What lies around moved images; by default their border is repeated."
    )
    interp_type = param(
        INTERP,
        DALIInterpType.INTERP_LINEAR,
        "Interpolation of moved images: INTERP_NN or INTERP_LINEAR.",
        choices=(DALIInterpType.INTERP_NN, DALIInterpType.INTERP_LINEAR),
    )
    shape = param(
        FLOATS,
        (),
        "Height and width that relative translations refer to; by default the image's. More "
        "numbers are ignored.",
        per_sample=True,
    )
    pillow = param(BOOL, False, "Whether colors are computed as by Pillow.")

    def prepare(self) -> None:
        nearest = self.interp_type == DALIInterpType.INTERP_NN
        self.style = Style(Sampling(nearest, self.fill_value), self.pillow)
        if self.effect is None and len(self.layouts) == 1:
            self.refuse("it needs the input steps, or the argument effect")
        if self.layouts[0]:
            self.planes(len(self.layouts[0]), np.dtype(np.uint8))

    def planes(self, ndim: int, dtype: np.dtype[Any]) -> Planes:
        """Return the axes of samples; refuse those that are no images of bytes."""
        layout = layout_of(self.layouts[0], ndim, VIDEO_LAYOUTS)
        if layout not in LAYOUTS or dtype != np.uint8:
            raise ArgumentError(
                f"{self.called} augments uint8 images and videos of the layouts "
                f"{', '.join(LAYOUTS)}, but the sample is {dtype} and {layout!r}; use fn.cast or "
                "fn.transpose before"
            )
        return Planes(layout.startswith("F"), layout.endswith("C"))

    def steps_of(self, steps: Array | None) -> Floats:
        """Return a sample's steps that have an effect: (steps, 1 + WIDTH)."""
        if self.effect is not None:
            row = parameter_row(self.effect, np.empty(0) if steps is None else steps)
            return row[np.newaxis] if row[0] else row[np.newaxis][:0]
        assert steps is not None  # see `prepare`
        return checked_steps(steps)

    def sample(
        self, workspace: Workspace, image: Array, steps: Array | None = None, *, shape: Any
    ) -> Array:
        planes = self.planes(image.ndim, image.dtype)
        chosen, given = self.steps_of(steps), given_reference(shape)
        if not len(chosen) or not image.size:
            return image
        whole = planes.whole(image.shape)
        out = workspace.empty(image.shape, image.dtype)
        frames = np.ascontiguousarray(image).reshape(whole)
        apply_steps(workspace, frames, chosen, given or whole[1:3], self.style, out.reshape(whole))
        return out

    def rehearse(
        self, batch: BatchContext, images: TensorListGPU, *_: object, **arguments: object
    ) -> TensorListGPU:
        """Launch all kernels: see `Operator.rehearse`."""
        names = ("rotate", "equalize") if self.effect is None else (self.effect,)
        made = np.zeros((batch.size, len(names), 1 + WIDTH), np.float32)
        made[..., 0] = [number_of(name) for name in names]
        values = made if self.effect is None else made[:, 0, : EFFECTS[self.effect].width]
        return self.batch_gpu(batch, images, TensorListCPU(values), shape=())

    def batch_gpu(
        self,
        batch: BatchContext,
        images: TensorListGPU,
        steps: TensorList | None = None,
        *,
        shape: object,
    ) -> TensorListGPU:
        dtype = to_numpy_type(images.dtype)
        try:
            planes = self.planes(images.ndim, dtype)
        except ArgumentError:
            others, first = () if steps is None else (steps,), images.extents()[0].tolist()
            raise why_not(self, batch, 0, first, dtype, {"shape": shape}, *others) from None
        layout = self.output_layouts()[0]
        request = Request(self.effect, self.style, *planes, layout, self.steps_of)
        return augment_batch(self, batch, images, steps, shape, request)
