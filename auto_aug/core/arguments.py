"""The arguments that augmentations take, by the signatures of their functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from ...engine.errors import ArgumentError

_NAMED = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
_BY_POSITION = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
DATA_AND_PARAMETER = 2
"""The arguments that each function has by position: the samples and the parameter."""


class NamedFunction(Protocol):
    """What an augmentation is here.

    Attributes:
        op: the function.
        name: of the augmentation.
    """

    op: Callable[..., Any]
    name: str


class MissingArgumentError(ArgumentError):
    """An augmentation lacks arguments.

    Attributes:
        missing: names of the arguments.
    """

    def __init__(self, augmentation: NamedFunction, missing: Sequence[str]) -> None:
        super().__init__(
            f"The augmentation `{augmentation.name}` needs arguments that were not provided to the "
            f"call: {', '.join(missing)}. Pass them by name to the augmentation, or to what "
            "applies it."
        )
        self.missing = list(missing)


def count_by_position(function: Callable[..., object]) -> int:
    """Return the number of arguments that a function takes by position."""
    parameters = inspect.signature(function).parameters.values()
    return sum(parameter.kind in _BY_POSITION for parameter in parameters)


def _further(function: Callable[..., object]) -> list[inspect.Parameter]:
    """Return the named arguments behind the samples and the parameter."""
    parameters = list(inspect.signature(function).parameters.values())
    first = [parameter for parameter in parameters if parameter.kind in _BY_POSITION][
        :DATA_AND_PARAMETER
    ]
    return [
        parameter for parameter in parameters if parameter not in first and parameter.kind in _NAMED
    ]


def accepted(function: Callable[..., object], arguments: Mapping[str, object]) -> dict[str, Any]:
    """Return those of the arguments that a function names."""
    names = {parameter.name for parameter in _further(function)}
    return {name: value for name, value in arguments.items() if name in names}


def check_required(augmentation: NamedFunction, arguments: Mapping[str, object]) -> None:
    """Raise MissingArgumentError if an argument without a default is not given."""
    required = [p.name for p in _further(augmentation.op) if p.default is inspect.Parameter.empty]
    if missing := [name for name in required if name not in arguments]:
        raise MissingArgumentError(augmentation, missing)


def forbid_unused_kwargs(
    augmentations: Iterable[NamedFunction], arguments: Mapping[str, object], called: str
) -> None:
    """Raise ArgumentError for arguments that none of the augmentations takes.

    Args:
        augmentations: the augmentations.
        arguments: by their names.
        called: the function that was called, for the message.
    """
    used = {name for augmentation in augmentations for name in accepted(augmentation.op, arguments)}
    unused = [name for name in arguments if name not in used]
    if unused:
        noun, verb = ("kwarg", "is") if len(unused) == 1 else ("kwargs", "are")
        raise ArgumentError(
            f"{called}: The {noun} `{', '.join(unused)}` {verb} not used by any of the "
            "augmentations. Correct or remove what is misspelled."
        )
