"""`fn.readers.caffe`: Caffe's data sets, LMDB files whose values are `Datum` messages."""

from __future__ import annotations

import numpy as np

from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, param
from .datum import DatumParser
from .reader import LMDBReader, LMDBSource


@register
class Caffe(LMDBReader):
    """Reads images and labels from Caffe's LMDB data sets, in the order of their keys.

    Pixels that are not encoded keep the order in which they are stored. DALI gives them the
    shape (height, width, channels), and so do we; Caffe's own tools store one channel after
    the other, so that `reshape` to (channels, height, width) gives the picture.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, datasets, fn
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> _ = datasets.convert("photos", "shards", to="caffe")
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     encoded, labels = fn.readers.caffe(path="shards/shard-00000")
    ...     pipe.set_outputs(labels)
    ...     (labels,) = pipe.run()
    ...     print(labels.as_array().tolist())
    [[0], [1]]

    Outputs:
        the image: an encoded file, uint8, shape (size,); pixels, uint8, or numbers
            (`float_data`), float32, shape (height, width, channels). A Datum that does not say
            whether it is encoded counts as encoded.
        its label: int32, shape (1,).

    Raises:
        SourceError: a file is no LMDB file, is damaged, is written to while it is read, or
            holds no records.
        OSError: a file cannot be read.
        DecodeError: a value is no Datum, or lacks the image or the label (see `on_error`).
    """

    name = "readers.caffe"
    aliases = ("caffe_reader",)

    image_available = param(BOOL, True, "Whether the image is an output.")
    label_available = param(BOOL, True, "Whether the label is an output.")

    def prepare(self) -> None:
        super().prepare()
        if not (self.image_available or self.label_available):
            self.refuse(
                "image_available and label_available are both False, which leaves no output"
            )

    def num_outputs(self) -> int:
        return int(self.image_available) + int(self.label_available)

    def open_source(self) -> LMDBSource:
        return LMDBSource(
            self.open_files(), DatumParser(self.image_available, self.label_available)
        )

    def placeholder(self) -> tuple[Array, ...]:
        image = (np.empty(0, np.uint8),) * int(self.image_available)
        return image + (np.zeros(1, np.int32),) * int(self.label_available)
