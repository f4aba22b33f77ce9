"""The arguments of pipelines where programs and editors look for them: docstrings, signatures."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from ..run.config import PipelineConfig

MARK = "{options}"
"""What stands in a docstring where the arguments are to appear."""


def options_text() -> str:
    """Return the description of all arguments, indented as in a docstring of a class."""
    text = inspect.cleandoc(PipelineConfig.__doc__ or "").partition("Attributes:\n")[2]
    return textwrap.indent(textwrap.dedent(text).rstrip(), " " * 8)


def described_options() -> dict[str, str]:
    """Return the meaning of each argument that has an effect.

    >>> described_options()["quarantine_log"]
    'file to which a JSON line is added for each bad sample.'
    """
    described = {}
    for entry in re.split(r"\n(?=\w[\w, ]*: )", textwrap.dedent(options_text()).split("\n\n")[0]):
        names, _, meaning = entry.partition(": ")
        for name in names.split(", "):
            described[name] = " ".join(meaning.split())
    return described


def show_options(shown: Any, signature: inspect.Signature) -> None:
    """Put the arguments into an object's docstring, at `MARK`, and behind its signature's.

    Args:
        shown: a function, or a class.
        signature: the arguments of its own.
    """
    shown.__doc__ = shown.__doc__.replace(MARK, options_text().lstrip())
    own = signature.parameters
    parameters = [
        parameter for parameter in own.values() if parameter.kind is not parameter.VAR_KEYWORD
    ]
    for field in fields(PipelineConfig):
        if field.name not in own:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(
                inspect.Parameter(
                    field.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=default,
                    annotation=field.type,
                )
            )
    shown.__signature__ = signature.replace(parameters=parameters)


def signature_without_self(function: Callable[..., object]) -> inspect.Signature:
    """Return the signature of a method as its callers see it."""
    signature = inspect.signature(function)
    return signature.replace(parameters=list(signature.parameters.values())[1:])
