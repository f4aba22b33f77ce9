"""Pages of the arguments of pipelines and of iterators, made from their docstrings."""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import MISSING, fields
from typing import Any

from operator_pages import escaped  # type: ignore[import-not-found]  # beside this file

from penstock import PipelineConfig
from penstock.engine.pipeline.shown_options import described_options
from penstock.plugin import arrays, pytorch

PIPELINES = """\
# Arguments of pipelines

`pipeline_def`, the functions that it makes, and `Pipeline` take these arguments. Those of the call
override those of the decorator. [The pipeline](architecture.md) runs ahead of its consumer.
"""

ITERATORS = """\
# Arguments of iterators

The iterators of all frameworks take these arguments.
[Iterators](iterators.md) says what an epoch is.
"""

PYTORCH = """\
## PyTorch

`penstock.plugin.pytorch` has more arguments.
"""


def pipelines() -> str:
    """Return the page of the arguments of pipelines."""
    described = described_options()
    parts = [PIPELINES]
    for field in fields(PipelineConfig):
        if field.name in described:
            default = "required" if field.default is MISSING else f"default `{field.default!r}`"
            parts.append(entry(field.name, f"*{escaped(str(field.type))}*, {default}", described))
    others = [f"`{field.name}`" for field in fields(PipelineConfig) if field.name not in described]
    parts.append(
        f"For programs written for DALI there are also {', '.join(others)}; "
        "`help(PipelineConfig)` says why they have no effect, or where they have one."
    )
    return "\n".join(parts) + "\n"


def iterators() -> str:
    """Return the page of the arguments of iterators."""
    common = described_arguments(arrays.GenericIterator)
    own = described_arguments(pytorch.GenericIterator)
    parts = [ITERATORS, *(entry(name, "", common) for name in common), PYTORCH]
    return "\n".join([*parts, *(entry(name, "", own) for name in own if name not in common)]) + "\n"


def described_arguments(iterator: type[Any]) -> dict[str, str]:
    """Return the meaning of each argument of a class, from its docstring."""
    text = inspect.cleandoc(iterator.__doc__ or "").partition("Args:\n")[2]
    described = {}
    for entry in re.split(r"\n(?=\w+: )", textwrap.dedent(text.split("\n\n")[0])):
        name, _, meaning = entry.partition(": ")
        described[name] = " ".join(meaning.split())
    return described


def entry(name: str, facts: str, described: dict[str, str]) -> str:
    """Return an argument as an entry of a definition list."""
    return f"`{name}`{f' ({facts})' if facts else ''}\n: {escaped(described[name])}\n"
