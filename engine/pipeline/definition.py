"""`pipeline_def`: turns a function that defines a graph into one that makes pipelines."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ParamSpec, Unpack, overload

from ..conditions.decorators import convert, do_not_convert
from ..errors import ArgumentError
from ..graph.nodes import DataNode
from ..run.config import PipelineConfig
from ..run.policies import OperatorConcurrency, StreamPolicy
from ..suggestions import not_among
from .pipeline import Pipeline
from .shown_options import show_options

if TYPE_CHECKING:
    from . import definition
    from .options import PipelineFunction, PipelineOptions

    experimental = definition
else:
    experimental = sys.modules[__name__]  # its `pipeline_def` tells what is not supported

__all__ = [
    "DataNode",
    "OperatorConcurrency",
    "Pipeline",
    "StreamPolicy",
    "convert",
    "do_not_convert",
    "pipeline_def",
]

_OPTIONS = frozenset(field.name for field in fields(PipelineConfig))

P = ParamSpec("P")

_OPTIONS_OF = "_pipeline_def_options"


@overload
def pipeline_def(
    fn: Callable[P, object], **options: Unpack[PipelineOptions]
) -> PipelineFunction[P]: ...


@overload
def pipeline_def(
    **options: Unpack[PipelineOptions],
) -> Callable[[Callable[P, Any]], PipelineFunction[P]]: ...


def pipeline_def(fn: Callable[..., object] | None = None, **options: object) -> Any:
    """Make a function that defines a graph into one that returns a `Pipeline`.

    Args:
        fn: returns one output, or a tuple or a dict of them; its own arguments are passed through.
            The keys of a dict name the outputs, for iterators and in `Pipeline.output_names`.
        options: the arguments of pipelines, below. They may be given here, or to the made
            function, where they override these.

    Options:
        {options}

    >>> from penstock import fn, pipeline_def
    >>> @pipeline_def(batch_size=4, num_threads=1, seed=7)
    ... def flips():
    ...     return fn.random.coin_flip(probability=1.0)
    >>> with flips() as pipe:
    ...     (flags,) = pipe.run()
    >>> flags.as_array().tolist()
    [1, 1, 1, 1]
    >>> @pipeline_def(batch_size=2, num_threads=1)
    ... def named():
    ...     return {"flag": fn.random.coin_flip(), "angle": fn.random.uniform(range=(0, 90))}
    >>> with named() as pipe:
    ...     flags, angles = pipe.run()
    >>> pipe.output_names
    ('flag', 'angle')
    """
    if "max_batch_size" in options:  # the other name of the property `Pipeline.batch_size`
        options.setdefault("batch_size", options.pop("max_batch_size"))
    for name in options:
        if name not in _OPTIONS:
            raise ArgumentError(f"pipeline_def has no argument {not_among(name, _OPTIONS)}")
    if fn is None:
        return functools.partial(_decorate, options=options)
    return _decorate(fn, options)


show_options(pipeline_def, inspect.signature(pipeline_def))


def _decorate(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Pipeline]:
    parameters = inspect.signature(function).parameters
    own = set(parameters)
    open_ended = any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters.values())

    @functools.wraps(function)
    def make(*args: Any, **kwargs: Any) -> Pipeline:
        given = {key: kwargs.pop(key) for key in list(kwargs) if key in _OPTIONS - own}
        for key in kwargs:
            if not open_ended and key not in own:
                name = getattr(function, "__name__", "the definition")
                raise TypeError(f"{name} has no argument {not_among(key, _OPTIONS | own)}")
        merged = {**options, **given}
        pipeline = _class_for(merged)(**merged)
        pipeline.define(function, *args, **kwargs)
        return pipeline

    vars(make)[_OPTIONS_OF] = options
    return make


def _class_for(options: dict[str, object]) -> type[Pipeline]:
    if not options.get("debug"):
        return Pipeline
    from .debug_pipeline import DebugPipeline

    return DebugPipeline


def decorator_options(value: object) -> dict[str, Any] | None:
    """Return the options that `pipeline_def` was given for a function; None for other values."""
    options: dict[str, Any] | None = getattr(value, "__dict__", {}).get(_OPTIONS_OF)
    return options
