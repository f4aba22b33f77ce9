"""Objects in S3, GCS and Azure and behind HTTP, through obstore."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from ...engine.errors import SourceError
from ..storage.urls import shown
from .links import linked_entries
from .retries import Late, Limits, Passing
from .service import Changed, Entry, Reply, Service, Version, refusal
from .stores import HTTP, Stores

_STATUS = re.compile(r"status code: (\d{3}) ?([^:\n]*)")
_CODE = re.compile(r"<Code>(\w+)</Code>")
_CAUSE = re.compile(r'(?:message|error): "([^"]*)"|(?:kind|source): (\w+),')
_BUSY = frozenset({"SlowDown", "RequestTimeout", "InternalError", "ServiceUnavailable"})
_ROLE = ("169.254.169.254", "metadata.google.internal")
"""Hosts that tell the machine's own credentials; obstore asks them last."""
_CHUNK = 64 * 1024
"""Bytes that are copied together while more come. obstore joins smaller chunks in memory that it
clears before: of tars, 256 KiB take 1.01 to 1.09 times the CPU time. All bytes of a request would
leave the caches, too: 1.2 times."""


class ObstoreService(Service):
    """Asks for each range with the ETag that the object had when it was opened."""

    def __init__(self, url: str, options: Mapping[str, Any], limits: Limits) -> None:
        self._stores = Stores(url, options, limits)
        self._obstore = self._stores.library
        self._limits = limits

    def get(self, url: str, offset: int | None, length: int, known: Version | None) -> Reply:
        """See `Service.get`."""
        wanted = {"suffix": length} if offset is None else (offset, offset + length)
        condition = {"if_match": known.tag} if known and _is_strong(known.tag) else {}
        try:
            return self._ask(url, {"range": wanted, **condition})
        except self._obstore.exceptions.NotSupportedError:
            if offset is None and url.partition("://")[0] not in HTTP:  # Azure
                size = self._ask(url, {"head": True}).version.size
                return self.get(url, max(0, size - length), length, known)
            return self._ask(url, {})._replace(ranged=False)
        except _NoSuchRange:
            reply = self._ask(url, condition)
            if reply.version.size and not offset:
                raise Passing("the server serves none of an object that has bytes") from None
            if reply.version.size:
                raise refusal(url, 416, "Range Not Satisfiable") from None
            return reply

    def _ask(self, url: str, options: dict[str, Any]) -> Reply:
        store, path = self._stores.place(url)
        with self._told(url):
            found = self._obstore.get(store, path, options=options)
        _check_encoding(url, found, options)
        start, stop = found.range

        def chunks() -> Iterator[Any]:
            with self._told(url):
                yield from found.stream(min_chunk_size=_CHUNK)

        return Reply(_version(found.meta), start, stop - start, chunks())

    def entries(self, url: str) -> list[Entry]:
        """See `Service.entries`."""
        if url.partition("://")[0].lower() in HTTP:
            return linked_entries(url, b"".join(self._ask(url, {}).chunks))
        store, path = self._stores.place(url)
        with self._told(url):
            found = self._obstore.list_with_delimiter(store, path.rstrip("/") or None)
        start = len(path)
        # The folder itself may be listed, as an object of no bytes.
        files = [(name, False) for item in found["objects"] if (name := item["path"][start:])]
        folders = [(name.rstrip("/")[start:], True) for name in found["common_prefixes"]]
        if not files and not folders:
            raise FileNotFoundError(url)
        return files + folders

    def objects(self, url: str) -> dict[str, Version]:
        """Return all objects in a folder and in the folders in it, by their names below it.

        Args:
            url: of the folder, with a slash at its end.
        """
        store, path = self._stores.place(url)
        with self._told(url):
            pages = list(self._obstore.list(store, path.rstrip("/") or None))
        found = {item["path"]: _version(item) for page in pages for item in page}
        return {name[len(path) :]: version for name, version in found.items() if name != path}

    def put(self, url: str, content: Any, known: Version | None, *, create: bool) -> Version:
        """Write an object as a whole; return its version.

        Args:
            url: the object.
            content: bytes, or the path of a file.
            known: the version to replace; None for any.
            create: whether there must be no such object yet.

        Raises:
            Changed: the object is there, or is not the version `known`.
        """
        store, path = self._stores.place(url)
        mode: Any = "create" if create else "overwrite"
        if known is not None:
            if url.startswith("gs") and not known.generation:
                known = self._with_generation(url, known)
            mode = {"e_tag": known.tag}
            mode |= {"version": known.generation} if known.generation else {}
        with self._told(url):
            # A kill leaves no parts behind.
            put = self._obstore.put(store, path, content, mode=mode, use_multipart=False)
        return Version(0, put["e_tag"] or "", generation=put["version"] or "")

    def _with_generation(self, url: str, known: Version) -> Version:
        """Return a version that a list told: lists of Google's store tell no generation."""
        now = self._ask(url, {"head": True}).version
        if now.tag.strip('"') != known.tag.strip('"'):
            raise Changed
        return now

    def delete(self, url: str) -> None:
        """Delete an object; one that is not there is no error."""
        store, path = self._stores.place(url)
        with suppress(FileNotFoundError), self._told(url):
            self._obstore.delete(store, path)

    @contextmanager
    def _told(self, url: str) -> Iterator[None]:
        """Raise our exceptions for those of obstore."""
        try:
            yield
        except Exception as error:
            raise self._fault(url, error) from None

    def _fault(self, url: str, error: Exception) -> Exception:
        """Return our exception for one of obstore's, whose text shows the URL and all its parts."""
        text = str(error)
        if type(error).__name__ == "NotSupportedError":
            return error  # `get` understands it
        if any(host in text for host in _ROLE):
            return Passing(
                "no credentials were found, and this machine has no role; set the environment's, "
                "for S3 AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or pass "
                "storage_options={'anon': True} for public data"
            )
        if type(error).__name__ == "AlreadyExistsError":
            return Changed()
        if found := _STATUS.search(text):
            status, code = int(found[1]), _CODE.search(text)
            if status == 412:
                return Changed()
            if status == 416:
                return _NoSuchRange()
            reason = code[1] if code else found[2].strip()
            return (
                Passing(f"the server answered {reason}")
                if reason in _BUSY
                else refusal(url, status, reason)
            )
        if isinstance(error, FileNotFoundError):
            return refusal(url, 404, "")
        if "non-partial response" in text:  # of some services for an empty object
            return _NoSuchRange()
        if isinstance(error, ValueError):
            return SourceError(f"{shown(url)}: {shown(text.partition(chr(10))[0])}")
        return self._broken(url, text)

    def _broken(self, url: str, text: str) -> Exception:
        first = text.partition("\n")[0]
        if "TooManyRedirects" in text:
            return SourceError(
                f"{shown(url)}: gave up after 10 redirects; the server sends requests in a circle"
            )
        if "Content-Length" in first:
            return SourceError(
                f"{shown(url)}: the server neither serves ranges nor tells the object's size"
            )
        if "certificate" in text.lower():
            return SourceError(f"{shown(url)}: the server's certificate is not trusted")
        if "TimedOut" in text or "kind: Timeout" in text:
            return Late(f"no byte came for {self._limits.stall_seconds:g} s")
        if "HTTP error" in first:
            causes = [one or other for one, other in _CAUSE.findall(text)]
            return Passing(f"the connection failed ({causes[-1] if causes else 'no reason given'})")
        return Passing(shown(re.sub(r"Error performing \w+ \S+ in \S+ - ", "", first)))


def _version(meta: Any) -> Version:
    modified = meta["last_modified"]
    return Version(
        meta["size"],
        meta["e_tag"] or "",
        modified.isoformat() if modified.timestamp() else "",
        meta["version"] or "",
    )


class _NoSuchRange(Exception):  # noqa: N818  (an answer, which `get` understands)
    pass


def _is_strong(tag: str) -> bool:
    """Return whether a service can be asked for the object with this ETag alone."""
    return bool(tag) and not tag.startswith("W/")


def _check_encoding(url: str, found: Any, options: Mapping[str, Any]) -> None:
    is_web = url.partition("://")[0].lower() in HTTP
    if is_web and "range" not in options:
        encoding = found.attributes.get("Content-Encoding", "identity")
        if encoding != "identity":
            raise SourceError(
                f"{shown(url)}: the server sends it compressed ({encoding}) though nobody asked "
                "for that; switch the compression off there"
            )
