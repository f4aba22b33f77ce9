"""Signatures and docstrings of `fn.<name>` and `ops.<Name>`, made from operators' declarations."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator

from .inputs import InputOperator
from .operator_base import COMMON, Operator
from .params import NO_EFFECT, Param, Required, shown

_CAPITALS = {
    "bbox": "BBox",
    "coco": "COCO",
    "cpu": "CPU",
    "dl": "DL",
    "gpu": "GPU",
    "lmdb": "LMDB",
    "mds": "MDS",
    "mfcc": "MFCC",
    "mxnet": "MXNet",
    "nemo": "Nemo",
    "rms": "RMS",
    "roi": "ROI",
    "ssd": "SSD",
    "tfrecord": "TFRecord",
}

_NODE = "DataNode"


def arguments(operator_class: type[Operator]) -> dict[str, Param]:
    """Return the arguments in the order of the documentation.

    An input's own arguments come before the arguments of all inputs. Arguments of all operators
    follow, and arguments without effect come last.
    """
    declared = {**operator_class.params, **COMMON}
    inherited: set[str] = set()
    if issubclass(operator_class, InputOperator):
        bases = operator_class.__mro__[1:]
        inherited = {name for base in bases for name in vars(base).get("params", {})}

    def rank(name: str) -> tuple[bool, bool, bool]:
        return declared[name].doc == NO_EFFECT, name in COMMON, name in inherited

    return {name: declared[name] for name in sorted(declared, key=rank)}


def annotation(declared: Param) -> str:
    """Return the argument's type as signatures show it."""
    types = declared.annotation.split(" | ")
    if declared.per_sample:
        types.append(_NODE)
    if declared.default is None or not isinstance(declared.default, Required):
        types.append("None")
    return " | ".join(dict.fromkeys(types))


def input_parameters(operator_class: type[Operator]) -> Iterator[tuple[str, bool, bool]]:
    """Yield (name, optional, repeated) of each input."""
    for each in operator_class.declared_inputs:
        yield each.name, each.optional, each.many


def signature(operator_class: type[Operator]) -> inspect.Signature:
    """Return the signature of the operator's function."""
    parameters = []
    for name, optional, repeated in input_parameters(operator_class):
        if repeated:
            form = inspect.Parameter(name, inspect.Parameter.VAR_POSITIONAL)
        else:
            default = None if optional else inspect.Parameter.empty
            form = inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY, default=default)
        parameters.append(form.replace(annotation=_NODE))
    declarations = arguments(operator_class)
    positional = operator_class.positional
    for name in (*positional, *(n for n in declarations if n not in positional)):
        declared = declarations[name]
        required = isinstance(declared.default, Required)
        by_position = name in positional
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


def docstring(operator_class: type[Operator]) -> str:
    """Return the docstring of the operator's class, followed by its arguments."""
    lines = [inspect.cleandoc(operator_class.__doc__ or ""), "", "Args:"]
    entries, ignored = [], []
    for name, declared in arguments(operator_class).items():
        if declared.doc == NO_EFFECT:
            ignored.append(name)
        else:
            text = f"{name} ({annotation(declared)}): {declared.doc}"
            if declared.aliases:
                text += f" Older name: {', '.join(declared.aliases)}."
            if declared.deprecated:
                text += f" Deprecated: {declared.deprecated}."
            if declared.default not in (None, "") and not isinstance(declared.default, Required):
                text += f" Default: {shown(declared.default)}."
            entries.append(text)
    devices = ", ".join(operator_class.devices)
    entries.append(f"device (str | None): {devices}. Default: the device of the inputs.")
    entries.append("name (str | None): name in the graph, in statistics, checkpoints and errors.")
    entries.append(f"Accepted for compatibility, without effect: {', '.join(ignored)}.")
    for entry in entries:
        lines += textwrap.wrap(entry, 92, initial_indent="    ", subsequent_indent="        ")
    return "\n".join(lines)


def camel_case(name: str) -> str:
    """Return the class name for a function name: "crop_mirror_normalize" -> "CropMirrorNormalize".

    >>> camel_case("coco_reader")
    'COCOReader'
    """
    return "".join(_CAPITALS.get(word, word.capitalize()) for word in name.split("_"))
