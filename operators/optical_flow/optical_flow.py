"""`fn.optical_flow`: how the pixels of videos move, by the engine of NVIDIA's GPUs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Operator, register
from ...engine.graph.params import BOOL, FLOAT, IMAGE_TYPE, INT, param
from ...engine.graph.rules import BatchRules, Input
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import DALIImageType, to_numpy_type
from ...geometry.layouts import layout_of
from .engine_library import load_library
from .flow_session import FlowKind, FlowLimits, cells_of, limits_of
from .gpu_flow import FlowOptions, flow_of

_LAYOUTS = {4: "FHWC"}
_GRIDS = (1, 2, 4)
_HINT_GRIDS = (1, 2, 4, 8)
_RED = {DALIImageType.RGB: 0, DALIImageType.BGR: 2, DALIImageType.GRAY: -1}
_LEVELS = ((0.375, 5), (0.75, 10), (np.inf, 20))
"""Upper ends of the presets, and the engine's levels below them: NV_OF_PERF_LEVEL."""


@register
class OpticalFlow(Operator):
    """Computes where the pixels of each frame of a video were in the frame before.

    The optical flow engine of NVIDIA's GPUs since Turing computes the vectors. A vector (x, y)
    says that what a square of pixels shows was x pixels further right and y pixels further down
    in the frame before. So the vectors of an object that moves to the right have a negative x.
    DALI's vectors have this direction, too.

    The engine takes frames of 32 to 8192 pixels a side on an H200.

        video = fn.readers.video(filenames=["walk.mp4"], sequence_length=8, device="gpu")
        flow = fn.optical_flow(video, output_grid=1)  # (7, height, width, 2)

    Inputs:
        videos: uint8 FHWC, 2 frames or more, with 3 channels, or 1 for GRAY.
        hints: float32 FHWC, a guess of the vectors in pixels: (frames - 1, height / hint_grid,
            width / hint_grid, 2), with quotients rounded up. Not read unless
            `enable_external_hints` is set.

    Outputs:
        vectors: float32 FHWC, in pixels, with a precision of 1/32: (frames - 1, height /
            output_grid, width / output_grid, 2), with quotients rounded up.

    Raises:
        ArgumentError: a video has fewer than 2 frames, or frames of an extent or a number of
            channels that the engine does not take; the engine has no such grid; hints have
            another shape.
        MissingDependencyError: the driver's library, or the GPU's engine is missing.
    """

    name = "optical_flow"
    devices = ("gpu",)
    inputs = ("videos", Input("hints", optional=True))
    batches = BatchRules(sample_independent=True)
    assumed_layouts = _LAYOUTS

    enable_external_hints = param(BOOL, False, "Whether the engine starts from the hints.")
    enable_temporal_hints = param(
        BOOL,
        False,
        "Whether the engine starts from the vectors of the frame before, within a video.",
    )
    hint_grid = param(
        INT, 4, "Side in pixels of the square that has one hint: 1, 2, 4 or 8; >= output_grid."
    )
    image_type = param(
        IMAGE_TYPE, DALIImageType.RGB, "Color space: RGB, BGR or GRAY.", choices=_RED
    )
    output_grid = param(
        INT,
        4,
        "Side in pixels of the square that has one vector: 1, 2 or 4; on Turing 4.",
        aliases=("output_format",),
    )
    preset = param(
        FLOAT, 0.0, "0 for the best vectors, 0.5, or 1 for the shortest time.", minimum=0, maximum=1
    )

    def prepare(self) -> None:
        hints = self.enable_external_hints
        if hints and len(self.layouts) < 2:
            self.refuse("enable_external_hints=True needs the hints as a second input")
        grid = self.output_grid
        self._check_grid("output_grid", grid, _GRIDS)
        if hints:
            possible = tuple(size for size in _HINT_GRIDS if size >= grid)
            self._check_grid("hint_grid", self.hint_grid, possible)
        level = next(level for end, level in _LEVELS if self.preset < end)
        channels = 1 if self.image_type == DALIImageType.GRAY else 3
        kind = FlowKind(0, 0, channels, grid, self.hint_grid if hints else 0, level)
        self._options = FlowOptions(kind, _RED[self.image_type], self.enable_temporal_hints)

    def check_machine(self) -> None:
        load_library()

    def output_layouts(self) -> tuple[str, ...]:
        return ("FHWC",)

    def batch_gpu(
        self, batch: BatchContext, videos: TensorListGPU, hints: TensorListGPU | None = None
    ) -> TensorListGPU:
        self._check_data("videos", videos, "uint8")
        limits, kind = limits_of(batch.device), self._options.kind
        self._check_grid("output_grid", kind.grid, limits.grids)
        possible = np.ones(batch.size, bool)
        guesses: NDArray[np.int64] | list[None] = [None] * batch.size
        if not kind.hint_grid:
            hints = None
        if hints is not None:
            self._check_data("hints", hints, "float32")
            self._check_grid("hint_grid", kind.hint_grid, limits.hint_grids)
            guesses = hints.extents()
        for row, (shape, guess) in enumerate(zip(videos.extents(), guesses, strict=True)):
            problem = self._problem(shape.tolist(), guess, limits)
            if problem:
                batch.fail_row(row, ArgumentError(f"{self.called}: {problem}"))
                possible[row] = False
        return flow_of(batch, videos, hints, possible, self._options)

    def _check_data(self, what: str, data: TensorListGPU, dtype: str) -> None:
        """Raise ArgumentError for data of another type or layout."""
        layout = layout_of(self.layouts[0 if what == "videos" else 1], data.ndim, _LAYOUTS)
        given = to_numpy_type(data.dtype)
        if layout != "FHWC" or given != np.dtype(dtype):
            raise ArgumentError(
                f"{self.called} takes {what} of the type {dtype} and the layout FHWC, but the "
                f"samples are {given}, {layout!r}; use fn.cast, fn.transpose or fn.reshape"
            )

    def _check_grid(self, name: str, grid: int, possible: tuple[int, ...]) -> None:
        if grid not in possible:
            names = ", ".join(map(str, possible)) or "no grid: this GPU takes no hints"
            self.refuse(f"{name} is {grid}, but must be one of {names}")

    def _problem(
        self, shape: list[int], guess: NDArray[np.int64] | None, limits: FlowLimits
    ) -> str:
        """Return what makes a video impossible, or ""."""
        count, height, width, channels = shape
        kind = self._options.kind
        if count < 2:
            return f"the video has {count} frames; flow is between 2 or more"
        if channels != kind.channels:
            return (
                f"the frames have {channels} channels, and image_type={self.image_type.name} says "
                f"{kind.channels}; name another image_type, or use fn.color_space_conversion"
            )
        for name, extent, ends in (
            ("width", width, limits.width),
            ("height", height, limits.height),
        ):
            if not ends[0] <= extent <= ends[1]:
                return (
                    f"the frames' {name} is {extent} pixels, and the GPU's optical flow engine "
                    f"takes {ends[0]} to {ends[1]}; use fn.resize or fn.pad"
                )
        if guess is not None:
            wanted = [count - 1, *cells_of((height, width), kind.hint_grid), 2]
            if guess.tolist() != wanted:
                return f"the hints have the shape {tuple(guess.tolist())}, not {tuple(wanted)}"
        return ""
