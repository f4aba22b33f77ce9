"""`fn.per_frame`: data as sequences, for arguments with a value for each frame."""

from __future__ import annotations

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, param
from ...engine.graph.sequences import OPEN_LAYOUT, is_sequence
from ...engine.tensors import TensorListGPU


@register
class PerFrame(SampleOperator):
    """Marks samples as sequences: the first dimension runs over frames.

    Operators that work sample by sample take such data as arguments, with a value for each frame:
    `fn.gaussian_blur(video, sigma=fn.per_frame(sigma))`. The sequence and the argument must have as
    many frames. An input that is no sequence serves all frames.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn, types
    >>> video = types.Constant(np.full((2, 1, 1, 3), 100, np.uint8), layout="FHWC")
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.brightness(video, brightness=fn.per_frame([0.5, 1.0])))
    ...     (result,) = pipe.run()
    ...     print(result.at(0)[:, 0, 0].tolist())
    [[50, 50, 50], [100, 100, 100]]

    Inputs:
        data: (frames, ...), any type.

    Outputs:
        the same numbers. The layout starts with F. It is "F**" for three dimensions without names.

    Raises:
        ArgumentError: the layout starts with another letter, and `replace` is False, or a sample
            has no dimensions.
    """

    name = "per_frame"
    devices = ("cpu", "gpu")
    inputs = ("data",)
    replace = param(BOOL, False, "Whether F replaces another first letter of the layout.")

    def prepare(self) -> None:
        layout = self.layouts[0]
        if layout and not is_sequence(layout) and not self.replace:
            self.refuse(
                f"the layout {layout!r} does not start with F; give replace=True to take its first "
                "dimension for the frames"
            )

    def output_layouts(self) -> tuple[str, ...]:
        return ("F" + self.layouts[0][1:] if self.layouts[0] else OPEN_LAYOUT,)

    def sample(self, workspace: Workspace, data: Array) -> Array:
        if not data.ndim:
            raise ArgumentError("the sample is a single number, which has no frames")
        return data

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        if len(data) and not data.ndim:
            raise ArgumentError("the sample is a single number, which has no frames")
        return data
