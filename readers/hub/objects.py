"""Files of a data set on the Hub as storage: objects behind HTTP, whose URL names the commit.

What a commit holds never changes, so the list of its files tells sizes, and no request asks for
the version of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from errno import EACCES
from functools import partial
from typing import Any
from urllib.parse import quote

import numpy as np

from ...engine.arrays import Bytes
from ...engine.errors import ArgumentError
from ...engine.pending import Later, Pending, Then
from ..remote.objects import RemoteFile, start_whole
from ..remote.service import Version
from ..source import Allocate
from ..storage.storage import Storage
from .names import HubName, hub_name
from .repository import gated, hub_library, pinned_once, repository

_HEADERS = "headers"

RANGES_BEFORE_LOOKUP = 4
"""Ranges of a file after which its signed URL is asked for: a table's footer and columns are fewer,
so that a file which is only looked into costs no request more."""


def behind_http(name: HubName, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the URL of a file, and options with the headers that open it.

    Args:
        name: of the file, with a commit.
        options: `Reader.storage_options`.

    Raises:
        ArgumentError: there are options besides "limits".
    """
    hub = hub_library()
    if others := options.keys() - {_HEADERS, "limits"}:
        raise ArgumentError(
            f"storage_options: {min(others)!r} is none of a name on the Hub; huggingface_hub finds "
            "token and endpoint: set HF_TOKEN or log in, and set HF_ENDPOINT"
        )
    path = f"{name.repo}/resolve/{name.revision}/{quote(name.path)}"
    url = f"{hub.constants.ENDPOINT}/datasets/{path}"
    headers = hub.utils.build_hf_headers(library_name="penstock")
    return url, {**options, _HEADERS: {**headers, **options.get(_HEADERS, {})}}


class HubObject(RemoteFile):
    """A file on the Hub.

    The Hub redirects requests for large files, so each would take two. After some ranges the file
    is asked for its signed URL, and later ranges go there, until the signature expires.
    """

    def __init__(self, url: str, options: Mapping[str, Any]) -> None:
        """Take the name of a file.

        Raises:
            OSError: there is no such file or data set, or it may not be read.
        """
        self._hub_name = name = hub_name(pinned_once(url))
        file = repository(name).file(name.path)
        super().__init__(*behind_http(name, options), Version(file.size))
        self.name = str(name)
        self.stamp = f"{file.size}:{file.mark}"
        self._given = dict(options)
        self._ranges = 0
        self._signed: RemoteFile | None = None

    def with_tail(self, size: int) -> Pending[Storage]:
        """Fetch the last bytes; return this file."""
        if not size:
            return Later(lambda: self)
        last = np.empty(size, np.uint8)

        def keep(_: None) -> Storage:
            self._tail = last.tobytes()
            return self

        return Then(self.start_read([self.size - size], [last]), keep)

    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        """See `Storage.start_read`."""
        before, self._ranges = self._ranges, self._ranges + len(offsets)
        if before < RANGES_BEFORE_LOOKUP <= self._ranges:
            self._signed = self._looked_up()
        direct = super().start_read
        if self._signed is None:
            return Advised(direct(offsets, buffers), self._hub_name)

        def again() -> Pending[None]:
            self._signed = self._looked_up()
            return (self._signed.start_read if self._signed else direct)(offsets, buffers)

        return Advised(self._signed.start_read(offsets, buffers), self._hub_name, again)

    def _looked_up(self) -> RemoteFile | None:
        """Return the file at its signed URL; None if it lies at the Hub itself."""
        hub = hub_library()
        try:
            headers = self._options[_HEADERS]
            location = hub.get_hf_file_metadata(self._url, headers=headers).location
        except Exception:  # the error is met, and told, by the request itself
            return None
        if location == self._url:
            return None
        signed = RemoteFile(location, self._given, Version(self.size))
        signed.name = self.name
        return signed


def start_open_on_hub(url: str, options: Mapping[str, Any], tail: int) -> Pending[Storage]:
    """Start to open a file: see `start_open`. Only `tail` takes a request."""
    try:
        file = HubObject(url, options)
    except Exception as error:
        return Later(partial(_raise, error))
    return file.with_tail(min(tail, file.size))


def _raise(error: Exception) -> Storage:
    raise error


def start_whole_of_hub(url: str, options: Mapping[str, Any], allocate: Allocate) -> Pending[Bytes]:
    """Start to fetch a file: see `start_whole`."""
    name = hub_name(pinned_once(url))
    repository(name).file(name.path)
    return Advised(start_whole(*behind_http(name, options), allocate), name)


class Advised(Pending[Any]):
    """What is under way; if access is refused, it is tried again or the error says what to do."""

    def __init__(
        self,
        pending: Pending[Any],
        name: HubName,
        again: Callable[[], Pending[Any]] | None = None,
    ) -> None:
        self._pending = pending
        self._name = name
        self._again = again

    def result(self) -> Any:
        try:
            return self._pending.result()
        except PermissionError:
            if self._again is None:
                raise PermissionError(EACCES, gated(self._name), str(self._name)) from None
        self._pending, self._again = self._again(), None
        return self.result()

    def cancel(self) -> None:
        self._pending.cancel()
