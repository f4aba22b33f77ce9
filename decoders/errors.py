"""Errors for encoded bytes, of all media."""

from __future__ import annotations

from ..engine.errors import DecodeError

FETCH_AGAIN = "The file is damaged or incomplete: fetch it again or leave it out."


def decode_error(
    format_name: str,
    problem: str,
    *,
    at: int | None = None,
    expected: str = "",
    remedy: str = FETCH_AGAIN,
) -> DecodeError:
    """Return the error for encoded bytes: the problem, its offset, and the remedy."""
    offset = "" if at is None else f" at byte {at}"
    wanted = f"; expected {expected}" if expected else ""
    return DecodeError(f"{format_name}: {problem}{offset}{wanted}. {remedy}")
