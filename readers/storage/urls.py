"""Telling URLs from paths, and showing URLs without their secrets."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ...engine.errors import ArgumentError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_LOCAL = re.compile(
    rb"(file|local|asynclocal|dir|zip|tar|libarchive|reference|\w*cache)://|.*::|/", re.IGNORECASE
)
_LOCAL_URL = re.compile(r"(?:file|local)://", re.IGNORECASE)
_SWALLOWED = re.compile(r"(?:https?|s3a?|gcs?|gs|az|abfss?|ftp|sftp|hf|memory|file):/[^/]")
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
    """Whether `path` names a local file by itself: an absolute path or a "file://" URL.

    So do the protocols of fsspec that open another file, such as an archive, and their chains.

    >>> is_local(b"/a"), is_local(b"zip://a::file:///b.zip"), is_local(b"simplecache::s3://b/a")
    (True, True, True)
    >>> is_local(b"a/b.jpg"), is_local(b"https://host/a:b")
    (False, False)
    """
    return _LOCAL.match(path) is not None


def shown(text: str | bytes) -> str:
    """Return a URL, or a text with URLs in it, without passwords, signatures and tokens.

    For messages and logs.

    >>> shown("https://user:password@host/a?id=5&X-Amz-Signature=f00&sig=abc")
    'https://***@host/a?id=5&X-Amz-Signature=***&sig=***'
    """
    return _SECRET.sub(r"\1***", _USER.sub(r"\1***@", os.fsdecode(text)))


class Url:
    """A URL as the place of files. It is no path, so neither `os` nor `pathlib` takes it for one.

    Attributes:
        text: the URL with its secrets.

    >>> url = Url("https://user:password@host/train?sig=abc")
    >>> str(url), (url / "a.tar").text
    ('https://***@host/train?sig=***', 'https://user:password@host/train/a.tar?sig=abc')
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return shown(self.text)

    def __truediv__(self, name: str) -> Url:
        path, mark, query = self._split()
        return Url(f"{path.rstrip('/')}/{name}{mark}{query}")

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self._split()[0].rstrip("/").rpartition("/")[2]

    @property
    def parent(self) -> Url:
        """The folder that holds the file."""
        path, mark, query = self._split()
        return Url(f"{path.rstrip('/').rpartition('/')[0]}{mark}{query}")

    def with_suffix(self, suffix: str) -> Url:
        """Return the URL with another suffix, as `pathlib.Path.with_suffix` does."""
        return self.parent / (os.path.splitext(self.name)[0] + suffix)

    def as_folder(self) -> str:
        """Return the text of the URL with a slash at the end of its path."""
        path, mark, query = self._split()
        return f"{path.rstrip('/')}/{mark}{query}"

    def _split(self) -> tuple[str, str, str]:
        """Return the path, "?" and the query; the keys of object stores may hold a "?"."""
        if self.text.lower().startswith("http"):
            return self.text.partition("?")
        return self.text, "", ""


Place = Path | Url
"""The place of a file: in the local file system, or behind a URL."""


def text_of(place: str | os.PathLike[str] | Url) -> str:
    """Return a path, or a URL with its secrets, as a text."""
    return place.text if isinstance(place, Url) else os.fspath(place)


def place_of(path: str | os.PathLike[str]) -> Place:
    """Return the place that a path or a URL names; a file:// URL names a local path.

    Raises:
        ArgumentError: `pathlib` made a path of a URL.

    >>> place_of("file:///data/a"), str(place_of("s3://bucket/a"))
    (PosixPath('/data/a'), 's3://bucket/a')
    """
    text = os.fspath(path)
    if is_url(text):
        local = _LOCAL_URL.sub("", text, count=1)
        return Url(text) if local == text else Path(local)
    if _SWALLOWED.match(text) and not os.path.exists(text):
        raise ArgumentError(
            f"{text} was a URL until pathlib made a path of it; give the URL as a text, "
            "with both slashes"
        )
    return Path(path)
