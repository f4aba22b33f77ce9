"""Operators as functions of tensors and batches, made from the operators' declarations."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any

from ...engine.errors import ArgumentError
from ...engine.graph import declaration
from ...engine.graph.callers import warn_of_deprecation
from ...engine.graph.operator import Operator
from .calls import call

LEFT_OUT = frozenset(
    (
        *("constant", "dl_tensor_python_function", "experimental.inputs.video", "external_source"),
        "python_function",
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
_OF_READERS = ("bytes_per_sample_hint", "name", "preserve", "device")

_FUNCTIONS: dict[tuple[type[Operator], str], Callable[..., object]] = {}


def is_here(operator_class: type[Operator], called: str) -> bool:
    """Return whether an operator has this name here, too.

    Of older names, dynamic mode has those of operators that were experimental.
    """
    is_current = called == operator_class.name or called.startswith("experimental.")
    return is_current and operator_class.name not in LEFT_OUT


def is_reader(operator_class: type[Operator]) -> bool:
    """Return whether an operator reads data sets."""
    return "readers" in operator_class.name.split(".")


def function_of(operator_class: type[Operator], called: str = "") -> Callable[..., Any]:
    """Return the function that an operator is, with its docstring and signature.

    Args:
        operator_class: the operator.
        called: one of its names; the function of an older one warns of each call.
    """
    key = operator_class, called or operator_class.name
    if key not in _FUNCTIONS:
        _FUNCTIONS[key] = _function(*key)
    return _FUNCTIONS[key]


def _function(operator_class: type[Operator], called: str) -> Callable[..., object]:
    name = called.rpartition(".")[2]
    reserved = {*_OF_PIPELINES, *(() if operator_class.is_random else ("rng",))}

    def function(
        *inputs: Any,
        batch_size: int | None = None,
        device: Any = None,
        **arguments: Any,
    ) -> Any:
        if called != operator_class.name:
            warn_of_deprecation(f"ndd.{called} is deprecated; use ndd.{operator_class.name}")
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
    vars(function)["__signature__"] = signature(operator_class)
    return function


def signature(operator_class: type[Operator]) -> inspect.Signature:
    """Return the signature of an operator's function, with the older names of arguments."""
    parameters: list[inspect.Parameter] = []
    for parameter in declaration.signature(operator_class).parameters.values():
        if parameter.name in _left_out(operator_class):
            continue
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            kind = _INPUT if parameter.default is parameter.empty else f"{_INPUT} | None"
        else:
            kind = parameter.annotation.replace("DataNode", _INPUT)
            kind = kind.replace("DALIDataType | DTypeLike", "DTypeLike")
        parameters.append(parameter.replace(annotation=kind))
    by_name = {parameter.name: parameter.annotation for parameter in parameters}
    kinds = {
        old: f"{by_name[name].removesuffix(' | None')} | None"
        for old, name in operator_class.older_names.items()
    } | {name: kind for name, (kind, _) in _further(operator_class).items()}
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in kinds.items()
    ]
    return inspect.Signature([*parameters, *keywords])


def docstring(operator_class: type[Operator]) -> str:
    """Return the docstring of the operator's class, followed by its arguments."""
    text = declaration.docstring(operator_class).replace("DataNode", _INPUT)
    head, _, arguments = text.rpartition("\nArgs:\n    ")
    dropped = tuple(f"{name} (" for name in _left_out(operator_class))
    kept = [
        entry for entry in re.split(r"\n    (?=\S)", arguments) if not entry.startswith(dropped)
    ]
    ignored = kept.pop().replace("bytes_per_sample_hint", "").replace(", ,", ",").strip(" ,.")
    kept += [
        f"{name} ({kind}): {meaning.format(devices=devices_of(operator_class))}"
        for name, (kind, meaning) in _further(operator_class).items()
    ]
    kept += [] if ignored.endswith(":") else [f"{ignored}."]
    texts = (" ".join(entry.split()) for entry in kept)
    wrapped = (
        textwrap.fill(text, 92, initial_indent="    ", subsequent_indent="        ")
        for text in texts
    )
    return "\n".join([head, "Args:", *wrapped])


def _left_out(operator_class: type[Operator]) -> tuple[str, ...]:
    """Return the arguments that only pipelines have, or that mean something else here."""
    return _OF_READERS if is_reader(operator_class) else (*_OF_PIPELINES, "device")


def _further(operator_class: type[Operator]) -> dict[str, tuple[str, str]]:
    """Return the type and the meaning of the arguments that only the functions here have."""
    if is_reader(operator_class):
        return {}
    return {
        name: entry for name, entry in _FURTHER.items() if name != "rng" or operator_class.is_random
    }


def devices_of(operator_class: type[Operator]) -> str:
    """Return the devices on which an operator runs, as users name them."""
    names = ("gpu" if name == "mixed" else name for name in operator_class.devices)
    return ", ".join(dict.fromkeys(names))
