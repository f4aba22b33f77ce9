"""Operators of whole batches at work on sequences: see `engine/graph/sequences.py`.

The frames of all samples form a batch of their own. On the device its results lie in the memory of
the sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError
from ..graph.context import BatchContext
from ..graph.operator import Array
from ..graph.sequences import Sequences, layout_of_sequence
from ..pending import Pending
from ..tensors import PackedRows, TensorList, TensorListCPU, TensorListGPU, address_of
from ..tensors.results import as_results
from .frames import different_lengths
from .inner_batches import InnerBatch


def batch_frames(
    sequences: Sequences,
    batch: BatchContext,
    inputs: Sequence[TensorList],
    arguments: Mapping[str, Any],
    work: Callable[..., Any],
    outputs: int,
) -> tuple[Any, ...]:
    """Return the results of a batch, whose frames are computed as a batch of their own.

    Args:
        sequences: which data are sequences.
        batch, inputs, arguments: of the operator.
        work: the operator's method for a whole batch.
        outputs: number of results.
    """
    pairs = zip(inputs, sequences.inputs, strict=True)
    whole = [data for data, is_sequence in pairs if is_sequence]
    counts = _counts(batch, whole, [arguments[name] for name in sequences.arguments])
    frames = FrameBatch(batch, counts)
    if not frames.size:  # so that no operator meets an empty batch
        on_device = any(isinstance(data, TensorListGPU) for data in inputs)
        return (frames.nothing(on_device),) * outputs
    pairs = zip(inputs, sequences.inputs, strict=True)
    unfolded = [
        frames.unfold(data) if is_sequence else frames.repeat(data) for data, is_sequence in pairs
    ]
    own = {
        name: value
        if not isinstance(value, TensorList)
        else frames.unfold(value)
        if name in sequences.arguments
        else frames.repeat(value)
        for name, value in arguments.items()
    }
    with frames.results_in_sequences():
        result = work(frames, *unfolded, **own)
        done = result.result() if isinstance(result, Pending) else result
        results = as_results(done, outputs)
    return tuple(frames.fold(result) for result in results)


def _counts(
    batch: BatchContext, inputs: Sequence[TensorList], arguments: Sequence[TensorList]
) -> Int64s:
    """Return the number of frames of each sample; 0 for samples whose sequences differ.

    Arguments of one frame serve all frames.
    """
    columns = np.array(
        [[shape[0] if shape else 0 for shape in data.shape()] for data in (*inputs, *arguments)]
    )
    counts: Int64s = columns[0].copy() if inputs else columns.max(axis=0)
    wrong = columns != counts
    wrong[len(inputs) :] &= columns[len(inputs) :] != 1
    for row in np.flatnonzero(wrong.any(axis=0) | (counts == 0)).tolist():
        lengths = columns[:, row].tolist()
        text = different_lengths(lengths) if any(lengths) else "the sequence has no frames"
        batch.fail_row(row, ArgumentError(text))
        counts[row] = 0
    return counts


class FrameBatch(InnerBatch):
    """The frames of a batch as a batch.

    Args:
        batch: the batch.
        counts: number of frames of each sample.
    """

    def __init__(self, batch: BatchContext, counts: Int64s) -> None:
        super().__init__(batch, np.repeat(np.arange(len(counts)), counts))
        self._counts = counts
        # Frames that lie in sequences: addresses, shapes and dtype, with the sequences.
        self._known: list[tuple[Array, Array, Any, TensorList]] = []

    @contextmanager
    def results_in_sequences(self) -> Iterator[None]:
        """Let results for frames lie in the memory of their sequences, if they are on a device."""
        if not hasattr(self, "device"):
            yield
            return
        with self.device.placing(self._placed):
            yield

    def _placed(self, shapes: Int64s, dtype: np.dtype[Any]) -> TensorListGPU | None:
        if len(shapes) != self.size or not self.size or len(self.ragged(shapes)):
            return None
        with self.device.placing(None):
            whole = self.device.empty(self.whole_shapes(shapes), dtype)
        return cast(TensorListGPU, self.unfold(whole))

    def nothing(self, on_device: bool) -> TensorList:
        """Return results for samples that all have errors."""
        if on_device:
            return self._batch.device.empty(np.zeros((len(self._counts), 1)), np.uint8)
        return TensorListCPU([np.zeros(0)] * len(self._counts))

    def unfold(self, sequences: TensorList) -> TensorList:
        """Return the frames of sequences, without a copy; the only frame of one again and again."""
        shapes, counts = sequences.extents(), self._counts
        numbers = np.arange(self.size) - (np.cumsum(counts) - counts)[self._samples]
        numbers[shapes[self._samples, 0] == 1] = 0
        steps = shapes[:, 1:].prod(axis=1)[self._samples]
        frames = self._pieces(sequences, numbers * steps, shapes[self._samples, 1:])
        if isinstance(frames, TensorListGPU) and np.array_equal(shapes[:, 0], counts):
            self._known.append((frames.pointers(), frames.extents(), frames.dtype, sequences))
        return frames

    def repeat(self, data: TensorList) -> TensorList:
        """Return each sample once for each of its frames, without a copy."""
        shapes = data.extents()[self._samples]
        return self._pieces(data, np.zeros(self.size, np.int64), shapes)

    def _pieces(self, data: TensorList, first: Int64s, shapes: Int64s) -> TensorList:
        """Return the piece of each frame's sample that starts at an element and has a shape."""
        block = data.stored.in_block() if isinstance(data, TensorListGPU) else None
        if isinstance(data, TensorListGPU) and block is not None:
            offsets = block.offsets[self._samples] + first * block.dtype.itemsize
            return data.with_rows(PackedRows(block.memory, offsets, shapes, block.dtype), "")
        sizes = shapes.prod(axis=1)
        rows = [row.reshape(-1) for row in data.rows()]
        pieces = [
            rows[sample][start : start + size].reshape(shape)
            for sample, start, size, shape in zip(
                self._samples.tolist(), first.tolist(), sizes.tolist(), shapes.tolist(), strict=True
            )
        ]
        if isinstance(data, TensorListGPU):
            return data.with_rows(pieces, "")
        return TensorListCPU(np.stack(pieces) if data.is_dense_tensor() and pieces else pieces)

    def fold(self, result: Any) -> Any:
        """Return the sequences of an operator's results, one for each frame."""
        if isinstance(result, TensorListGPU):
            return self._fold_on_device(result)
        rows = result.rows() if isinstance(result, TensorList) else list(result)
        ends = np.cumsum(self._counts)
        folded = []
        for row, (end, count) in enumerate(zip(ends, self._counts, strict=True)):
            frames = rows[end - count : end]
            if len({np.shape(frame) for frame in frames}) > 1:
                self._refuse(row)
            good = count and row not in self._batch.errors
            folded.append(np.stack(frames) if good else np.zeros((0,)))
        return folded

    def _refuse(self, row: int) -> None:
        error = ArgumentError("the results of a sequence's frames must agree in shape")
        self._batch.fail_row(row, error)

    def _fold_on_device(self, frames: TensorListGPU) -> TensorListGPU:
        layout = layout_of_sequence(frames.layout())
        shapes = frames.extents()
        for pointers, extents, dtype, whole in self._known:
            alike = dtype == frames.dtype and np.array_equal(extents, shapes)
            if alike and np.array_equal(pointers, frames.pointers()):
                return cast(TensorListGPU, whole.with_layout(layout))
        device = self._batch.device
        for row in self.ragged(shapes).tolist():
            self._refuse(row)
        result = device.empty(self.whole_shapes(shapes), frames.row(0).dtype, layout)
        sizes = [row.nbytes for row in frames.rows()]
        targets = self.unfold(result)
        for i in np.flatnonzero(~np.isin(self._samples, self.ragged(shapes))).tolist():
            device.copy(int(targets.pointers()[i]), address_of(frames.row(i)), sizes[i])
        return result

    def ragged(self, shapes: Int64s) -> Int64s:
        """Return the samples whose frames differ in shape."""
        first = (np.cumsum(self._counts) - self._counts)[self._samples]
        return np.unique(self._samples[(shapes != shapes[first]).any(axis=1)])

    def whole_shapes(self, shapes: Int64s) -> Int64s:
        """Return the shapes of the sequences of frames, whose shapes are given."""
        first = np.minimum(np.cumsum(self._counts) - self._counts, max(0, self.size - 1))
        return np.column_stack([self._counts, shapes[first]])
