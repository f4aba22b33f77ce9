"""What a command works on: a path of data, or a pipeline of the user's as FILE_OR_MODULE:NAME."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..engine.errors import PenstockError
from ..engine.pipeline.definition import decorator_options
from ..engine.pipeline.pipeline import Pipeline
from ..engine.suggestions import unknown
from ..readers.storage.urls import is_url
from .commands import CommandFailed
from .user_module import failed, load_module, location_of


@dataclass(frozen=True)
class PipelineTarget:
    """A pipeline of the user's.

    Attributes:
        module: a Python file, or a module by its dotted name.
        name: of a Pipeline, or of a function with the decorator `pipeline_def`.
        path: of a file that lists the sources of a mixture, if the pipeline is that of the file.
    """

    module: str
    name: str
    path: str = ""

    def __str__(self) -> str:
        return self.path or f"{self.module}:{self.name}"


def parse_target(text: str) -> PipelineTarget | str:
    """Return what a command's argument names: a pipeline, or a path that exists (a URL may not).

    A file that lists the sources of a mixture is the pipeline that reads it.

    Raises:
        CommandFailed: there is no such path, and the text names no pipeline.
    """
    module, colon, name = text.rpartition(":")
    if module and name.isidentifier() and not os.path.exists(text) and not is_url(text):
        return PipelineTarget(module, name)
    try:
        path = require_path(text)
        if path.lower().endswith((".yaml", ".yml")):
            from .mixture_file import is_mixture_file  # few commands need it

            if is_mixture_file(path):
                return PipelineTarget("penstock.cli.mixture_file", "mixture", path)
        return path
    except CommandFailed as error:
        more = "" if colon else "; a pipeline is given as FILE.py:NAME or MODULE:NAME"
        raise CommandFailed(f"{error}{more}", 2) from None


def require_path(path: str) -> str:
    """Return a path that exists, a URL or a pattern; raise CommandFailed for others."""
    if is_url(path) or os.path.exists(path) or any(sign in path for sign in "*?{"):
        return path
    raise CommandFailed(f"{path}: there is no such file or folder", 2)


def open_pipeline(
    target: PipelineTarget,
    arguments: Mapping[str, object],
    options: Mapping[str, object],
    batch_size: int,
) -> Pipeline:
    """Return the pipeline that a target names: see `definition_of` and `defined`."""
    arguments = {"path": target.path, **arguments} if target.path else arguments
    return defined(target, definition_of(target), arguments, options, batch_size)


def definition_of(target: PipelineTarget) -> object:
    """Import the module of a target; return the Pipeline or the function that defines one.

    Raises:
        CommandFailed: there is no such module or pipeline, or the user's code fails.
    """
    module = load_module(target.module)
    if not hasattr(module, target.name):
        raise CommandFailed(f"{target.module} has no {_advice(target.name, vars(module))}", 2)
    value = getattr(module, target.name)
    if not isinstance(value, Pipeline) and decorator_options(value) is None:
        raise CommandFailed(
            f"{target} is {_described(value)}, not a Pipeline or a function with the decorator "
            f"@pipeline_def. {_pipelines(vars(module))}",
            2,
        )
    return value


def defined(
    target: PipelineTarget,
    definition: Any,
    arguments: Mapping[str, object],
    options: Mapping[str, object],
    batch_size: int,
) -> Pipeline:
    """Return the pipeline of a definition.

    Args:
        target: for messages.
        definition: a Pipeline, or a function.
        arguments: for the function that defines the pipeline.
        options: arguments of the pipeline, such as `batch_size`; those that are None are left as
            the definition has them.
        batch_size: for a function whose decorator names none.

    Raises:
        CommandFailed: the arguments do not fit, or the user's code fails.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(definition, Pipeline):
        return _as_it_is(target, definition, {**arguments, **given})
    decorated = decorator_options(definition) or {}
    make: Callable[..., Pipeline] = definition
    try:
        return make(**arguments, **{"batch_size": batch_size, **decorated, **given})
    except TypeError as error:
        if location_of(error, target.module):
            raise failed(str(target), error) from error
        raise CommandFailed(f"{target}: {error}; give arguments as --arg NAME=VALUE", 2) from error
    except Exception as error:
        raise failed(str(target), error) from error


@contextmanager
def running(target: PipelineTarget) -> Iterator[None]:
    """Turn an error of a running pipeline, whatever its type, into the command's end."""
    try:
        yield
    except (PenstockError, OSError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise failed(str(target), error) from error


def parse_arguments(pairs: Iterable[str], option: str = "--arg") -> dict[str, Any]:
    """Return the arguments of `NAME=VALUE` texts; values that are no Python literals are text.

    Args:
        pairs: the texts.
        option: that had them, for messages.

    >>> parse_arguments(["folder=photos/train", "size=224", "mean=[1.5, 2]"])
    {'folder': 'photos/train', 'size': 224, 'mean': [1.5, 2]}
    """
    arguments = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise CommandFailed(f"{option} {pair}: expected NAME=VALUE", 2)
        arguments[name] = _literal(value)
    return arguments


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _as_it_is(target: PipelineTarget, pipeline: Pipeline, given: Mapping[str, object]) -> Pipeline:
    if given:
        raise CommandFailed(
            f"{target} is a Pipeline, which has its arguments already; {', '.join(given)} can be "
            "given for a function with the decorator @pipeline_def",
            2,
        )
    return pipeline


def _advice(name: str, content: Mapping[str, object]) -> str:
    text = unknown(name, _names_of_pipelines(content))
    return f"{text}{'' if text.endswith('?') else '.'} {_pipelines(content)}"


def _pipelines(content: Mapping[str, object]) -> str:
    names = _names_of_pipelines(content)
    return f"Pipelines there: {', '.join(names)}" if names else "No pipeline is defined there"


def _names_of_pipelines(content: Mapping[str, object]) -> list[str]:
    return sorted(
        name
        for name, value in content.items()
        if isinstance(value, Pipeline) or decorator_options(value) is not None
    )


def _described(value: object) -> str:
    return "a function" if callable(value) else f"a {type(value).__name__}"
