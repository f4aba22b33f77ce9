"""Given and random orders of the samples of a batch: `permute_batch`, `batch_permutation`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import BOOL, INTS, REQUIRED, param
from ...engine.graph.rules import BatchRules
from ...engine.order import philox
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.tensors.source_info import Names, NamesOnDemand
from ..common.whole_batches import UploadedOperator
from ..indexing.gpu_copies import copy_views
from ..indexing.strided_views import StridedViews

_ATTEMPTS = 64
"""Maximum number of random orders to try; more than one in three has no fixed point."""


@register
class PermuteBatch(BatchOperator):
    """Returns a batch in which sample i is the input's sample `indices[i]`.

    An index may repeat, and indices may be missing. A batch without samples stays as it is.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=3, num_threads=1) as pipe:
    ...     output = fn.permute_batch(fn.external_source([[[1], [2], [3]]]), indices=[2, 0, 1])
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.as_array().tolist())
    [[3], [1], [2]]

    Inputs:
        data: any samples.

    Outputs:
        the selected samples: of the dtype and layout of the input.

    Raises:
        ArgumentError: the numbers of indices and samples differ, or an index is out of range.
    """

    name = "permute_batch"
    batches = BatchRules(sample_independent=False)
    devices = ("cpu", "gpu")
    inputs = ("data",)
    indices = param(
        INTS,
        REQUIRED,
        "One index a sample: a sequence as long as the batch, or a node of scalars.",
        per_sample=True,
    )

    def batch(self, batch: BatchContext, data: TensorList, *, indices: Any) -> TensorListCPU:
        chosen = self._chosen(batch, indices)
        layout = self.output_layouts()[0]
        if data.is_dense_tensor():
            source = data.dense()
            out = batch.empty(source.shape, source.dtype)
            permuted = TensorListCPU(np.take(source, chosen, 0, out), layout)
        else:
            permuted = TensorListCPU([data.row(index) for index in chosen], layout)
        return permuted.with_source_info(_permuted(data.names, chosen))

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, *, indices: object
    ) -> TensorListGPU:
        chosen = self._chosen(batch, indices)
        permuted = copy_views(batch, StridedViews.of(data).rows(chosen))
        return permuted.with_source_info(_permuted(data.names, chosen))

    def _chosen(self, batch: BatchContext, indices: Any) -> Array:
        if isinstance(indices, TensorList):
            if any(shape != () for shape in indices.shape()):
                raise ArgumentError(
                    f"indices must be scalars, but have the shapes {set(indices.shape())}"
                )
            indices = [int(indices.row(i)) for i in range(len(indices))]
        if batch.size == 0:  # as on the GPU, where the engine calls no operator for it
            indices = []
        if len(indices) != batch.size:
            raise ArgumentError(
                f"got {len(indices)} indices for a batch of {batch.size} samples; give one index "
                "for each sample"
            )
        for index in indices:
            if not 0 <= index < batch.size:
                raise ArgumentError(f"there is no sample {index} in a batch of {batch.size}")
        return np.array(indices, np.intp)


def _permuted(names: Names | None, order: Array) -> Names | None:
    return None if names is None else NamesOnDemand(names.__getitem__, order)


@register
class BatchPermutation(UploadedOperator):
    """Draws a random order of the samples of a batch, for the `indices` of `permute_batch`.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.batch_permutation())
    ...     (result,) = pipe.run()
    ...     print(result.as_array().tolist())
    [3, 2, 0, 1]
    """

    name = "batch_permutation"
    is_random = True
    batches = BatchRules(sample_independent=False)
    allow_repetitions = param(
        BOOL, False, "Draw every index independently, so that indices may repeat."
    )
    no_fixed_points = param(
        BOOL, False, "Give no sample its own index. A batch of one sample ignores this."
    )

    def batch(self, batch: BatchContext) -> Array:
        if self.allow_repetitions:
            return self._alone(batch)
        own = np.arange(batch.size, dtype=np.int32)
        avoid = self.no_fixed_points and batch.size > 1
        keys = self._uniform(batch, _ATTEMPTS if avoid else 1)
        for column in keys.T:
            order = np.argsort(column, kind="stable").astype(np.int32)
            if not (avoid and (order == own).any()):
                return order
        return np.roll(own, 1)

    def _alone(self, batch: BatchContext) -> Array:
        numbers = self._uniform(batch, 1)[:, 0]
        if not self.no_fixed_points or batch.size == 1:
            return (numbers * batch.size).astype(np.int32)
        steps = 1 + (numbers * (batch.size - 1)).astype(np.int32)
        return ((np.arange(batch.size) + steps) % batch.size).astype(np.int32)

    def _uniform(self, batch: BatchContext, count: int) -> Array:
        return philox.uniform(self.placement.random_key, batch.epoch, batch.position, count)
