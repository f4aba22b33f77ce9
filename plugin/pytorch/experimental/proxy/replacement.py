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


def placeholders(value: object) -> list[Placeholder]:
    """Return each placeholder in lists, tuples, dictionaries and attributes of objects, once."""
    found: list[Placeholder] = []
    seen: set[int] = set()
    rest = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, _CLOSED) or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, DALIOutputBatchRef | DALIOutputSampleRef):
            found.append(part)
        else:
            rest.extend(reversed(list(_parts(part))))
    return found


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, dict):
        return value.values()
    parts: dict[str, Any] = getattr(value, "__dict__", {})
    return parts.values()


def replaced(value: object, outputs: Mapping[int, object]) -> Any:
    """Return `value` with its placeholders replaced.

    Lists, dictionaries and objects are changed in place, and tuples made anew.

    Args:
        value: what `placeholders` searched.
        outputs: what takes the place of each placeholder, by its `id`.
    """
    done: dict[int, tuple[Any, Any]] = {}  # by the id of a value: the value, so that it lives

    def of(part: object) -> Any:
        if id(part) in outputs:
            return outputs[id(part)]
        if isinstance(part, _CLOSED):
            return part
        if id(part) not in done:
            result = _rebuilt(part) if isinstance(part, tuple) else _changed(part)
            done.setdefault(id(part), (part, result))  # a tuple in a circle is there already
        return done[id(part)][1]

    def _changed(whole: object) -> object:
        done[id(whole)] = whole, whole  # first: the parts may refer to the whole
        parts = whole if isinstance(whole, list | dict) else getattr(whole, "__dict__", {})
        places = enumerate(parts) if isinstance(parts, list) else parts.items()
        for place, part in list(places):
            new = of(part)
            if new is not part:
                parts[place] = new
        return whole

    def _rebuilt(whole: tuple[object, ...]) -> object:
        parts = [of(part) for part in whole]
        if all(new is part for new, part in zip(parts, whole, strict=True)):
            return whole
        if hasattr(whole, "_make"):
            return whole._make(parts)
        return type(whole)(parts)

    return of(value)
