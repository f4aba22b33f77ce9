"""Decorators that make functions which return iterators of JAX out of definitions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple, ParamSpec

import jax
from jax.sharding import Sharding

from ...engine.errors import ArgumentError
from ...engine.pipeline.definition import decorator_options, pipeline_def
from ..base_iterator import LastBatchPolicy
from ..options import describe
from .iterator import GenericIterator, check_places, leading
from .placement import row_groups

P = ParamSpec("P")

DEFAULT_THREADS = 4
"""Threads of a pipeline, if the call of the decorated function does not say."""

_OF_SHARDS = ("shard_id", "num_shards")


def data_iterator(
    pipeline_fn: Callable[..., object] | None = None,
    output_map: Sequence[str] | None = None,
    size: int = -1,
    reader_name: str | None = None,
    auto_reset: str | bool | None = False,
    last_batch_padded: bool = False,
    last_batch_policy: LastBatchPolicy | str = LastBatchPolicy.FILL,
    prepare_first_batch: bool = True,
    sharding: Sharding | Mapping[str, Sharding] | None = None,
    devices: Sequence[object] | None = None,
    pmap_compatible: bool | None = None,
    *,
    fill_last_batch: bool | None = None,
    dynamic_shape: bool | None = False,
    with_valid: bool = False,
    batch_form: str = "dict",
) -> Any:
    """Make a definition into a function that returns a `GenericIterator`; also a decorator.

        @data_iterator(output_map=["image", "label"], reader_name="files", sharding=sharding)
        def training(folder, shard_id=0, num_shards=1):
            encoded, labels = fn.readers.file(
                file_root=folder, name="files", shard_id=shard_id, num_shards=num_shards
            )
            return fn.resize(fn.decoders.image(encoded), size=(224, 224)), labels

        batches = training("photos", batch_size=256)

    The function takes the arguments of the definition and of `Pipeline`, and `checkpoints`: what
    `checkpoints()` of such an iterator has returned. By default `num_threads` is 4. The definition
    may be one that `pipeline_def` has decorated, with arguments of `Pipeline`.

    With `sharding` or `devices`, the function makes a pipeline for each part of the rows that this
    process holds: for each of its devices, if these hold different rows. `batch_size` is the number
    of rows of all processes then, which is divided among the pipelines of all processes. Each call
    of the definition gets `shard_id` and `num_shards`. Without them, `device_id` is 0 by default.

    Args:
        {arguments}

    Raises:
        ArgumentError: the arguments contradict one another, or the definition.
    """
    return decorated(GenericIterator, **locals())


describe(data_iterator, GenericIterator.described)


def taking_those_of(
    model: Callable[P, object],
) -> Callable[[Callable[..., Any]], Callable[P, Any]]:
    """Return a decorator that gives a function of names the arguments of another function."""
    form = inspect.signature(model)

    def decorate(function: Callable[..., object]) -> Callable[P, Any]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            bound = form.bind(*args, **kwargs)
            bound.apply_defaults()
            return function(**bound.arguments)

        vars(call)["__signature__"] = form
        return call

    return decorate


class _Shard(NamedTuple):
    """What one pipeline reads, and the number of its device among those of this process."""

    number: int
    device_id: int


def decorated(
    iterator: type[GenericIterator[Any]], pipeline_fn: Callable[..., object] | None, **options: Any
) -> Any:
    """Return a function that makes iterators of a class; a decorator without a definition."""
    sharding, devices = options["sharding"], options["devices"]
    check_places(sharding, devices)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        chosen = decorator_options(function)
        make = pipeline_def(function) if chosen is None else function

        @wraps(function)
        def create(*args: object, checkpoints: Sequence[object] | None = None, **given: Any) -> Any:
            given = {"num_threads": DEFAULT_THREADS, **(chosen or {}), **given}
            own: list[dict[str, Any]]
            if sharding is None and devices is None:
                given.setdefault("device_id", 0)
                own = [{}]
            else:
                own = _arguments(function, given, *_shards(sharding, devices))
            saved = [None] * len(own) if checkpoints is None else list(checkpoints)
            if len(saved) != len(own):
                raise ArgumentError(
                    f"The number of checkpoints provided ({len(saved)}) should match the number "
                    f"of devices to use ({len(own)})."
                )
            pipelines = [
                make(*args, **{**given, **arguments_of_shard}, checkpoint=state)
                for arguments_of_shard, state in zip(own, saved, strict=True)
            ]
            return iterator(pipelines, **options)

        return create

    return decorate if pipeline_fn is None else decorate(pipeline_fn)


def _shards(sharding: object, devices: Sequence[object] | None) -> tuple[list[_Shard], int]:
    """Return the shards that the pipelines of this process read, and the number of all shards."""
    ours = jax.local_devices()
    if devices is not None:
        if jax.process_count() > 1:
            raise ArgumentError(
                "Iterator compatible with pmapped JAX functions does not support running in "
                "multiprocess mode. Use `sharding` argument instead."
            )
        return [_Shard(i, ours.index(device)) for i, device in enumerate(devices)], len(devices)
    groups = row_groups(leading(sharding))
    pairs = zip(groups.local, groups.devices, strict=True)
    return [_Shard(number, ours.index(device)) for number, device in pairs], groups.total


def _arguments(
    definition: Callable[..., object], given: Mapping[str, object], shards: list[_Shard], total: int
) -> list[dict[str, Any]]:
    """Return the arguments of each pipeline that depend on its shard."""
    parameters = inspect.signature(definition).parameters.values()
    names = {parameter.name for parameter in parameters}
    if not {*_OF_SHARDS} <= names and all(p.kind != p.VAR_KEYWORD for p in parameters):
        raise ArgumentError(
            f"{definition.__name__} must have the arguments shard_id and num_shards, because its "
            "iterator has a pipeline for each device; pass them on to the reader"
        )
    clash = sorted(given.keys() & {*_OF_SHARDS, "device_id"})
    if clash:
        raise ArgumentError(f"the iterator chooses {', '.join(clash)} for each device; omit these")
    size = given.get("batch_size")
    if not isinstance(size, int) or size < total:
        raise ArgumentError(
            f"batch_size must be the number of rows on all devices together, and at least {total}, "
            f"but is {size!r}"
        )
    return [
        {
            "batch_size": size // total,
            "device_id": shard.device_id,
            "shard_id": shard.number,
            "num_shards": total,
        }
        for shard in shards
    ]
