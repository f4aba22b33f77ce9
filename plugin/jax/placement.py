"""The batches of several pipelines as one array on the devices of JAX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec, Sharding

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from ...engine.tensors.alignment import empty_aligned
from .integration import JaxArray

_MOST_DIMENSIONS = 8  # of a batch; so many a sharding is tried with

Rows = tuple[int, int]
"""Number of the first row, and of the one behind the last."""


class RowGroups(NamedTuple):
    """How a sharding divides axis 0, whose rows are samples.

    Attributes:
        total: number of groups of rows.
        local: numbers of the groups that devices of this process hold, ascending.
        devices: a device of this process for each of these groups.
    """

    total: int
    local: list[int]
    devices: list[object]


def row_groups(sharding: Sharding, rest: tuple[int, ...] | None = None) -> RowGroups:
    """Return how a sharding divides the rows.

    Args:
        sharding: of an array.
        rest: shape of a row; None if the shape is not known, and any will do.
    """
    count = len(sharding.device_set)  # the number of groups divides it
    if rest is not None:
        indices = sharding.devices_indices_map((count, *rest))
    else:
        indices = _indices_of_any(sharding, count)
    rows = {device: _rows(index, count) for device, index in indices.items()}
    groups = sorted(set(rows.values()))
    here: dict[int, jax.Device] = {}
    local = sharding.addressable_devices
    for device in indices:
        if device in local:
            here.setdefault(groups.index(rows[device]), device)
    return RowGroups(len(groups), sorted(here), [here[group] for group in sorted(here)])


def _indices_of_any(sharding: Sharding, count: int) -> object:
    for ndim in range(1, _MOST_DIMENSIONS):
        try:
            return sharding.devices_indices_map((count,) * ndim)
        except (ValueError, IndexError):  # of a sharding of more dimensions
            continue
    return sharding.devices_indices_map((count,) * _MOST_DIMENSIONS)


def _rows(index: tuple[slice, ...] | None, count: int) -> Rows:
    start, stop, _ = (index[0] if index else slice(None)).indices(count)
    return start, stop


class Placement:
    """Makes one array of the batches of all pipelines of this process.

    Args:
        sharding: of the array. Axis 0 has the rows of all processes. By default the array is on
            JAX's default device, or on those of the batches if each is on another one.
        stacked: whether the array gets a new axis 0 with an entry for each pipeline.
    """

    def __init__(self, sharding: Sharding | None = None, stacked: bool = False) -> None:
        self._sharding = sharding
        self._stacked = stacked
        self._is_plain = sharding is None and not stacked
        self._plans: dict[tuple[int, ...], _Plan] = {}

    def array(self, name: str, batches: Sequence[JaxArray | Array]) -> JaxArray:
        """Return the array.

        Args:
            name: of the output.
            batches: of the pipelines: arrays of NumPy, or of JAX on some device.

        Raises:
            ArgumentError: the batches differ in shape, or cannot be divided so.
        """
        if self._is_plain and len(batches) == 1:
            return jax.device_put(batches[0])
        shapes = list(dict.fromkeys(batch.shape for batch in batches))
        if len(shapes) > 1:
            raise ArgumentError(
                f"output {name!r}: the pipelines' batches differ in shape "
                f"({', '.join(map(str, shapes[:4]))}), so they form no single array"
            )
        if self._stacked:
            batches = [batch[None] for batch in batches]
        sharding = self._sharding or sharding_of(batches)
        if sharding is None:
            return jax.device_put(_taken(batches, (0, len(batches) * len(batches[0]))))
        shape = (len(batches) * len(batches[0]), *batches[0].shape[1:])
        plan = self._plans.get(shape)
        if plan is None:
            plan = self._plans[shape] = _plan(name, sharding, shape)
        shards = _shards(batches, plan)
        return jax.make_array_from_single_device_arrays(plan.shape, sharding, shards)


class _Plan(NamedTuple):
    """Which part of this process' rows each of its devices gets.

    Attributes:
        shape: of the array of all processes.
        shards: for each device the rows, and the slices of the other axes; () for all.
    """

    shape: tuple[int, ...]
    shards: list[tuple[jax.Device, Rows, tuple[slice, ...]]]


def _plan(name: str, sharding: Sharding, local: tuple[int, ...]) -> _Plan:
    """Return the plan for an array, of which this process has `local` rows."""
    count, rest = local[0], local[1:]
    try:
        groups = row_groups(sharding, rest)
        if count % len(groups.local):
            raise ArgumentError(
                f"{count} samples cannot be divided among {len(groups.local)} groups of devices; "
                "take a batch size that is a multiple of this number"
            )
        size = count // len(groups.local)
        shape = (size * groups.total, *rest)
        indices = sharding.addressable_devices_indices_map(shape)
    except (ValueError, IndexError) as error:  # the latter of a sharding of more dimensions
        raise ArgumentError(
            f"output {name!r}, of which this process has the shape {local}, does not fit its "
            f"sharding {sharding}: {error} A dict gives each output a sharding of its own."
        ) from error
    shards = []
    for device, index in indices.items():
        start, stop = _rows(index, shape[0])
        first = groups.local.index(start // size) * size
        others = () if index is None else tuple(index[1:])
        whole = all(part.indices(n) == (0, n, 1) for part, n in zip(others, rest, strict=False))
        shards.append((device, (first, first + stop - start), () if whole else others))
    return _Plan(shape, shards)


def _shards(batches: Sequence[JaxArray | Array], plan: _Plan) -> list[JaxArray]:
    """Return what each device of this process gets, on that device."""
    on_host = isinstance(batches[0], np.ndarray)
    known: dict[object, JaxArray | Array] = {}  # devices may get the same rows
    shards = []
    for device, rows, rest in plan.shards:
        key = rows if on_host else (rows, device)
        if key not in known:
            known[key] = _taken(batches, rows, device)
        array = known[key]
        shards.append(jax.device_put(array[:, *rest] if rest else array, device))
    return shards


def _taken(
    batches: Sequence[JaxArray | Array], rows: Rows, device: jax.Device | None = None
) -> JaxArray | Array:
    """Return rows of the batches end to end: a view, if one batch has all of them."""
    start, stop = rows
    size = len(batches[0])
    if not size:
        return batches[0]
    pieces = [
        batch if (first, last) == (0, size) else batch[first:last]
        for i, batch in enumerate(batches)
        if (first := max(0, start - i * size)) < (last := min(size, stop - i * size))
    ]
    if len(pieces) == 1:
        return pieces[0]
    if isinstance(pieces[0], np.ndarray):
        joined = empty_aligned((stop - start, *pieces[0].shape[1:]), pieces[0].dtype)
        return np.concatenate(pieces, out=joined)
    if device is not None:
        pieces = [jax.device_put(piece, device) for piece in pieces]
    return jax.numpy.concatenate(pieces)


def along_batches(devices: Sequence[object]) -> NamedSharding:
    """Return the sharding that divides axis 0 among devices, in their order."""
    return NamedSharding(Mesh(np.array(devices), ("device",)), PartitionSpec("device"))


def of_rows(sharding: Sharding) -> Sharding:
    """Return the sharding of an array that has a number for each row of `sharding`'s array."""
    if isinstance(sharding, NamedSharding):
        return NamedSharding(sharding.mesh, PartitionSpec(*sharding.spec[:1]))
    return sharding


def sharding_of(batches: Sequence[JaxArray | Array]) -> NamedSharding | None:
    """Return the sharding of batches that lie on as many devices; None for other batches."""
    if len(batches) == 1 or isinstance(batches[0], np.ndarray):
        return None
    devices = [batch.device for batch in batches]
    return along_batches(devices) if len(set(devices)) == len(devices) else None
