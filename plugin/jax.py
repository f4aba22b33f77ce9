"""Batches as JAX arrays.

    from penstock.plugin.jax import DALIGenericIterator

    train = DALIGenericIterator(pipeline, ["image", "label"], reader_name="Reader")
    for batch in train:
        state = step(state, batch["image"], batch["label"])

Batches on the GPU become arrays without a copy; their memory is used again only after JAX has
dropped it. Batches in host memory are copied to JAX's default device. As everywhere in JAX, 64-bit
types become 32-bit ones unless `jax_enable_x64` is set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ..engine.errors import ArgumentError, MissingDependencyError
from ..engine.tensors import TensorList, TensorListGPU
from .arguments import as_policy
from .base_iterator import BaseIterator, LastBatchPolicy, check_uniform

try:
    import jax
    from jax.dlpack import from_dlpack
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.jax needs JAX ({error}); pip install jax, or 'jax[cuda13]' for the GPU",
        name=error.name,
    ) from error

if TYPE_CHECKING:
    from ..engine.pipeline import Pipeline

__all__ = ["DALIGenericIterator", "GenericIterator", "LastBatchPolicy"]

JaxArray: TypeAlias = Any
"""A `jax.Array`; JAX is optional, for the type checker too."""


class GenericIterator(BaseIterator[JaxArray]):
    """Yields a dictionary with each output of a pipeline as one array of shape (batch, *sample).

    With several pipelines their arrays are put together along axis 0.

    Args:
        sharding: a `jax.sharding.Sharding` along axis 0, needed for several pipelines: its devices
            of this process take the pipelines' batches in the order of the parts that they hold.

    The other arguments are those of `penstock.plugin.base_iterator.BaseIterator`. The last batch is
    never a partial one, as JAX compiles anew for each shape: `LastBatchPolicy.PARTIAL` is refused.
    """

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        sharding: Any = None,
    ) -> None:
        if as_policy(last_batch_policy, None) == LastBatchPolicy.PARTIAL:
            raise ArgumentError("the JAX iterator has no LastBatchPolicy.PARTIAL; use FILL or DROP")
        self._sharding = sharding
        super().__init__(
            pipelines,
            output_map,
            size,
            reader_name,
            auto_reset,
            None,
            last_batch_padded,
            last_batch_policy,
            prepare_first_batch,
        )
        wanted = 1 if sharding is None else len(sharding.addressable_devices)
        if len(self._pipelines) != wanted:
            raise ArgumentError(
                f"{len(self._pipelines)} pipelines were given for {wanted} device(s); give one for "
                "each device of `sharding`"
            )

    def __next__(self) -> dict[str, JaxArray]:  # type: ignore[override]  # as in DALI
        batches = super().__next__()
        if self._sharding is None:
            return batches[0]
        return {name: self._joined([batch[name] for batch in batches]) for name in batches[0]}

    def _joined(self, shards: list[JaxArray]) -> JaxArray:
        first = shards[0].shape
        shape = (len(self._sharding.device_set) * first[0], *first[1:])
        parts = self._sharding.addressable_devices_indices_map(shape)
        devices = sorted(parts, key=lambda device: parts[device][0].start or 0)
        placed = [jax.device_put(*both) for both in zip(shards, devices, strict=True)]
        return jax.make_array_from_single_device_arrays(shape, self._sharding, placed)

    def _convert(self, name: str, output: TensorList, rows: int) -> JaxArray:
        check_uniform(name, output)  # and `rows` are all: only PARTIAL cuts batches
        if isinstance(output, TensorListGPU):
            return from_dlpack(_Lasting(output))
        return jax.numpy.array(output.dense())


class _Lasting:
    """A batch for a consumer whose streams are never destroyed, as JAX's."""

    def __init__(self, batch: TensorListGPU) -> None:
        self._batch = batch

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._batch.__dlpack_device__()

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        self._batch.used_on(stream, lasts=True)
        return self._batch.__dlpack__(stream=stream, **options)


DALIGenericIterator = GenericIterator
