"""A folder in an object store that is written. Stores have no renames: an object appears whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any, TypeVar

from ...engine.errors import ArgumentError
from ..storage.opening import read_whole
from ..storage.urls import Url, shown
from .endpoint import endpoint
from .obstore_service import ObstoreService
from .retries import persist
from .service import Changed, Version
from .stores import HTTP, is_known

Answer = TypeVar("Answer")

WRITE_SECONDS = 900.0
"""Seconds that one object may take: it is one request, and 1 GB at 1 MB/s takes as long."""


class WritableFolder:
    """The objects below a URL, by their names there. It can be pickled.

    Another kind of store needs a class with these methods.

    Args:
        url: of the folder.
        options: `Reader.storage_options`.

    Raises:
        ArgumentError: objects of this kind cannot be written.
    """

    def __init__(self, url: Url, options: Mapping[str, Any]) -> None:
        self.url = url
        self.options = dict(options)
        limits = {"stall_seconds": WRITE_SECONDS, "total_seconds": WRITE_SECONDS}
        self._writing = {**options, "limits": {**options.get("limits", {}), **limits}}
        if url.text.partition("://")[0].lower() in HTTP or not is_known(url.text, options):
            raise ArgumentError(
                f"the destination {url} cannot be written: data sets are written to local folders "
                "and to s3://, gs:// and az://"
            )

    def listed(self) -> dict[str, Version]:
        """Return the versions of all objects by name."""
        return self._ask("", lambda service, url: service.objects(url))

    def read(self, name: str) -> bytes:
        """Return the content of a small object.

        Raises:
            FileNotFoundError: there is no such object.
        """
        return read_whole(self.url / name, self.options)

    def write(
        self,
        name: str,
        content: bytes | Path,
        *,
        known: Version | None = None,
        create: bool = False,
    ) -> Version:
        """Write an object as a whole; return its version, without a size.

        Args:
            name: of the object.
            content: bytes, or a file.
            known: the version to replace; None for any.
            create: whether there must be no such object yet.

        Raises:
            FileExistsError: the object is there, or is not the version `known`.
        """

        def put(service: ObstoreService, url: str) -> Version:
            return service.put(url, content, known, create=create)

        try:
            return self._ask(name, put)
        except Changed:
            # The answer to an attempt before may have been lost.
            if isinstance(content, bytes) and self.read(name) == content:
                return self.listed()[name]
            raise FileExistsError(f"{self.url / name} was written by another process") from None

    def delete(self, name: str) -> None:
        """Delete an object; one that is not there is no error."""
        self._ask(name, lambda service, url: service.delete(url))

    def _ask(self, name: str, ask: Callable[[ObstoreService, str], Answer]) -> Answer:
        place, url = endpoint(self.url.text, self._writing), (self.url / name).text
        assert isinstance(place.service, ObstoreService)
        return persist(partial(ask, place.service, url), shown(url), place.limits, sleep)
