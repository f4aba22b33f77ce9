"""Telling URLs from paths."""

from __future__ import annotations

import re

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_url(path: str | bytes) -> bool:
    """Whether `path` is a URL, such as "s3://bucket/key", and no path of a local file.

    >>> is_url("s3://bucket/key"), is_url(b"https://host/a"), is_url("/data/a"), is_url("C:/a")
    (True, True, False, False)
    """
    text = path.decode("latin-1") if isinstance(path, bytes) else path
    return _URL.match(text) is not None
