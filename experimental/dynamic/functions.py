"""Operators as functions of tensors and batches, made from the operators' declarations."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any

from ...engine.errors import ArgumentError
from ...engine.graph import declaration
from ...engine.graph.operator import Operator
from .calls import call

LEFT_OUT = frozenset(
    (
        *("constant", "dl_tensor_python_function", "experimental.inputs.video", "external_source"),
        *("python_function", "ssd_random_crop"),
    )
)
"""Operators of pipelines alone: Python calls functions, and `ExternalSource` takes data."""

_INPUT = "TensorLike | Batch"
_FURTHER = {
    "batch_size": ("int | None", "number of samples, if no input and no argument is a batch."),
    "device": ("DeviceLike | None", "where it runs: {devices}. Default: where the inputs are."),
    "rng": ("RNG | None", "generator of random numbers. Default: that of the thread."),
}
_OF_PIPELINES = ("bytes_per_sample_hint", "name", "preserve", "seed")

_FUNCTIONS: dict[type[Operator], Callable[..., Any]] = {}


def is_function(operator_class: type[Operator]) -> bool:
    """Return whether an operator is a function here: not a reader, and not one of pipelines."""
    return operator_class.name not in LEFT_OUT and not is_reader(operator_class)


def is_reader(operator_class: type[Operator]) -> bool:
    """Return whether an operator reads data sets."""
    return "readers" in operator_class.name.split(".")


def function_of(operator_class: type[Operator]) -> Callable[..., Any]:
    """Return the function that an operator is, with its docstring and signature."""
    if operator_class not in _FUNCTIONS:
        _FUNCTIONS[operator_class] = _function(operator_class)
    return _FUNCTIONS[operator_class]


def _function(operator_class: type[Operator]) -> Callable[..., Any]:
    name = operator_class.called.rpartition(".")[2]
    reserved = {*_OF_PIPELINES, *(() if operator_class.is_random else ("rng",))}

    def function(
        *inputs: Any,
        batch_size: int | None = None,
        device: Any = None,
        **arguments: Any,
    ) -> Any:
        for key in reserved.intersection(arguments):
            advice = (
                "; give rng=ndd.random.RNG(seed)"
                if key == "seed" and operator_class.is_random
                else ""
            )
            raise TypeError(f"{name}() has no argument {key!r} in dynamic mode{advice}")
        if operator_class.name == "batch_permutation" and batch_size is None:
            raise ArgumentError("batch_permutation() needs batch_size, the number of samples")
        return call(operator_class, *inputs, batch_size=batch_size, device=device, **arguments)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = docstring(operator_class)
    function.__signature__ = signature(operator_class)  # type: ignore[attr-defined]
    return function


def signature(operator_class: type[Operator]) -> inspect.Signature:
    """Return the signature of an operator's function."""
    parameters: list[inspect.Parameter] = []
    for each in declaration.signature(operator_class).parameters.values():
        if each.name in (*_OF_PIPELINES, "device"):
            continue
        if each.kind in (each.POSITIONAL_ONLY, each.VAR_POSITIONAL):
            kind = _INPUT if each.default is each.empty else f"{_INPUT} | None"
        else:
            kind = each.annotation.replace("DataNode", _INPUT)
            kind = kind.replace("DALIDataType | DTypeLike", "DTypeLike")
        parameters.append(each.replace(annotation=kind))
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, (kind, _) in _FURTHER.items()
        if name != "rng" or operator_class.is_random
    ]
    return inspect.Signature([*parameters, *keywords])


def docstring(operator_class: type[Operator]) -> str:
    """Return the docstring of the operator's class, followed by its arguments."""
    text = declaration.docstring(operator_class).replace("DataNode", _INPUT)
    head, _, arguments = text.rpartition("\nArgs:\n    ")
    dropped = tuple(f"{name} (" for name in (*_OF_PIPELINES, "device"))
    kept = [
        entry for entry in re.split(r"\n    (?=\S)", arguments) if not entry.startswith(dropped)
    ]
    ignored = kept.pop().replace("bytes_per_sample_hint", "").replace(", ,", ",").strip(" ,.")
    kept += [
        f"{name} ({kind}): {meaning.format(devices=devices_of(operator_class))}"
        for name, (kind, meaning) in _FURTHER.items()
        if name != "rng" or operator_class.is_random
    ]
    kept += [] if ignored.endswith(":") else [f"{ignored}."]
    texts = (" ".join(entry.split()) for entry in kept)
    wrapped = (
        textwrap.fill(text, 92, initial_indent="    ", subsequent_indent="        ")
        for text in texts
    )
    return "\n".join([head, "Args:", *wrapped])


def devices_of(operator_class: type[Operator]) -> str:
    """Return the devices on which an operator runs, as users name them."""
    names = ("gpu" if name == "mixed" else name for name in operator_class.devices)
    return ", ".join(dict.fromkeys(names))
