"""The unit that data sets are made of, in any format: a key and named components."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array
from ..engine.errors import ArgumentError


@dataclass(frozen=True)
class Encoded:
    """An encoded file, such as a JPEG image.

    Attributes:
        data: the file's bytes; a memoryview of them may share memory with its neighbors.
        extension: of the file's name, without a dot, such as "jpg"; "" if it is not known.
    """

    data: bytes | memoryview
    extension: str


Value = Encoded | int | float | str | Array
"""A component: an encoded file, a number, a text, or an array of numbers."""


def array_of(value: Value) -> NDArray[Any]:
    """Return a component as an array; files and texts as their bytes."""
    if isinstance(value, Encoded):
        return np.frombuffer(value.data, np.uint8)
    if isinstance(value, str):
        return np.frombuffer(value.encode("utf-8", "backslashreplace"), np.uint8)
    return np.asarray(value)


@dataclass(frozen=True)
class Sample:
    """One sample of a data set.

    Attributes:
        key: unique in the data set; like a path without extension, with slashes: "cat/001".
        components: values by name, such as "image", "label", "audio", "text", "boxes" (float32,
            shape (n, 4)) and "labels" (int32, shape (n,)). A component that is missing is left out.

    >>> Sample("cat/001", {"image": Encoded(b"...", "jpg"), "label": 3}).components["label"]
    3
    """

    key: str
    components: Mapping[str, Value]

    def with_only(self, names: Collection[str] | None) -> Sample:
        """Return the sample with only these components; None stands for all.

        >>> Sample("a", {"label": 3, "text": "cat"}).with_only(["text"]).components
        {'text': 'cat'}
        """
        if names is None:
            return self
        return Sample(self.key, {n: value for n, value in self.components.items() if n in names})


def check_names(sample: Sample) -> None:
    """Raise ArgumentError unless key and extensions can name files below a folder.

    >>> check_names(Sample("cat/001", {"image": Encoded(b"...", "jpg/../../x")}))
    Traceback (most recent call last):
    ...
    penstock.engine.errors.ArgumentError: the component 'image' has the extension ...
    """
    check_key(sample.key)
    for name, value in sample.components.items():
        if isinstance(value, Encoded):
            _check_extension(name, value.extension)


def _check_extension(name: str, extension: str) -> None:
    plain = extension.isprintable() and not extension.endswith(" ")
    if not plain or "/" in extension or "." in extension:
        raise ArgumentError(
            f"the component {name!r} has the extension {extension!r:.200}, which is not one of "
            "printable characters without dot and slash; rename it, because it names files"
        )


def check_key(key: str) -> None:
    """Raise ArgumentError unless a key can be the path of a file below a folder.

    >>> check_key("../etc/passwd")
    Traceback (most recent call last):
    ...
    penstock.engine.errors.ArgumentError: the key '../etc/passwd' is no ...
    """
    segments = key.split("/")
    if any(segment in ("", ".", "..") for segment in segments) or not key.isprintable():
        raise ArgumentError(
            f"the key {key!r:.300} is no relative path of printable characters, but keys name "
            f"files; rename the sample, or leave it out by `where`: key != {key!r:.300}"
        )
