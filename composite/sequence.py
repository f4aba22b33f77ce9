"""`fn.readers.sequence`: sequences of frames in folders of images, read and decoded."""

from __future__ import annotations

from typing import Any

from ..decoders.image.sequence import DecodeSequence
from ..engine.graph.nodes import add_node
from ..engine.graph.operator import register
from ..engine.graph.params import IMAGE_TYPE, INT, REQUIRED, STR, param
from ..engine.tensors.dtypes import RGB
from ..readers.files.sequence import SequenceSource, open_sequences
from ..readers.reader import Reader


@register
class SequenceReader(Reader):
    """Reads sequences of frames from folders of images, one folder a stream.

    The frames of a folder are its images in the order of their names, in which numbers count as
    numbers: `frame_2.png` comes before `frame_10.png`, which DALI has first. Sequences do not
    cross folders. Incomplete sequences are left out. Names that begin with a dot are left out.

    >>> from pathlib import Path
    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> Path("frames/first").mkdir(parents=True)
    >>> for number in range(5):
    ...     _ = cv2.imwrite(f"frames/first/{number}.png", np.zeros((48, 64, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.readers.sequence(file_root="frames", sequence_length=3))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(3, 48, 64, 3)]

    Outputs:
        the decoded frames: uint8, FHWC.

    Raises:
        SourceError: a folder cannot be read, or no folder holds a sequence.
        OSError: a file cannot be read. DecodeError: a frame is damaged, or of another size
            than the first one (see `on_error` of the pipeline).
    """

    name = "readers.sequence"
    adds_operators = True
    aliases = ("sequence_reader",)

    file_root = param(STR, REQUIRED, "Folder that holds a folder of images for each stream.")
    sequence_length = param(INT, REQUIRED, "Number of frames of a sequence.")
    step = param(
        INT,
        1,
        "Distance, in frames, from the first frame of a sequence to the first frame of the next "
        "sequence.",
    )
    stride = param(INT, 1, "Distance, in frames of the folder, between two frames of a sequence.")
    image_type = param(IMAGE_TYPE, RGB, "Color space of the output, as for `decoders.image`.")

    def prepare(self) -> None:
        super().prepare()
        for argument in ("sequence_length", "step", "stride"):
            if getattr(self, argument) < 1:
                self.refuse(f"{argument} must be at least 1, but is {getattr(self, argument)}")

    def num_outputs(self) -> int:
        return int(self.sequence_length)

    def wrap(self, outputs: tuple[object, ...]) -> Any:
        return super().wrap(add_node(DecodeSequence, outputs, {"image_type": self.image_type}))

    def open_source(self) -> SequenceSource:
        return open_sequences(
            self.file_root, self.sequence_length, self.step, self.stride, self.storage_options
        )
