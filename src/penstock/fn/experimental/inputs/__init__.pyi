"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

def video(
    *,
    sequence_length: int,
    last_sequence_policy: Literal['partial', 'pad'] | None = ...,
    blocking: bool | None = ...,
    no_copy: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    affine: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Hands out one long video after the other in sequences of frames.

    `Pipeline.feed_input(name, video)` queues a video: its bytes as an array of uint8, or a list of
    one such array, or an array whose other extents are 1. Each run returns a batch of the next
    sequences. The last batch of a video may be smaller. Only the frames of a batch are decoded at
    a time.

    With device="mixed" the GPU's video decoder decodes what it can: see `decoders.video`.

        with Pipeline(batch_size=4, num_threads=2) as pipe:
            frames = fn.experimental.inputs.video(name="camera", sequence_length=16)
            pipe.set_outputs(frames)
            pipe.feed_input("camera", np.fromfile("walk.mp4", np.uint8))
            (sequences,) = pipe.run()  # each (16, height, width, 3)

    Outputs:
        sequences: uint8, FHWC, RGB.

    Raises:
        DecodeError: the bytes are no video (from `feed_input`), or a frame is damaged.

    Args:
        sequence_length (int): Frames of a sequence.
        last_sequence_policy (Literal['partial', 'pad'] | None): Whether the last sequence of a
            video may have fewer frames ('partial'), or black frames fill it up ('pad').
            Default: 'partial'.
        blocking (bool | None): If no video was fed, let `run` wait for one, instead of raising
            an error. Default: False.
        no_copy (bool | None): Use the bytes without a copy; the program must not change them
            meanwhile. Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, mixed. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: affine, bytes_per_sample_hint.
    """
