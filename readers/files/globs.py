"""File name patterns, with exactly the meaning they have for DALI and the shell."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from ...engine.errors import ArgumentError

_CASE_FOLD = 16  # FNM_CASEFOLD of <fnmatch.h>, the same number in every C library that has it
_SPECIAL = frozenset(b"*?[\\")

# `fnmatch` of the C library, not Python's: DALI calls it, and the two disagree about
# `[^x]`, `\*`, `[[:digit:]]` and what "any case" means. PyDLL keeps the GIL, which is
# cheaper than to hand it over for a third of a microsecond.
_fnmatch = ctypes.PyDLL(None).fnmatch
_fnmatch.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int)
_fnmatch.restype = ctypes.c_int


def name_filter(patterns: Sequence[str], *, case_sensitive: bool) -> Callable[[bytes], bool]:
    r"""Return a function that says whether a file name matches any of `patterns`.

    `*` stands for any characters, `?` for one, `[a-z]` for one of a set, `[!a-z]` or `[^a-z]`
    for one outside it; `\` takes the next character as it is. Leading dots are not special.
    A character is what the process's locale says it is (one of UTF-8 nearly everywhere).

    >>> matches = name_filter(["*.jpg", "img_?.png"], case_sensitive=False)
    >>> matches(b"a.JPG"), matches(b"img_1.png"), matches(b"img_10.png")
    (True, True, False)
    """
    encoded = [_encode(pattern) for pattern in patterns]
    suffixes = tuple(p[1:] for p in encoded if _is_plain_suffix(p))
    globs = [p for p in encoded if not _is_plain_suffix(p)]
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
    """Whether `pattern` is `*` and ASCII text, which `bytes.endswith` decides much faster."""
    return pattern[:1] == b"*" and pattern.isascii() and _SPECIAL.isdisjoint(pattern[1:])
