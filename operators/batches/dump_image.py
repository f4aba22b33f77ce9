"""`fn.dump_image`: images as files, to look at them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import LAYOUT, STR, param
from ...engine.graph.row_arguments import try_rows
from ...engine.graph.rules import BatchRules
from ...engine.tensors import TensorList, TensorListGPU


@register
class DumpImage(BatchOperator):
    """Writes each image to a PPM file in the working directory, and passes it on.

    The file is `<row>-<suffix>-<batch>.ppm`, with the numbers of the sample in its batch and of the
    batch. The operator is for looking for mistakes: each sample costs a file. DALI's third number
    is always 0, so that each batch overwrites the files of the one before.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.dump_image(np.zeros((48, 64, 3), np.uint8), suffix="seen"))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(48, 64, 3)]

    Inputs:
        images: uint8, HWC, 1 or 3 channels.

    Outputs:
        the images, as they are.

    Raises:
        ArgumentError: a sample is no such image.
        OSError: a file cannot be written.
    """

    name = "dump_image"
    # The number of the batch is in the names of the files.
    batches = BatchRules(sample_independent=False)
    devices = ("cpu", "gpu")
    inputs = ("images",)

    input_layout = param(LAYOUT, "HWC", "Layout of the images; there is HWC alone.")
    suffix = param(STR, "", "Text in the names of the files.")

    def prepare(self) -> None:
        if self.input_layout != "HWC" or self.layouts[0] not in ("", "HWC"):
            raise ArgumentError(
                f"{self.called} takes images of the layout HWC, not {self.input_layout!r} or "
                f"{self.layouts[0]!r}; use fn.transpose before"
            )

    def batch(self, batch: BatchContext, images: TensorList) -> TensorList:
        self._dump(batch, images)
        return images

    def batch_gpu(self, batch: BatchContext, images: TensorListGPU) -> TensorListGPU:
        copies = batch.device.to_host(images, batch.empty)
        batch.check_later(lambda: self._dump(batch, copies))
        return images

    def _dump(self, batch: BatchContext, images: TensorList) -> None:
        def write(row: int) -> None:
            file = Path(f"{row}-{self.suffix}-{batch.number}.ppm")
            file.write_bytes(_encoded(images.row(row)))

        try_rows(batch, (i for i in range(batch.size) if i not in batch.errors), write)


def _encoded(image: Array) -> bytes:
    """Return an image as the bytes of a PPM file."""
    if image.ndim != 3 or image.shape[2] not in (1, 3) or image.dtype != np.uint8:
        raise ArgumentError(
            f"fn.dump_image takes uint8 HWC of 1 or 3 channels, but the sample is {image.dtype} of "
            f"the shape {image.shape}"
        )
    height, width, _ = image.shape
    colors = np.broadcast_to(image, (height, width, 3))
    return b"P6\n%d %d\n255\n" % (width, height) + colors.tobytes()
