"""The calls of readers that read a data set, as texts: what `inspect` prints."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..engine.errors import ArgumentError
from ..readers.listing.path_patterns import expand_braces
from ..readers.storage.urls import is_url, shown
from .dataset import Dataset
from .formats.base import ReaderCall

_NUMBER = re.compile(r"\d+")


def reader_texts(dataset: Dataset) -> tuple[str, ...]:
    """Return the calls that together read the samples of a data set; () if no reader does.

    They run where `fn`, `types` and `tfrecord` of `penstock` are names, in a pipeline's definition.

    >>> from pathlib import Path
    >>> from penstock.datasets import open_dataset
    >>> Path("pets/cat").mkdir(parents=True)
    >>> _ = Path("pets/cat/1.jpg").write_bytes(b"meow")
    >>> with open_dataset("pets") as dataset:
    ...     [text] = reader_texts(dataset)
    >>> text.startswith("fn.readers.file(file_root='/")
    True
    """
    try:
        return tuple(map(_text, dataset.stored.reader_calls()))
    except ArgumentError:  # nothing that readers give
        return ()


class _Name:
    """A name of a library, and what is written behind it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def __getattr__(self, name: str) -> _Name:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Name(f"{self._text}.{name}")

    def __call__(self, *arguments: object) -> _Name:
        return _Name(f"{self._text}({', '.join(map(repr, arguments))})")


class _Library:
    """What a function among a call's arguments gets in place of a library."""

    name = "Penstock"
    types = _Name("types")
    tfrecord = _Name("tfrecord")


def _text(call: ReaderCall) -> str:
    # The reader takes `shuffle_block` with `random_shuffle=True` alone.
    given = {n: v for n, v in {**call.arguments, **call.shown}.items() if n != "shuffle_block"}
    arguments = ", ".join(f"{name}={_value(value)}" for name, value in given.items())
    return f"fn.readers.{call.operator}({arguments})"


def _value(value: Any) -> str:
    if callable(value):
        return repr(value(_Library()))
    if isinstance(value, list | tuple) and value and all(isinstance(path, str) for path in value):
        path = path_of(value) if "/" in value[0] else [*value]
        return repr(shown(path) if isinstance(path, str) else [*map(shown, path)])
    return repr(shown(value)) if isinstance(value, str) else repr(value)


def path_of(files: Sequence[str]) -> Any:
    """Return one path or pattern that stands for files, or else the files.

    >>> path_of(["a/x-08.tar", "a/x-09.tar", "a/x-10.tar"])
    'a/x-{08..10}.tar'
    """
    if len(files) == 1:
        return files[0]
    makers: list[Callable[[Sequence[str]], str]] = [_braces, _glob]
    return next(filter(None, (make(files) for make in makers)), [*files])


def _braces(files: Sequence[str]) -> str:
    first, last = files[0], files[-1]
    for one, other in zip(_NUMBER.finditer(first), _NUMBER.finditer(last), strict=False):
        if one[0] != other[0] and one.start() == other.start():
            before, behind = first[: one.start()], first[one.end() :]
            pattern = f"{before}{{{one[0]}..{other[0]}}}{behind}"
            try:
                return pattern if [*expand_braces(pattern)] == [*files] else ""
            except ArgumentError:  # the range counts down
                return ""
    return ""


def _glob(files: Sequence[str]) -> str:
    folder, ending = os.path.dirname(files[0]), os.path.splitext(files[0])[1]
    if is_url(folder) or not ending:
        return ""
    pattern = os.path.join(glob.escape(folder), f"*{ending}")
    return pattern if sorted(glob.glob(pattern)) == [*files] else ""
