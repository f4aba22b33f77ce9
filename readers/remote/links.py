"""Folders of web servers: pages whose links are the entries."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from .service import Entry


def linked_entries(url: str, page: bytes) -> list[Entry]:
    """Return the entries of a folder that the links of its page name.

    Links to other folders and servers, and those that sort the page, are left out.

    Args:
        url: of the page, with a slash at its end.
        page: HTML.

    >>> linked_entries("http://h/a/", b'<a href="../"> <a href="b.jpg"> <a href="c/">')
    [('b.jpg', False), ('c', True)]
    """
    links = _Links()
    links.feed(page.decode("utf-8", "replace"))
    folder = urlsplit(url)
    names: dict[str, bool] = {}
    for link in links.found:
        try:
            target = urlsplit(urljoin(url, link))
        except ValueError:  # no URL
            continue
        below = target.path.removeprefix(folder.path)
        name = below.rstrip("/")
        is_own = target.netloc.rpartition("@")[2] == folder.netloc.rpartition("@")[2]
        if is_own and target.path.startswith(folder.path) and name and "/" not in name:
            names[name] = names.get(name, False) or below.endswith("/")
    return list(names.items())


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where a link leads."""
        self.found += [value for name, value in attrs if (tag, name) == ("a", "href") and value]
