"""Files of data sets on the Hub: objects behind HTTP, whose URL names the commit.

What a commit holds never changes, so the list of its files tells sizes, and no request asks for
the version of a file.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from errno import EACCES
from threading import Lock
from typing import Any
from urllib.parse import quote

from ...engine.errors import ArgumentError
from ..remote.obstore_service import ObstoreService
from ..remote.retries import Limits
from ..remote.service import Entry, Reply, Service, Version, chunks_of_range
from .names import HubName
from .repository import gated, hub, hub_library

RANGES_BEFORE_LOOKUP = 4
"""Ranges of a file after which its signed URL is asked for: a table's footer and columns are fewer,
so that a file which is only looked into costs no request more."""

_MOST_FILES = 10_000
"""Files whose ranges are counted, and whose signed URLs are kept, of 1 KB each."""


class HubService(Service):
    """Files on the Hub whose address huggingface_hub has when this is made.

    The Hub redirects requests for large files, so each would take two. After some ranges the file
    is asked for its signed URL, and later ranges go there, until the signature expires.
    """

    def __init__(self, options: Mapping[str, Any], limits: Limits) -> None:
        """Take `Reader.storage_options` without the limits.

        Raises:
            ArgumentError: there are other options than headers.
        """
        if others := options.keys() - {"headers"}:
            raise ArgumentError(
                f"storage_options: {min(others)!r} is none of a name on the Hub; huggingface_hub "
                "finds token and endpoint: set HF_TOKEN or log in, and set HF_ENDPOINT"
            )
        self._hub = hub()
        self._given: dict[str, str] = options.get("headers", {})
        self._limits = limits
        self._services: dict[str, ObstoreService] = {}  # by their headers
        self._ranges: OrderedDict[str, int] = OrderedDict()
        self._signed: dict[str, str] = {}
        self._lock = Lock()

    def get(self, url: str, offset: int | None, length: int, known: Version | None) -> Reply:
        """See `Service.get`; a request is made once the bytes are taken."""
        name = self._hub.pinned_once(url)
        file = self._hub.repository(name).file(name.path)
        start = max(0, file.size - length) if offset is None else offset
        length = min(length, file.size - start)
        chunks = self._chunks(name, start, length, Version(file.size))
        return Reply(Version(file.size, file.mark), start, length, chunks)

    def entries(self, url: str) -> list[Entry]:
        """See `Service.entries`; the list of the data set has all folders."""
        name = self._hub.pinned_once(url)
        try:
            files, folders = self._hub.repository(name).folder(name.path)
        except FileNotFoundError as error:
            raise PermissionError(str(error)) from None  # the data set is missing, or private
        if name.path.strip("/") and not files and not folders:
            raise FileNotFoundError(url)
        return [(file, False) for file in files] + [(folder, True) for folder in folders]

    def _chunks(self, name: HubName, start: int, length: int, version: Version) -> Iterator[Any]:
        path = f"{name.repo}/resolve/{name.revision}/{quote(name.path)}"
        url = f"{self._hub.address}/datasets/{path}"
        for is_again in (False, True) if length else ():
            signed = self._signed_url(url)
            place, headers = signed or url, self._given if signed else self._headers()
            try:
                service = self._service(place, headers)
                for _, chunk in chunks_of_range(service, place, version, start, length):
                    yield chunk
                return
            except PermissionError:
                if is_again or not signed:
                    raise PermissionError(EACCES, gated(name), str(name)) from None
            self._look_up(url)  # the signature has expired

    def _headers(self) -> dict[str, str]:
        headers = hub_library().utils.build_hf_headers(library_name="penstock")
        return {**headers, **self._given}

    def _service(self, url: str, headers: dict[str, str]) -> ObstoreService:
        key = repr((url.partition(":")[0], headers))
        if key not in self._services:
            self._services[key] = ObstoreService(url, {"headers": headers}, self._limits)
        return self._services[key]

    def _signed_url(self, url: str) -> str:
        """Count a range of a file; return its signed URL, or "" for the Hub's own."""
        with self._lock:
            count = self._ranges[url] = self._ranges.pop(url, 0) + 1
            if len(self._ranges) > _MOST_FILES:
                self._signed.pop(self._ranges.popitem(last=False)[0], None)
        if count == RANGES_BEFORE_LOOKUP:
            self._look_up(url)
        return self._signed.get(url, "")

    def _look_up(self, url: str) -> None:
        try:
            found = hub_library().get_hf_file_metadata(url, headers=self._headers()).location
        except Exception:  # the error is met, and told, by the request itself
            found = url
        self._signed[url] = "" if found == url else found
