"""How to say which features `fn.readers.tfrecord` shall read.

    from penstock import fn, tfrecord

    features = fn.readers.tfrecord(
        path="train.tfrecord",
        features={
            "image/encoded": tfrecord.FixedLenFeature([], tfrecord.string),
            "image/class/label": tfrecord.FixedLenFeature([], tfrecord.int64, -1),
            "image/object/bbox": tfrecord.VarLenFeature([4], tfrecord.float32, None),
        },
    )
    images = fn.decoders.image(features["image/encoded"])

The names and arguments are those of `nvidia.dali.tfrecord`.
"""

from .readers.tfrecord.features import (
    Feature,
    FixedLenFeature,
    VarLenFeature,
    float32,
    int64,
    string,
)

__all__ = ["Feature", "FixedLenFeature", "VarLenFeature", "float32", "int64", "string"]
