"""Numbers that components hold as decimal text, such as the class in `cat.cls`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, Int64s
from ...engine.errors import DecodeError

LABELS = frozenset({"class", "cls", "cls2", "count", "id", "index", "inx"})
"""Extensions that the package webdataset decodes as integers."""

_TEXTS = LABELS | {"txt"}
_LONGEST = 64  # characters of a number with its white space
_WHITE = b" \t\r\n"
_INTEGERS = b"+-0123456789" + _WHITE
_REALS = _INTEGERS + b".Ee"


def holds_labels(entry: str) -> bool:
    """Return whether an entry of `ext` names components that are integers in decimal digits.

    >>> holds_labels("cls"), holds_labels("target.id;CLS"), holds_labels("jpg"), holds_labels("txt")
    (True, True, False, False)
    """
    return _all_among(entry, LABELS)


def holds_numbers(entry: str, dtype: np.dtype[Any]) -> bool:
    """Return whether components of an output are read as decimal text.

    A type of one byte asks for the characters themselves, as in DALI.

    >>> [holds_numbers("cls", np.dtype(dtype)) for dtype in ("i4", "u1")]
    [True, False]
    """
    return dtype.itemsize > 1 and _all_among(entry, _TEXTS)


def _all_among(entry: str, extensions: frozenset[str]) -> bool:
    return all(name.rpartition(".")[2].lower() in extensions for name in entry.split(";"))


def parsed(
    block: Bytes, starts: Int64s, sizes: Int64s, dtype: np.dtype[Any]
) -> NDArray[Any] | None:
    """Return the numbers of texts that lie in a block, of shape (texts, 1).

    Return None unless all of them are plain decimal numbers that fit the type. `parsed_one` says
    why a text is none.
    """
    longest = int(sizes.max(initial=1))
    if longest > _LONGEST or not sizes.all():
        return None
    columns = np.arange(longest)
    places = np.minimum(starts[:, np.newaxis] + columns, len(block) - 1)
    inside = columns < sizes[:, np.newaxis]
    characters = np.where(inside, block[places], ord(" "))
    if not _ALLOWED[dtype.kind][characters].all():
        return None
    texts = characters.view(f"S{longest}")
    try:
        wide: NDArray[Any] = texts.astype(np.float64 if dtype.kind == "f" else np.int64)
    except (ValueError, OverflowError):
        return None
    return _converted(wide, dtype) if _fit(wide, dtype) else None


def parsed_one(content: Bytes, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Return the number of one text, of shape (1,); None if the content is no text.

    Raises:
        DecodeError: the text is no decimal number, or no number of the type.
    """
    if not _PRINTABLE[content].all():
        return None
    text = content[: _LONGEST + 1].tobytes().decode("ascii")
    kind = float if dtype.kind == "f" else int
    try:
        value = np.array([kind(text.replace("_", "?"))], object)  # Python takes 1_000 for 1000
    except ValueError:
        raise DecodeError(f"the text {text!r} is no decimal number") from None
    if not _fit(value, dtype):
        raise DecodeError(f"{text.strip()} is no number of type {dtype.name}")
    return _converted(value, dtype)


def _converted(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    with np.errstate(over="ignore"):  # what is too large for a real type is infinite there
        return values.astype(dtype)


def _fit(values: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "f":
        return True
    limits = np.iinfo(dtype)
    return bool((values >= limits.min).all() and (values <= limits.max).all())


def _table(characters: bytes) -> NDArray[np.bool_]:
    table = np.zeros(256, np.bool_)
    table[list(characters)] = True
    return table


_PRINTABLE = _table(bytes(range(0x20, 0x7F)) + _WHITE)
_ALLOWED = {"i": _table(_INTEGERS), "u": _table(_INTEGERS), "f": _table(_REALS)}
