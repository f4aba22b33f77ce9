"""What a conversion writes: components, classes, layout and number of shards."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, islice
from math import ceil

from ...engine.errors import ArgumentError
from ..class_names import checked_classes
from ..dataset import Dataset
from ..formats.dataset_format import DatasetFormat
from ..formats.table import writers
from ..formats.writer import Target, Writer
from ..reading import size_of
from ..schema import Schema
from .options import ConvertOptions

DEFAULT_SHARD_BYTES = 256 << 20
"""Size of a shard where the user names neither number nor size."""

MAX_COMPONENT_SETS = 100
"""Sets of components, of each size, that are tried on a format for a message."""


def without_lacking(
    dataset: Dataset, options: ConvertOptions, row: DatasetFormat
) -> tuple[ConvertOptions, tuple[str, ...]]:
    """Return options with the components that a format has room for, and the names of the others.

    That is so for formats of boxes, each of which knows other properties of a box. The user's own
    choice of components stands.
    """
    assert row.writer is not None
    lacking = tuple(name for name in row.writer.may_lack if name in dataset.schema)
    if options.components is not None or not lacking:
        return options, ()
    kept = tuple(name for name in dataset.schema if name not in lacking)
    return replace(options, components=kept), lacking


def target_of(dataset: Dataset, options: ConvertOptions, row: DatasetFormat) -> Target:
    """Return what the writers know of the new data set.

    Raises:
        ArgumentError: the format cannot hold the samples, or an option does not suit the source.
        MissingDependencyError: a library that writes the format is not installed.
    """
    schema = options.reencoding.schema(_chosen_schema(dataset, options))
    writer = check_fits(row, schema, str(dataset.place))
    target = Target(schema, _class_names(dataset, options, schema))
    (first,) = dataset.read(dataset.stored.probes()[:1])
    first = options.reencoding(first.with_only(options.components))
    target = Target(schema, target.classes, writer.layout(target, first))
    writer(target)  # a library that is not installed is an error before anything is written
    return target


def check_fits(row: DatasetFormat, schema: Schema, what: str) -> type[Writer]:
    """Return the writer of a format if it can hold samples of a schema.

    Raises:
        ArgumentError: it cannot. The message says which components, and which formats, would fit.
    """
    assert row.writer is not None
    if reason := row.writer.refusal(schema):
        fitting = _fitting(row.writer, schema)
        advice = f"; `components` {', '.join(fitting)} would fit" if fitting else ""
        if formats := [name for name, writer in writers().items() if not writer.refusal(schema)]:
            advice += f"; all components fit {', '.join(formats)}"
        raise ArgumentError(f"{what} cannot be converted to {row.title}: {reason}{advice}")
    return row.writer


def _fitting(writer: type[Writer], schema: Schema) -> tuple[str, ...]:
    """Return the most components that a format can hold, the first one among them; else ()."""
    first, *others = schema
    for count in range(len(others) - 1, -1, -1):
        for chosen in islice(combinations(others, count), MAX_COMPONENT_SETS):
            names = (first, *chosen)
            if not writer.refusal({name: schema[name] for name in names}):
                return names
    return ()


def _chosen_schema(dataset: Dataset, options: ConvertOptions) -> Schema:
    schema, chosen = dataset.schema, options.components
    if chosen is None:
        return schema
    if unknown := [name for name in chosen if name not in schema]:
        raise ArgumentError(
            f"components: the samples have no component {unknown[0]!r}; they have "
            f"{', '.join(schema)}"
        )
    return {name: component for name, component in schema.items() if name in chosen}


def _class_names(dataset: Dataset, options: ConvertOptions, schema: Schema) -> tuple[str, ...]:
    stored = dataset.classes
    if options.classes is None:
        return stored
    if schema.keys().isdisjoint(("label", "labels")):
        raise ArgumentError(
            "`classes` names the values of the component 'label' or 'labels', but the samples have "
            f"{', '.join(schema)}; leave `classes` out"
        )
    names = checked_classes(options.classes)
    if len(names) < len(stored):
        raise ArgumentError(
            f"`classes` names {len(names)} classes, but {dataset.place} has "
            f"{len(stored)}: a name for {stored[len(names)]!r} is missing"
        )
    return names


def shard_count_of(dataset: Dataset, options: ConvertOptions, count: int) -> int:
    """Return the number of shards for `count` samples."""
    if options.shard_count is not None:
        return min(options.shard_count, count)
    samples = dataset.read(dataset.stored.probes())
    mean = sum(map(size_of, samples)) / len(samples)
    size = options.shard_size or DEFAULT_SHARD_BYTES
    return min(max(1, ceil(mean * count / size)), count)
