"""The arguments of an operator: their types, limits and defaults, and the conversion of values.

An operator declares `size = param(FLOATS, None, "...", per_sample=True)` as a class attribute.
The signatures and docstrings of `fn.*` and `ops.*`, the checks of the user's values, and the
operator's attributes are made from these declarations.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

from ..errors import ArgumentError
from ..suggestions import listed, unknown
from ..tensors.dtypes import DALIImageType, DALIInterpType, to_dali_type


class Required:
    """Marks an argument without a default."""

    def __repr__(self) -> str:
        return "<required>"


REQUIRED = Required()
_TEXT = str | bytes | bytearray | memoryview
_SHOWN = 8
"""Values in a message, at most."""


class ArgumentType(NamedTuple):
    """The type of an argument: its values, and their conversion.

    Attributes:
        annotation: the type as it stands in signatures.
        convert: turns the user's value into the operator's; raises TypeError or ValueError for
            a value of another type.
    """

    annotation: str
    convert: Callable[[Any], Any]


class NumberLimits(NamedTuple):
    """The numbers that an argument may be: all of them, unless a limit is given.

    Attributes:
        minimum: the smallest.
        above: a number that all of them exceed.
        maximum: the largest.
    """

    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None

    def check(self, numbers: Iterable[float]) -> None:
        """Raise ValueError if a number is outside of the limits, or not a number."""
        for number in numbers:
            if (
                (self.minimum is not None and not number >= self.minimum)
                or (self.above is not None and not number > self.above)
                or (self.maximum is not None and not number <= self.maximum)
            ):
                raise ValueError(f"{number} is not {self}")

    def beyond(self) -> list[float]:
        """Return a number on the wrong side of each limit."""
        below = [] if self.minimum is None else [self.minimum - 1]
        beside = [] if self.above is None else [self.above]
        return below + beside + ([] if self.maximum is None else [self.maximum + 1])

    def __str__(self) -> str:
        if self.minimum is not None and self.maximum is not None:
            return f"from {self.minimum} to {self.maximum}"
        limits = {"at least": self.minimum, "above": self.above, "at most": self.maximum}
        return " and ".join(f"{name} {n}" for name, n in limits.items() if n is not None)


class Param(NamedTuple):
    """One declared argument.

    Attributes:
        type: what it may be.
        default: its value where the user passes nothing or None.
        doc: its meaning and unit.
        per_sample: whether a `DataNode` may be passed.
        limits: which numbers it may be, for arguments of numbers.
        name: its name in `fn`, where the operator's attribute is named otherwise.
        attribute: the operator's attribute.
        aliases: its older names, which are deprecated.
        deprecated: what to do instead of giving the argument, if it is deprecated.
        choices: the values that it may have; () for all of its type.
    """

    type: ArgumentType
    default: Any
    doc: str
    per_sample: bool = False
    limits: NumberLimits | None = None
    name: str = ""
    attribute: str = ""
    aliases: tuple[str, ...] = ()
    deprecated: str = ""
    choices: tuple[Any, ...] = ()

    def convert(self, value: object) -> Any:
        """Convert a constant; raise TypeError or ValueError if it does not fit."""
        result = self.type.convert(value)
        if self.limits is not None:
            self.limits.check(result if isinstance(result, tuple) else (result,))
        if self.choices and result not in self.choices:
            raise ValueError(_nearest(result, self.choices))
        return result

    @property
    def wanted(self) -> str:
        """The values that the argument takes, for messages."""
        if self.choices:
            return listed(map(shown, self.choices), "or")
        return f"{self.type.annotation}, {self.limits}" if self.limits else self.type.annotation

    @property
    def annotation(self) -> str:
        """The type of its values as it stands in signatures.

        Choices of a type that converts values, such as text in capitals, are not all values.
        """
        if self.choices and self.type in (STR, LAYOUT, INT, ANY):
            return f"Literal[{', '.join(map(repr, self.choices))}]"
        return self.type.annotation


NO_EFFECT = "Accepted for compatibility, without effect."
"""The `doc` of arguments that exist because DALI has them; docstrings list them together."""

LEAVE_OUT = "leave it out, because it has no effect"
"""Advice to users of a deprecated argument that has no effect: see `param`."""


def param(
    argument_type: ArgumentType,
    default: object,
    doc: str,
    *,
    per_sample: bool = False,
    name: str = "",
    aliases: tuple[str, ...] = (),
    deprecated: str = "",
    minimum: float | None = None,
    above: float | None = None,
    maximum: float | None = None,
    choices: Iterable[object] = (),
) -> Any:
    """Declare an argument of an operator.

    Args:
        argument_type: one of the constants of this module.
        default: value where the user passes nothing or None; `REQUIRED` if a value must be given.
            It is converted as users' values are, unless it is None.
        doc: meaning and unit, a sentence or two.
        per_sample: whether a `DataNode` may be passed, to give each sample its own value.
        name: the argument's name in `fn`; by default that of the class attribute. An argument
            that shares its name with a method needs it.
        aliases: older names, which `fn` and `ops` take with a DeprecationWarning.
        deprecated: what to do instead, for an argument that is taken with a DeprecationWarning:
            a part of a sentence, such as "use `polygon_masks`".
        minimum, above, maximum: limits of each number: at least, more than, at most.
        choices: the values that the argument may have, if these can be named. Type checkers know
            them. Not for an argument that may be given for each sample.
    """
    if per_sample and choices:
        raise TypeError("an argument has choices or is per_sample: data are not checked for them")
    limits = NumberLimits(minimum, above, maximum)
    return Param(
        argument_type,
        default,
        doc,
        per_sample,
        None if limits == NumberLimits() else limits,
        name,
        aliases=aliases,
        deprecated=deprecated,
        choices=tuple(choices),
    )


def shown(value: object) -> str:
    """Return a value for messages and docstrings: a member of an enum by its name.

    >>> shown(DALIInterpType.INTERP_NN), shown("wrap")
    ('INTERP_NN', "'wrap'")
    """
    return getattr(value, "name", None) or repr(value)


def _nearest(value: object, choices: Sequence[object]) -> str:
    """Return what a message says besides the choices: one that may be meant."""
    texts = [choice for choice in choices if isinstance(choice, str)]
    text = unknown(value, texts) if isinstance(value, str) else ""
    return text.partition("; ")[2] or "no such choice"


def _int(value: Any) -> int:
    if isinstance(value, float | np.floating):
        if not float(value).is_integer():
            raise ValueError("not a whole number")
        value = int(value)
    number = index(value)
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError("not a number of 64 bits")
    return number


def _float(value: Any) -> float:
    if isinstance(value, _TEXT):
        raise TypeError("not a number")
    return float(value)


def _finite(value: Any) -> float:
    number = _float(value)
    if not math.isfinite(number):
        raise ValueError("not finite")
    return number


def _bool(value: object) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if _int(value) not in (0, 1):  # the form that truth values have in data
        raise ValueError("neither True nor False")
    return bool(value == 1)


def _str(value: object) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def _layout(value: Any) -> str:
    layout = _str(value)
    named = layout.replace("*", "")  # a star stands for a dimension without a name
    if len(set(named)) < len(named):
        raise ValueError("a letter names two dimensions")
    return layout


def _many(one: Callable[[Any], object]) -> Callable[[Any], tuple[object, ...]]:
    def convert(value: object) -> tuple[Any, ...]:
        if isinstance(value, np.ndarray):
            value = value.reshape(-1).tolist()
        if isinstance(value, _TEXT) or not isinstance(value, Sequence):
            return (one(value),)
        return tuple(one(item) for item in value)

    return convert


def _callable(value: object) -> object:
    if not callable(value):
        raise TypeError("not callable")
    return value


def _array(value: object) -> object:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise TypeError("not an array of numbers")
    return array


def _options(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise TypeError("not a dict of names and values")
    return dict(value)


BOOL = ArgumentType("bool", _bool)
INT = ArgumentType("int", _int)
FLOAT = ArgumentType("float", _finite)
ANY_FLOAT = ArgumentType("float", _float)
STR = ArgumentType("str", _str)
LAYOUT = ArgumentType("str", _layout)
INTS = ArgumentType("int | Sequence[int]", _many(_int))
FLOATS = ArgumentType("float | Sequence[float]", _many(_finite))
ANY_FLOATS = ArgumentType("float | Sequence[float]", _many(_float))
STRS = ArgumentType("str | Sequence[str]", _many(_str))
ARRAY = ArgumentType("ArrayLike", _array)
DTYPE = ArgumentType("DALIDataType | DTypeLike", to_dali_type)
DTYPES = ArgumentType(
    "DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike]", _many(to_dali_type)
)
IMAGE_TYPE = ArgumentType("DALIImageType", DALIImageType)
INTERP = ArgumentType("DALIInterpType", DALIInterpType)
CALLABLE = ArgumentType("Callable[..., Any]", _callable)
OPTIONS = ArgumentType("Mapping[str, Any]", _options)
ANY = ArgumentType("Any", lambda value: value)


def convert(owner: str, name: str, declared: Param, value: object) -> Any:
    """Convert a constant that the user passed; None means the default, whatever the limits."""
    given = declared.default if value is None else value
    if isinstance(given, Required):
        raise ArgumentError(f"{owner}: the argument {name!r} must be given: {declared.doc}")
    if given is None:
        return None
    try:
        return declared.type.convert(given) if value is None else declared.convert(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"{owner}: the argument {name!r} must be {declared.wanted}, but is {_brief(given)} "
            f"({error})"
        ) from error


def _brief(value: object) -> str:
    """Return a value for a message: of many values the first ones."""
    if isinstance(value, list | tuple) and len(value) > _SHOWN:
        return f"[{', '.join(map(shown, value[:_SHOWN]))}, ...] of length {len(value)}"
    return shown(value)


def from_row(declared: Param, row: Any) -> Any:
    """Convert one sample's value of an argument that was passed as a `DataNode`.

    The limits are those of constants: operators check values from data on both devices.
    """
    return declared.type.convert(row.item() if row.size == 1 else row)
