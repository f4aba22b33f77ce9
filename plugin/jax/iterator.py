"""The iterator whose batches are arrays of JAX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Never, TypeAlias

import jax
from jax.sharding import Sharding

from ...engine.errors import ArgumentError
from ...engine.pipeline.pipeline import Pipeline
from ...engine.tensors import TensorList
from ..base_iterator import VALID, BaseIterator, LastBatchPolicy, check_uniform, of_all
from ..forms import IN_DICTS, DictForm
from ..options import DESCRIPTION
from .integration import local_array
from .placement import Placement, along_batches, of_rows, row_groups

__all__ = ["DALIGenericIterator", "GenericIterator", "LastBatchPolicy"]

JaxArray: TypeAlias = jax.Array

_PLACES = """\
        sharding: a `jax.sharding.Sharding` of all outputs, or a dict with a sharding for each
            output. The rows of the pipelines, and of all processes, lie along axis 0. A process
            fills the rows that its devices hold, in their order.
        pmap_compatible: whether arrays get a new axis 0 with an entry for each pipeline, as
            `jax.pmap` takes them. By default several pipelines without a sharding have this axis.
        devices: a device for each pipeline, in place of a sharding.
"""
"""Arguments of the iterators of JAX, after those of all iterators."""

_ADVICE = "pad them, and return `fn.shapes` of the samples as another output"


class GenericIterator(BaseIterator[JaxArray, DictForm]):
    """Yields a dictionary with each output as one array of shape (batch, *sample).

    Arrays on the CPU and on the GPU share the memory of the pipeline's output, which is used again
    when JAX has dropped the array. The batches of several pipelines become one array.

    `LastBatchPolicy.PARTIAL` is refused, because JAX compiles a program anew for each shape.

    Args:
        {arguments}

    Raises:
        ArgumentError: the arguments contradict one another, or samples differ in shape.
    """

    allows_partial: ClassVar[bool] = False
    joins_pipelines: ClassVar[bool] = True
    described: ClassVar[str] = DESCRIPTION + _PLACES

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
        sharding: Sharding | Mapping[str, Sharding] | None = None,
        pmap_compatible: bool | None = None,
        *,
        devices: Sequence[object] | None = None,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        with_valid: bool = False,
        batch_form: DictForm = IN_DICTS,
        **unknown: Never,
    ) -> None:
        check_places(sharding, devices)
        super().__init__(**of_all(locals()))
        count = len(self._pipelines)
        if devices is not None and len(devices) != count:
            raise ArgumentError(
                f"{count} pipelines were given for {len(devices)} devices; give one for each"
            )
        if pmap_compatible is None:
            pmap_compatible = sharding is None and (devices is not None or count > 1)
        self._placements = self._chosen(sharding, devices, bool(pmap_compatible))
        self._start()

    def _start(self) -> None:
        """Do what a class that derives from this one does at the end of the constructor."""

    def _chosen(
        self, sharding: object, devices: Sequence[object] | None, stacked: bool
    ) -> dict[str, Placement]:
        """Return where each output goes, and the truth values of samples."""
        names = [*self.output_map, VALID]
        if sharding is None:
            common = Placement(None if devices is None else along_batches(devices), stacked)
            return dict.fromkeys(names, common)
        if not isinstance(sharding, Mapping):
            sharding = dict.fromkeys(self.output_map, sharding)
        unknown = sorted(sharding.keys() - set(names))
        if unknown:
            raise ArgumentError(
                f"sharding names {', '.join(map(repr, unknown))}, but the outputs are "
                f"{', '.join(map(repr, self.output_map))}"
            )
        rows = {VALID: of_rows(leading(sharding))} if sharding else {}
        return {name: Placement({**rows, **sharding}.get(name)) for name in names}

    def joined(self, batches: list[dict[str, JaxArray]]) -> list[dict[str, JaxArray]]:
        """Return one dictionary, in whose arrays the pipelines' batches lie."""
        return [
            {
                name: self._placements[name].array(name, [batch[name] for batch in batches])
                for name in batches[0]
            }
        ]

    def convert(self, name: str, output: TensorList, count: int) -> JaxArray:
        """Return all samples as one array on their device; see `local_array`."""
        check_uniform(name, output, _ADVICE)
        return local_array(output)


def check_places(sharding: object, devices: object) -> None:
    """Raise ArgumentError unless `sharding` and `devices` may be arguments together."""
    if sharding is not None and devices is not None:
        raise ArgumentError("Only one of `sharding` and `devices` arguments can be provided.")
    for placement in sharding.values() if isinstance(sharding, Mapping) else [sharding]:
        if placement is not None and not isinstance(placement, Sharding):
            raise ArgumentError(
                "`sharding` should be an instance of `jax.sharding.Sharding`, or a dict with one "
                f"for each output, not {placement!r:.80}"
            )


def leading(sharding: Sharding | Mapping[str, Sharding]) -> Sharding:
    """Return the sharding that divides the rows into most groups."""
    if not isinstance(sharding, Mapping):
        return sharding
    return max(sharding.values(), key=lambda placement: row_groups(placement).total)


DALIGenericIterator = GenericIterator
