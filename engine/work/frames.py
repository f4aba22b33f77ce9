"""Operators at work on sequences, frame by frame: see `engine/graph/sequences.py`.

A sample's frames are computed one after the other, in the memory of the whole result. For work on
a whole batch see `frame_batches.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..errors import ArgumentError
from ..graph.context import Workspace
from ..graph.operator import Array, SampleOperator
from ..graph.sequences import Sequences
from ..tensors.results import as_results


class FrameWorkspace(Workspace):
    """Memory for one frame of a sample: a part of the memory of the sample's result.

    Args:
        workspace: the sample's.
        count: number of frames.
    """

    def __init__(self, workspace: Workspace, count: int) -> None:
        self._workspace = workspace
        self._count = count
        self._frame = 0
        self._granted: dict[int, Array] = {}
        self._buffers: list[Array] = []  # scratch memory, which every frame uses again
        self._used = 0
        self.random = getattr(workspace, "random", np.empty(0))
        self.results: dict[int, Array] = {}

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike, output: int = 0) -> Array:
        if self._frame == 0:
            whole = self._workspace.empty((self._count, *shape), dtype, output)
            self.results[output] = whole
        frames = self.results[output]
        if frames.shape[1:] != tuple(shape) or frames.dtype != dtype:
            raise ArgumentError(
                f"the results of a sequence's frames must agree, but frame 0 gives {frames.dtype} "
                f"of shape {frames.shape[1:]}, and frame {self._frame} gives {np.dtype(dtype)} of "
                f"shape {tuple(shape)}"
            )
        granted: Array = frames[self._frame, ...]
        self._granted[output] = granted
        return granted

    def scratch(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        number, nbytes = self._used, max(1, prod(shape) * np.dtype(dtype).itemsize)
        self._used += 1
        if number == len(self._buffers) or self._buffers[number].nbytes < nbytes:
            self._buffers[number:] = [self._workspace.scratch((nbytes,), np.uint8)]
        return np.ndarray(shape, dtype, self._buffers[number])

    def check_running(self) -> None:
        self._workspace.check_running()

    def store(self, results: Iterable[Array]) -> None:
        """Keep the results of a frame, and go on to the next frame."""
        for output, result in enumerate(results):
            if result is not self._granted.get(output):
                result = np.asarray(result)
                np.copyto(self.empty(result.shape, result.dtype, output), result)
        self._granted.clear()
        self._used = 0
        self._frame += 1


def sample_frames(
    sequences: Sequences,
    operator: SampleOperator,
    workspace: Workspace,
    inputs: Sequence[Array],
    constants: Mapping[str, Any],
    arguments: Mapping[str, Array],
    convert: Callable[[str, Array], Any],
    outputs: int,
) -> tuple[Array, ...]:
    """Return the results of a sample, whose frames are computed one by one.

    Args:
        sequences: which data are sequences.
        operator, workspace, inputs, constants: of the sample.
        arguments: the values of arguments that are nodes.
        convert: makes an argument's value, for its name and the node's array.
        outputs: number of results.
    """
    pairs = zip(inputs, sequences.inputs, strict=True)
    lengths = [_length(data) for data, is_sequence in pairs if is_sequence]
    own_lengths = {name: _length(arguments[name]) for name in sequences.arguments}
    count = lengths[0] if lengths else max(own_lengths.values())
    if set(lengths) - {count} or set(own_lengths.values()) - {count, 1}:
        raise ArgumentError(different_lengths([*lengths, *own_lengths.values()]))
    if count == 0:
        raise ArgumentError("the sequence has no frames")
    same = {k: convert(k, v) for k, v in arguments.items() if k not in sequences.arguments}
    space = FrameWorkspace(workspace, count)
    for i in range(count):
        space.check_running()
        own = {  # one value serves all frames
            name: convert(name, arguments[name][i if length > 1 else 0, ...])
            for name, length in own_lengths.items()
        }
        frames = [
            data[i, ...] if is_sequence else data
            for data, is_sequence in zip(inputs, sequences.inputs, strict=True)
        ]
        result = operator.sample(space, *frames, **{**constants, **same, **own})
        space.store(as_results(result, outputs))
    return tuple(space.results[output] for output in range(outputs))


def _length(sequence: Array) -> int:
    if not sequence.ndim:
        raise ArgumentError("a single number is no sequence; a sequence has an axis of frames")
    return len(sequence)


def different_lengths(lengths: Iterable[int]) -> str:
    """Return the message for sequences that have these numbers of frames."""
    listed = " and ".join(map(str, dict.fromkeys(lengths)))
    return (
        f"the sequences have {listed} frames; give as many values in fn.per_frame as the sequence "
        "has frames, or one for all"
    )
