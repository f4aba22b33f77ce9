"""From an operator's declaration: the signature and docstring of `fn.<name>` and `ops.<Name>`."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator

from .operator import COMMON, InputOperator, Operator
from .params import NO_EFFECT, Param, Required

_CAPITALS = {
    "coco": "COCO",
    "mxnet": "MXNet",
    "nemo": "Nemo",
    "cpu": "CPU",
    "gpu": "GPU",
    "tfrecord": "TFRecord",
    "lmdb": "LMDB",
}

_NODE = "DataNode"


def arguments(kind: type[Operator]) -> dict[str, Param]:
    """Return the arguments as a reader wants them: those without effect come last.

    A reader says first where its data are, then what all readers have in common.
    """
    everything = {**kind.params, **COMMON}
    shared: set[str] = set()
    if issubclass(kind, InputOperator):
        shared = {name for base in kind.__mro__[1:] for name in vars(base).get("params", {})}

    def rank(name: str) -> tuple[bool, bool, bool]:
        return everything[name].doc == NO_EFFECT, name in COMMON, name in shared

    return {name: everything[name] for name in sorted(everything, key=rank)}


def annotation(declared: Param) -> str:
    """Return the argument's type as it stands in signatures."""
    parts = [declared.kind.annotation]
    if declared.per_sample:
        parts.append(_NODE)
    if declared.default is None or not isinstance(declared.default, Required):
        parts.append("None")
    return " | ".join(dict.fromkeys(" | ".join(parts).split(" | ")))


def input_parameters(kind: type[Operator]) -> Iterator[tuple[str, bool, bool]]:
    """Yield (name, optional, repeated) of each input."""
    for name in kind.inputs:
        yield name.strip("?*"), name.endswith("?"), name.startswith("*")


def signature(kind: type[Operator]) -> inspect.Signature:
    """Return the signature of the operator's function."""
    parameters = []
    for name, optional, repeated in input_parameters(kind):
        if repeated:
            form = inspect.Parameter(name, inspect.Parameter.VAR_POSITIONAL)
        else:
            default = None if optional else inspect.Parameter.empty
            form = inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY, default=default)
        parameters.append(form.replace(annotation=_NODE))
    declarations = arguments(kind)
    for name in (*kind.positional, *(n for n in declarations if n not in kind.positional)):
        declared = declarations[name]
        required = isinstance(declared.default, Required)
        by_position = name in kind.positional
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD
                if by_position
                else inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if required else declared.default,
                annotation=annotation(declared),
            )
        )
    parameters += [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation="str | None"
        )
        for name in ("device", "name")
    ]
    return inspect.Signature(parameters)


def docstring(kind: type[Operator]) -> str:
    """Return the operator's text with its arguments."""
    lines = [inspect.cleandoc(kind.__doc__ or ""), "", "Args:"]
    entries = []
    for name, declared in arguments(kind).items():
        if declared.doc != NO_EFFECT:
            text = f"{name} ({annotation(declared)}): {declared.doc}"
            if declared.default not in (None, "") and not isinstance(declared.default, Required):
                text += f" Default: {_shown(declared.default)}."
            entries.append(text)
    devices = ", ".join(kind.devices)
    entries.append(f"device (str | None): {devices}; by default where the inputs are.")
    entries.append("name (str | None): name in the graph, for statistics, checkpoints, errors.")
    ignored = [name for name, declared in arguments(kind).items() if declared.doc == NO_EFFECT]
    entries.append(f"Accepted for compatibility, without effect: {', '.join(ignored)}.")
    for entry in entries:
        lines += textwrap.wrap(entry, 92, initial_indent="    ", subsequent_indent="        ")
    return "\n".join(lines)


def _shown(default: object) -> str:
    return getattr(default, "name", None) or repr(default)


def camel_case(name: str) -> str:
    """Return the class name for a function name: "crop_mirror_normalize" -> "CropMirrorNormalize".

    >>> camel_case("coco_reader")
    'COCOReader'
    """
    return "".join(_CAPITALS.get(word, word.capitalize()) for word in name.split("_"))
