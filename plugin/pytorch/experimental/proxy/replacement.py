"""Placeholders anywhere in a batch: how they are found, and replaced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import torch

from .placeholders import DALIOutputBatchRef, DALIOutputSampleRef, Placeholder

# What holds no placeholders, and has many attributes.
_CLOSED: tuple[type, ...] = (
    torch.Tensor,
    torch.nn.Module,
    np.ndarray,
    np.generic,
    type,
    FunctionType,
    ModuleType,
)
_CLOSED += (str, bytes, bytearray, int, float, complex, type(None))


def placeholders(value: Any) -> list[Placeholder]:
    """Return each placeholder in lists, tuples, dictionaries and attributes of objects, once."""
    found: list[Placeholder] = []
    seen: set[int] = set()
    rest = [value]
    while rest:
        each = rest.pop()
        if isinstance(each, _CLOSED) or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, DALIOutputBatchRef | DALIOutputSampleRef):
            found.append(each)
        else:
            rest.extend(reversed(list(_parts(each))))
    return found


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, dict):
        return value.values()
    parts: dict[str, Any] = getattr(value, "__dict__", {})
    return parts.values()


def replaced(value: Any, outputs: Mapping[int, Any]) -> Any:
    """Return `value` with its placeholders replaced.

    Lists, dictionaries and objects are changed in place, and tuples made anew.

    Args:
        value: what `placeholders` searched.
        outputs: what takes the place of each placeholder, by its `id`.
    """
    done: dict[int, tuple[Any, Any]] = {}  # by the id of a value: the value, so that it lives

    def of(each: Any) -> Any:
        if id(each) in outputs:
            return outputs[id(each)]
        if isinstance(each, _CLOSED):
            return each
        if id(each) not in done:
            result = _rebuilt(each) if isinstance(each, tuple) else _changed(each)
            done.setdefault(id(each), (each, result))  # a tuple in a circle is there already
        return done[id(each)][1]

    def _changed(each: Any) -> Any:
        done[id(each)] = each, each  # first: the parts may refer to the whole
        parts = each if isinstance(each, list | dict) else getattr(each, "__dict__", {})
        places = enumerate(parts) if isinstance(parts, list) else parts.items()
        for place, part in list(places):
            new = of(part)
            if new is not part:
                parts[place] = new
        return each

    def _rebuilt(each: tuple[Any, ...]) -> Any:
        parts = [of(part) for part in each]
        if all(new is part for new, part in zip(parts, each, strict=True)):
            return each
        if hasattr(each, "_make"):
            return each._make(parts)
        return type(each)(parts)

    return of(value)
