"""`fn.decoders.image_list`: lists of encoded images, decoded and resized to frames of one size."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from ..decoders.image.decode import decode
from ..decoders.image.image_decoder import FormatUser
from ..engine.errors import DecodeError
from ..engine.graph.context import Workspace
from ..engine.graph.limits import Remedies
from ..engine.graph.operator import Array, register
from ..engine.graph.params import BOOL, IMAGE_TYPE, INT, INTERP, INTS, REQUIRED, STR, param
from ..engine.tensors.dtypes import ANY_DATA, GRAY, INTERP_LINEAR, RGB
from ..formats.bundle import files_of
from ..operators.resize.cpu_resample import resample
from ..operators.resize.filters import Filter
from ..operators.resize.sizing import MAX_PIXELS, NOT_LARGER, NOT_SMALLER, STRETCH, plan_resize


@register
class ImageList(FormatUser):
    """Decodes the images of a list, such as those of a conversation, to frames of one size.

    The lists come from `fn.readers.parquet`, whose columns may be lists of files. They may differ
    in length, and be empty. Each image is decoded as `fn.decoders.image` does, and resized as
    `fn.resize` does.

    >>> import cv2
    >>> import numpy as np
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from penstock import fn, pipeline_def
    >>> _, image = cv2.imencode(".png", np.zeros((48, 64, 3), np.uint8))
    >>> image = {"bytes": image.tobytes(), "path": "a.png"}
    >>> pq.write_table(pa.table({"images": [[image, image], [image]]}), "train.parquet")
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def lists():
    ...     images = fn.readers.parquet(path="train.parquet", columns=["images"])
    ...     return fn.decoders.image_list(images, size=32, mode="not_larger")
    >>> with lists() as pipe:
    ...     (frames,) = pipe.run()
    >>> frames.shape(), frames.layout()
    ([(2, 32, 32, 3), (1, 32, 32, 3)], 'FHWC')

    Inputs:
        files: a list of encoded images a sample, as `fn.readers.parquet` gives them: uint8, one
            dimension.

    Outputs:
        frames: uint8, FHWC, one frame an image; (0, height, width, channels) for empty lists.

    Raises:
        DecodeError: the data are no list of files, or an image is damaged. The note says which
            image of the list.
    """

    name = "decoders.image_list"
    inputs = ("files",)

    size = param(INTS, REQUIRED, "(height, width) of the frames; one number stands for both.")
    mode = param(
        STR,
        STRETCH,
        "How an image of another aspect ratio fills its frame. 'stretch': the ratio changes. "
        "'not_larger': the whole image is in the middle of the frame, and `fill_value` around it. "
        "'not_smaller': the image's middle fills the frame, and its other borders are cut off.",
        choices=(STRETCH, NOT_LARGER, NOT_SMALLER),
    )
    fill_value = param(
        INT, 0, "Brightness of the borders with mode='not_larger'.", minimum=0, maximum=255
    )
    output_type = param(IMAGE_TYPE, RGB, "Color space: RGB, BGR, GRAY or YCbCr.")
    adjust_orientation = param(BOOL, True, "Turn images upright as their EXIF data say.")
    interp_type = param(INTERP, INTERP_LINEAR, "Filter of the resize.")
    antialias = param(BOOL, True, "Widen the filter of a shrinking axis, as `fn.resize` does.")

    def prepare(self) -> None:
        size = self.size * 2 if len(self.size) == 1 else self.size
        if len(size) != 2 or min(size) < 1 or prod(size) > MAX_PIXELS:
            self.refuse(f"size={self.size}: expected (height, width) or one number, each 1 or more")
        if self.output_type == ANY_DATA:
            self.refuse(
                "output_type=ANY_DATA: images of one list may differ in channels; choose RGB, BGR, "
                "GRAY or YCbCr"
            )
        self._size = int(size[0]), int(size[1])
        self._filter = Filter(int(self.interp_type))
        self._channels = 1 if self.output_type == GRAY else 3

    def output_layouts(self) -> tuple[str, ...]:
        return ("FHWC",)

    def remedies(self) -> Remedies:
        return {"decoding": ("store smaller images", "more cores")}

    def sample(self, workspace: Workspace, files: Array) -> Array:
        encoded = files_of(np.ascontiguousarray(files))
        frames = workspace.empty((len(encoded), *self._size, self._channels), np.uint8)
        for number, (frame, content) in enumerate(zip(frames, encoded, strict=True)):
            try:
                image = decode(
                    content, output=self.output_type.name, use_exif=self.adjust_orientation
                )
            except DecodeError as error:
                error.add_note(f"image {number} of a list of {len(encoded)}")
                raise
            self._place(image, frame)
        return frames

    def _place(self, image: NDArray[np.uint8], frame: NDArray[np.uint8]) -> None:
        """Resize an image into its frame."""
        height, width = self._size
        region: tuple[float, float, float, float] | None = None
        if self.mode == NOT_LARGER:
            extents = image.shape[0], image.shape[1]
            inner = plan_resize(extents, (height, width), mode=NOT_LARGER).size
            top, left = (height - inner[0]) // 2, (width - inner[1]) // 2
            frame[...] = self.fill_value
            frame = frame[top : top + inner[0], left : left + inner[1]]
        elif self.mode == NOT_SMALLER:
            scale = max(height / image.shape[0], width / image.shape[1])
            y, x = (image.shape[0] - height / scale) / 2, (image.shape[1] - width / scale) / 2
            region = (y, x, image.shape[0] - y, image.shape[1] - x)
        resample(
            image,
            (frame.shape[0], frame.shape[1]),
            roi=region,
            min_filter=self._filter,
            mag_filter=self._filter,
            antialias=self.antialias,
            out=frame,
        )
