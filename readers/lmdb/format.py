"""The head of an LMDB file: its two meta pages and the records of its databases.

Both formats in use are read, as the sources of LMDB 0.9.36 and 1.0.2 define them (`MDB_page`,
`MDB_node`, `MDB_meta`, `MDB_db`): data version 1, which LMDB 0.9 writes, and version 3 of
LMDB 1.0. Numbers are little-endian; page numbers have 64 bits.

LMDB itself maps the file and follows the page numbers in it: a file that is damaged, or that
shrinks, can kill the process. Here the file is read like any other, so it cannot.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...engine.errors import SourceError
from ..storage.storage import Storage

MAGIC = 0xBEEFC0DE
NO_PAGE = 2**64 - 1
META_PAGES = 2

# Flags of a database.
REVERSE_KEY, SORTED_DUPLICATES, INTEGER_KEY = 0x02, 0x04, 0x08

_DATABASE = struct.Struct("<IHHQQQQQ")
_META_HEAD = struct.Struct("<IIQQ")
_META_TAIL = struct.Struct("<QQ")
_META_MAIN = _META_HEAD.size + _DATABASE.size
_META_SIZE = _META_HEAD.size + 2 * _DATABASE.size + _META_TAIL.size
_HEAD = 64  # bytes of the file's head, which hold the format and the page size
_DEEPEST = 32  # LMDB's own cursors go no deeper
_MOST_PAGES = 1 << 46  # so that offsets fit into 62 bits


class PageLayout(NamedTuple):
    """The numbers in which the two formats differ.

    Attributes:
        header: bytes before the content of a page.
        base: origin of the offsets within a page.
        padded_keys: whether values start at an even offset.
        reference: bytes that stand in an entry for a value with pages of its own.
    """

    header: int
    base: int
    padded_keys: bool
    reference: int


_LAYOUTS = {1: PageLayout(16, 0, False, 8), 3: PageLayout(24, 24, True, 24)}


@dataclass(frozen=True)
class Database:
    """One B+ tree of the file."""

    flags: int
    depth: int
    leaf_pages: int
    entries: int
    root: int

    @classmethod
    def parse(cls, content: bytes) -> Database:
        """Read a database's record of 48 bytes."""
        _, flags, depth, _, leaf_pages, _, entries, root = _DATABASE.unpack(content)
        return cls(flags, depth, leaf_pages, entries, root)


RECORD_SIZE = _DATABASE.size


class Snapshot(NamedTuple):
    """The state of the file after its newest transaction.

    Attributes:
        layout: layout of its format.
        page_size: size of a page in bytes.
        transaction: number of the transaction.
        pages: number of pages, including the meta pages; no valid page number reaches it.
        main: the unnamed database, which also lists the named ones.
        metas: contents of the two meta pages.
    """

    layout: PageLayout
    page_size: int
    transaction: int
    pages: int
    main: Database
    metas: tuple[bytes, ...]


class _Meta(NamedTuple):
    magic: int
    version: int
    page_size: int
    main: Database
    last_page: int
    transaction: int

    @classmethod
    def parse(cls, content: bytes) -> _Meta:
        magic, version, _, _ = _META_HEAD.unpack_from(content)
        main = Database.parse(content[_META_MAIN : _META_MAIN + RECORD_SIZE])
        last_page, transaction = _META_TAIL.unpack_from(content, _META_MAIN + RECORD_SIZE)
        return cls(magic, version, _page_size(content), main, last_page, transaction)


def read_snapshot(storage: Storage) -> Snapshot:
    """Read the meta pages.

    Raises:
        SourceError: the file is no LMDB file, or has a format that cannot be read.
        OSError: it cannot be read.
    """
    content = _head(storage)
    version = _version(storage, content)
    layout = _LAYOUTS[version]
    if len(content) < _HEAD:
        raise _cut_short(storage)
    page_size = _page_size(content[layout.header :])
    if not 256 <= page_size <= 1 << 16 or page_size & (page_size - 1):
        raise SourceError(f"{storage.name}: damaged: it claims pages of {page_size} bytes")
    contents = _metas(storage, layout, page_size)
    metas = [_Meta.parse(content) for content in contents]
    for number, meta in enumerate(metas):
        if (meta.magic, meta.version, meta.page_size) != (MAGIC, version, page_size):
            raise SourceError(
                f"{storage.name}: damaged: the page at offset {number * page_size} is no meta "
                f"page of data version {version} and pages of {page_size} bytes"
            )
    newest = max(metas, key=lambda meta: meta.transaction)
    _check(newest.main, storage.name)
    pages = min(newest.last_page, _MOST_PAGES) + 1
    return Snapshot(layout, page_size, newest.transaction, pages, newest.main, contents)


def is_unchanged(storage: Storage, snapshot: Snapshot) -> bool:
    """Return whether the meta pages are unchanged: every transaction rewrites one of them."""
    return _metas(storage, snapshot.layout, snapshot.page_size) == snapshot.metas


def named_database(content: bytes, name: str) -> Database:
    """Return the database whose record, a value of the main database, is `content`."""
    if len(content) != RECORD_SIZE:
        raise SourceError(f"{name}: damaged: a database's record has {len(content)} bytes")
    database = Database.parse(content)
    _check(database, name)
    return database


def _check(database: Database, name: str) -> None:
    if database.flags & SORTED_DUPLICATES:
        raise SourceError(
            f"{name}: the database holds several values for a key (MDB_DUPSORT), which this "
            "reader does not support"
        )
    if database.depth > _DEEPEST:
        raise SourceError(f"{name}: damaged: a tree of {database.depth} levels")


def _head(storage: Storage) -> bytes:
    content = np.empty(min(_HEAD, storage.size), np.uint8)
    storage.fill([0], [content])
    return content.tobytes()


def _version(storage: Storage, content: bytes) -> int:
    for version, layout in _LAYOUTS.items():
        if content[layout.header : layout.header + 8] == struct.pack("<II", MAGIC, version):
            return version
    raise SourceError(f"{storage.name} is no LMDB file that can be read: {_guess(content)}")


def _guess(content: bytes) -> str:
    little, big = MAGIC.to_bytes(4, "little"), MAGIC.to_bytes(4, "big")
    if not content:
        return "it is empty"
    if content[12:16] == little:
        return "a 32-bit system has written it; copy it on such a system with mdb_dump"
    if content[16:20] == little or content[24:28] == little:
        at = content.index(little) + 4
        version = int.from_bytes(content[at : at + 4], "little")
        return f"its data version is {version}; 1 (LMDB 0.9) and 3 (LMDB 1.0) are known"
    if big in content[12:28]:
        return "a big-endian system has written it; copy it there with mdb_dump"
    return "it does not start with a meta page"


def _metas(storage: Storage, layout: PageLayout, page_size: int) -> tuple[bytes, ...]:
    """Return the contents of the two meta pages."""
    if page_size + layout.header + _META_SIZE > storage.size:
        raise _cut_short(storage)
    block = np.empty((META_PAGES, _META_SIZE), np.uint8)
    storage.fill([layout.header, layout.header + page_size], list(block))
    return tuple(row.tobytes() for row in block)


def _cut_short(storage: Storage) -> SourceError:
    return SourceError(
        f"{storage.name}: cut short: it has {storage.size} bytes, which is less than the two "
        "meta pages of an LMDB file"
    )


def _page_size(meta: bytes) -> int:
    """Return the page size, which the record of the free pages' database holds."""
    return int.from_bytes(meta[_META_HEAD.size : _META_HEAD.size + 4], "little")
