"""The parts of names on the Hub: `hf://[datasets/]user/name[@revision][/path]`."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, unquote

from ...engine.errors import ArgumentError

PROTOCOL = "hf://"
_OTHERS = ("models", "spaces", "buckets", "kernels")
_NAME = re.compile(
    r"hf://(?:datasets/)?(?P<repo>[\w.-]+/[\w.-]+)"
    r"(?:@(?P<revision>refs/(?:convert|pr)/[\w.-]+|[^/]+))?(?:/(?P<path>.*))?",
    re.IGNORECASE,
)
_COMMIT = re.compile("[0-9a-f]{40}")


class HubName(NamedTuple):
    """The name of a file or folder on the Hub.

    Attributes:
        repo: "user/name".
        revision: a commit, branch or tag; "" for the newest commit of the main branch.
        path: of the file or folder in the data set; "" for its root.
    """

    repo: str
    revision: str
    path: str

    @property
    def is_pinned(self) -> bool:
        """Whether the revision is a commit."""
        return _COMMIT.fullmatch(self.revision) is not None

    def __str__(self) -> str:
        revision = f"@{quote(self.revision, safe='')}" if self.revision else ""
        return f"{PROTOCOL}datasets/{self.repo}{revision}{'/' * bool(self.path)}{self.path}"


def is_on_hub(path: str | bytes) -> bool:
    """Return whether a path is a name on the Hub."""
    return path[:5].lower() in (PROTOCOL, PROTOCOL.encode())


def hub_name(url: str) -> HubName:
    """Return the parts of a name.

    Raises:
        ArgumentError: it is no name of a data set.

    >>> hub_name("hf://user/name@v1/data/train-*.parquet")
    HubName(repo='user/name', revision='v1', path='data/train-*.parquet')
    >>> hub_name("hf://datasets/user/name@refs/convert/parquet").revision
    'refs/convert/parquet'
    """
    match = _NAME.fullmatch(url)
    if match is None or match["repo"].partition("/")[0] in _OTHERS:
        raise ArgumentError(
            f"{url!r} is no name of a data set on the Hub; expected "
            "hf://user/name, hf://user/name@revision or hf://user/name/path"
        )
    return HubName(match["repo"], unquote(match["revision"] or ""), match["path"] or "")
