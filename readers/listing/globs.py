"""Patterns of file names, with the same meaning as for DALI and the shell."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from ...engine.errors import ArgumentError

_CASE_FOLD = 16  # FNM_CASEFOLD of <fnmatch.h>, the same number in every C library that has it
_SPECIAL = frozenset(b"*?[\\")

# DALI calls the C library's `fnmatch`. Python's `fnmatch` differs in `[^x]`, `\*`, `[[:digit:]]`
# and in the meaning of "any case". PyDLL keeps the GIL: to release the GIL for a third of a
# microsecond would cost more.
_fnmatch = ctypes.PyDLL(None).fnmatch
_fnmatch.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int)
_fnmatch.restype = ctypes.c_int


def name_filter(patterns: Sequence[str], *, case_sensitive: bool) -> Callable[[bytes], bool]:
    r"""Return a function that returns whether a file name matches any of `patterns`.

    `*` stands for any characters, `?` for one character, `[a-z]` for one character of a set, and
    `[!a-z]` or `[^a-z]` for one character outside of the set. `\` quotes the next character.
    Leading dots are not special. The process's locale defines characters (nearly always UTF-8).

    >>> matches = name_filter(["*.jpg", "img_?.png"], case_sensitive=False)
    >>> matches(b"a.JPG"), matches(b"img_1.png"), matches(b"img_10.png")
    (True, True, False)
    """
    encoded = [_encode(pattern) for pattern in patterns]
    suffixes = tuple(p[1:] for p in encoded if _is_plain_suffix(p))
    globs = [p for p in encoded if not _is_plain_suffix(p)]
    if len(globs) == len(encoded) == 1:
        (only,), flags = globs, 0 if case_sensitive else _CASE_FOLD
        return lambda name: not _fnmatch(only, name, flags)
    if case_sensitive:
        return lambda name: name.endswith(suffixes) or any(not _fnmatch(p, name, 0) for p in globs)
    suffixes = tuple(suffix.lower() for suffix in suffixes)
    return lambda name: (
        name.lower().endswith(suffixes) or any(not _fnmatch(p, name, _CASE_FOLD) for p in globs)
    )


def _encode(pattern: str) -> bytes:
    if not isinstance(pattern, str) or "\0" in pattern:
        raise ArgumentError(f"a filter must be a pattern such as '*.jpg', got {pattern!r}")
    return pattern.encode("utf-8", "surrogateescape")


def _is_plain_suffix(pattern: bytes) -> bool:
    """Return whether `pattern` is `*` and ASCII text, for which `bytes.endswith` is much faster."""
    return pattern[:1] == b"*" and pattern.isascii() and _SPECIAL.isdisjoint(pattern[1:])
