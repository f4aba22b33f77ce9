"""Pages of the public names of modules, made from their docstrings.

The operators have pages of their own, and dynamic mode has the same operators.
"""

from __future__ import annotations

import importlib
import inspect
import re
from contextlib import suppress
from types import ModuleType
from typing import Any

from operator_pages import blocks  # type: ignore[import-not-found]  # beside this file

import penstock

MODULES = (
    "penstock",
    *("penstock.types", "penstock.math", "penstock.tfrecord", "penstock.auto_aug"),
    *("penstock.tensors", "penstock.backend", "penstock.datasets", "penstock.extend"),
    *("penstock.plugin.arrays", "penstock.plugin.base_iterator", "penstock.plugin.pytorch"),
    *("penstock.plugin_manager", "penstock.pickling", "penstock.testing"),
    *(f"penstock.testing.{suite}" for suite in ("operators", "readers", "writers", "decoders")),
)
"""Those that import without a framework but PyTorch; the others have pages in docs/."""


def page() -> str:
    """Return the page that lists all public names by module, each with its docstring."""
    parts = [
        "# Names",
        "The public names by module. Operators have [pages](operators/index.md) of their own.",
    ]
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        parts += [f"## {module_name}", *text_of(module)]
        for name in names_of(module):
            value = getattr(module, name)
            parts += [f"### {module_name}.{name}", *facts_of(value)]
    return "\n\n".join(parts) + "\n"


def names_of(module: ModuleType) -> list[str]:
    """Return the public names of a module that are documented on its page."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name, value in vars(module).items() if name[0] != "_" and owned(value)]
    return sorted(name for name in names if module is penstock or name != "annotations")


def owned(value: Any) -> bool:
    """Return whether a value is a class or function of the package."""
    return str(getattr(value, "__module__", "")).startswith("penstock")


def facts_of(value: Any) -> list[str]:
    """Return the call of a name and its docstring, or the value of a constant."""
    if isinstance(value, ModuleType):
        return [f"The module `{value.__name__}`.", *text_of(value)[:1]]
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        shown = repr(value)
        return [f"`{shown}`"] if " at 0x" not in shown else [f"Of type `{type(value).__name__}`."]
    parts = []
    with suppress(TypeError, ValueError):
        parts.append(f"```python\n{value.__name__}{form_of(inspect.signature(value))}\n```")
    return [*parts, *text_of(value)]


def form_of(signature: inspect.Signature) -> str:
    """Return a signature as text: in lines of one argument each, if it is long."""
    text = re.sub(r" at 0x[0-9a-f]+", "", str(signature))
    text = re.sub(r"<(?:class|function|built-in function) '?([\w.]+)'?>", r"\1", text)
    text = re.sub(r"(: |-> )([\"'])(.*?)\2(?=[,) ]|$)", r"\1\3", text)
    if len(text) < 80:
        return text
    names = "|".join(signature.parameters)
    return re.sub(rf"(?<=[(,])( ?)(?=(?:\*, )?\*{{0,2}}(?:{names})[:,=)])", "\n    ", text)


def text_of(value: Any) -> list[str]:
    """Return the docstring of a value as Markdown, whose sections are no headings."""
    text = inspect.cleandoc(getattr(value, "__doc__", None) or "")
    if not text:
        return []
    return [re.sub(r"^## (\w+)", r"**\1**", part) for part in blocks(text)]
