"""`fn.readers.caffe2`: Caffe2's data sets, LMDB files whose values are `TensorProtos`."""

from __future__ import annotations

from ...engine.graph.operator import register
from ...engine.graph.params import BOOL, INT, param
from .caffe2_samples import LabelType, TensorProtosParser
from .reader import LMDBReader, LMDBSource


@register
class Caffe2(LMDBReader):
    """Reads images, labels and more from Caffe2's LMDB data sets, in the order of their keys.

    A record is a list of tensors: the image, the labels, with weighted labels their weights,
    the additional ones, and the bounding box, as far as the arguments say that they are there.
    Tensors that follow are left out.

    On four cores and more, processes of the reader's own read local files after a fifth of a second
    of reading, unless the pipeline has `exec_processes=False`.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, datasets, fn
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> _ = datasets.convert("photos", "shards", to="caffe2")
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     encoded, labels = fn.readers.caffe2(path="shards/shard-00000")
    ...     pipe.set_outputs(labels)
    ...     (labels,) = pipe.run()
    ...     print(labels.as_array().tolist())
    [[0], [1]]

    Outputs:
        the image: an encoded file, uint8, shape (size,), or pixels, uint8, shape (height,
            width, channels).
        its labels, float32 or int32 as stored: for `label_type` 0 shape (1,); for 1 ones at
            the indices of the labels, shape (num_labels,); for 2 the stored numbers, shape
            (count,); for 3 the weights at the indices of the labels, float32, (num_labels,).
        each additional tensor: float32, int32 or int64, shape (count,).
        with `bbox`, the box: int32, shape (4,), as stored.

    Raises:
        SourceError: a file is no LMDB file, is damaged, is written to while it is read, or
            holds no records.
        OSError: a file cannot be read.
        DecodeError: a value does not hold these tensors (see `on_error`).
    """

    name = "readers.caffe2"
    aliases = ("caffe2_reader",)

    image_available = param(BOOL, True, "Whether records start with an image.")
    label_type = param(
        INT,
        0,
        "What labels there are: 0 one class; 1 several classes; 2 a vector of numbers; 3 several "
        "classes with weights; 4 none.",
    )
    num_labels = param(INT, 1, "Number of classes, for `label_type` 1 and 3.")
    additional_inputs = param(INT, 0, "Number of tensors of numbers that follow the labels.")
    bbox = param(BOOL, False, "Whether a bounding box follows.")

    def prepare(self) -> None:
        super().prepare()
        if self.label_type not in list(LabelType):
            self.refuse(f"label_type must be 0 to 4, but is {self.label_type}")
        for name in ("num_labels", "additional_inputs"):
            if getattr(self, name) < 0:
                self.refuse(f"{name} must not be negative, but is {getattr(self, name)}")
        if not self.num_outputs():
            self.refuse("the arguments leave no output")

    def _parser(self) -> TensorProtosParser:
        return TensorProtosParser(
            self.image_available,
            LabelType(self.label_type),
            self.num_labels,
            self.additional_inputs,
            self.bbox,
        )

    def num_outputs(self) -> int:
        return self._parser().num_outputs

    def open_source(self) -> LMDBSource:
        return LMDBSource(self.open_files(), self._parser())
