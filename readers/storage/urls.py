"""Telling URLs from paths, and showing URLs without their secrets."""

from __future__ import annotations

import os
import re

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_LOCAL = re.compile(rb"(file|local)://|/", re.IGNORECASE)
_USER = re.compile(r"(://)[^/?#\s@'\"]*@")
_SECRET = re.compile(
    r"([?&;](?:sig|[\w.~-]*(?:signature|token|secret|passw|pwd|credential|auth|jwt|(?:api|access)[-_]?key)"
    r"[\w.~-]*)=)[^&;#\s'\"<>)]*",
    re.IGNORECASE,
)


def is_url(path: str | bytes) -> bool:
    """Whether `path` is a URL, such as "s3://bucket/key", and no path of a local file.

    >>> is_url("s3://bucket/key"), is_url(b"https://host/a"), is_url("/data/a"), is_url("C:/a")
    (True, True, False, False)
    """
    text = path.decode("latin-1") if isinstance(path, bytes) else path
    return _URL.match(text) is not None


def is_local(path: bytes) -> bool:
    """Whether `path` names a local file by itself: an absolute path or a "file://" URL."""
    return _LOCAL.match(path) is not None


def shown(text: str | bytes) -> str:
    """Return a URL, or a text with URLs in it, without passwords, signatures and tokens.

    For messages and logs.

    >>> shown("https://user:password@host/a?id=5&X-Amz-Signature=f00&sig=abc")
    'https://***@host/a?id=5&X-Amz-Signature=***&sig=***'
    """
    return _SECRET.sub(r"\1***", _USER.sub(r"\1***@", os.fsdecode(text)))
