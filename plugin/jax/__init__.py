"""Batches as JAX arrays.

    from penstock.plugin.jax import DALIGenericIterator

    train = DALIGenericIterator(pipeline, ["image", "label"], reader_name="Reader")
    for batch in train:
        state = step(state, batch["image"], batch["label"])

Batches on the GPU become arrays without a copy. The pipeline uses their memory again only after JAX
has dropped the arrays. Batches in host memory are copied to JAX's default device. As everywhere in
JAX, 64-bit dtypes become 32-bit dtypes unless `jax_enable_x64` is set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Never, TypeAlias

from ...engine.errors import ArgumentError, MissingDependencyError
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.device_tensors import LastingExport
from ..base_iterator import BaseIterator, LastBatchPolicy, check_uniform
from ..forms import DictForm
from . import fn as fn

try:
    import jax
    from jax.dlpack import from_dlpack
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.jax needs JAX ({error}); pip install jax, or 'jax[cuda13]' for the GPU",
        name=error.name,
    ) from error

if TYPE_CHECKING:
    from ...engine.run.pipeline import Pipeline

__all__ = ["DALIGenericIterator", "GenericIterator", "LastBatchPolicy"]

JaxArray: TypeAlias = jax.Array


class GenericIterator(BaseIterator[JaxArray, DictForm]):
    """Yields a dictionary with each output of a pipeline as one array of shape (batch, *sample).

    The arrays of several pipelines are joined along axis 0.

    `LastBatchPolicy.PARTIAL` is refused, because JAX compiles a program anew for each shape.

    Args:
        {arguments}
        sharding: a `jax.sharding.Sharding` along axis 0, needed for several pipelines. The
            pipelines' batches go to the sharding's devices of this process, in the order of the
            slices that the devices hold.
    """

    allows_partial: ClassVar[bool] = False
    joins_pipelines: ClassVar[bool] = True

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        output_map: Sequence[str] | None = None,
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy | str = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        sharding: Any = None,
        *,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        with_valid: bool = False,
        batch_form: DictForm = "dict",  # type: ignore[assignment]  # the default of `DictForm`
        **unknown: Never,
    ) -> None:
        self._sharding = sharding
        super().__init__(
            pipelines,
            output_map,
            size,
            reader_name,
            auto_reset,
            fill_last_batch,
            dynamic_shape,
            last_batch_padded,
            last_batch_policy,
            prepare_first_batch,
            with_valid,
            batch_form=batch_form,
            **unknown,
        )
        wanted = 1 if sharding is None else len(sharding.addressable_devices)
        if len(self._pipelines) != wanted:
            raise ArgumentError(
                f"{len(self._pipelines)} pipelines were given for {wanted} device(s); give one for "
                "each device of `sharding`"
            )

    def joined(self, batches: list[dict[str, JaxArray]]) -> list[dict[str, JaxArray]]:
        """Return one dictionary, in whose arrays the pipelines' are shards."""
        if self._sharding is None:
            return batches
        return [{name: self._sharded([batch[name] for batch in batches]) for name in batches[0]}]

    def _sharded(self, shards: list[JaxArray]) -> JaxArray:
        first = shards[0].shape
        shape = (len(self._sharding.device_set) * first[0], *first[1:])
        slices = self._sharding.addressable_devices_indices_map(shape)
        devices = sorted(slices, key=lambda device: slices[device][0].start or 0)
        placed = [jax.device_put(*both) for both in zip(shards, devices, strict=True)]
        return jax.make_array_from_single_device_arrays(shape, self._sharding, placed)

    def convert(self, name: str, output: TensorList, count: int) -> JaxArray:
        """Return all samples as one array; `count` is their number, as no batch is partial."""
        check_uniform(name, output)
        if isinstance(output, TensorListGPU):
            return from_dlpack(LastingExport(output))
        return jax.numpy.array(output.dense())


DALIGenericIterator = GenericIterator
