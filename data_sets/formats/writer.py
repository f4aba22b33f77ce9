"""The contract of writers: what every format implements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..component_files import LABEL
from ..manifest import ShardInfo
from ..sample import Sample
from ..schema import ENCODED, INT, ComponentType, Schema


@dataclass(frozen=True)
class Target:
    """What a writer knows of its data set.

    Attributes:
        schema: of the samples.
        classes: names of the values of "label"; empty if they are not known.
        layout: choices of the format: see `Writer.layout`.
    """

    schema: Schema
    classes: tuple[str, ...] = ()
    layout: Mapping[str, Any] = field(default_factory=dict)


class Writer(ABC):
    """Writes the shards of a data set, one after the other.

    A shard depends on its samples alone: the same samples give the same bytes, on any machine. A
    writer works for one thread. `start`, `write` for each sample, and `finish` make a shard;
    `abandon` releases what a shard that fails has open. All files lie in the folder of the path
    that `start` gets, so another module can move them together.
    """

    may_lack: tuple[str, ...] = ()
    """Components that conversions leave out, and report, unless the user names components."""

    def __init__(self, target: Target) -> None:
        self.target = target

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        """Return why the format cannot hold such samples, or "" if it can."""
        return ""

    @classmethod
    def layout(cls, target: Target, first: Sample) -> dict[str, Any]:
        """Return choices for the manifest that all shards share, from the first sample."""
        return {}

    @abstractmethod
    def start(self, path: Path) -> None:
        """Start a shard whose files are named `path` and a suffix.

        Raises:
            OSError: a file cannot be written.
        """

    @abstractmethod
    def write(self, sample: Sample) -> None:
        """Append a sample; the memory of its components must not change before `finish`.

        Raises:
            ArgumentError: the format cannot hold the sample.
            OSError: a file cannot be written.
        """

    @abstractmethod
    def finish(self) -> ShardInfo:
        """Close the shard; once this returns, its files are whole and safe on the disk."""

    @abstractmethod
    def abandon(self) -> None:
        """Close the files of a shard that is not whole; do nothing after `finish`."""

    @classmethod
    def complete(cls, root: Path, target: Target, shards: Sequence[ShardInfo]) -> Target:
        """Write the files that all shards share; return the target for the manifest.

        Args:
            root: folder of the data set, with all files of all shards.
            target: of the shards.
            shards: in order.
        """
        return target


def one_encoded(schema: Schema, format: str) -> str:
    """Return why a schema does not have exactly one encoded component, or ""."""
    names = [name for name, component in schema.items() if component.type == ENCODED]
    if len(names) == 1:
        return ""
    held = ", ".join(f"{name!r} ({component})" for name, component in schema.items())
    return f"{format} holds one encoded file a sample, but the samples have {held}"


def others(schema: Schema, allowed: Mapping[str, str], format: str) -> str:
    """Return which component a format has no room for, or "".

    Args:
        schema: of the samples.
        allowed: type by name of the components that the format has room for; "" for any type.
        format: its name.
    """
    for name, component in schema.items():
        if component.type != ENCODED and allowed.get(name, None) not in ("", component.type):
            return f"{format} has no room for the component {name!r} ({component})"
    return ""


def needs_label(schema: Schema, format: str) -> str:
    """Return why there is no integer "label", or ""."""
    if schema.get(LABEL, ComponentType("")).type == INT:
        return ""
    return f"{format} needs the integer component 'label', which the samples do not have"
