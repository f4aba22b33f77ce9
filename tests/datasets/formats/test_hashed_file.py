"""Files that are hashed while they are written."""

from __future__ import annotations

import hashlib
import os

import pytest

from penstock.datasets.formats import hashed_file
from penstock.datasets.formats.hashed_file import HashedFile, hash_of, sync_file_system, write_new


def test_pieces_end_up_in_the_file_with_their_hash(tmp_path, tuned):
    tuned(hashed_file, BYTES_AT_ONCE=100, PIECES_AT_ONCE=3)
    pieces = [bytes([i]) * (7 * i) for i in range(40)]
    file = HashedFile(tmp_path / "x" / "y")
    file.write(memoryview(piece) if i % 2 else piece for i, piece in enumerate(pieces))
    info = file.finish(tmp_path)
    content = b"".join(pieces)
    assert (tmp_path / "x" / "y").read_bytes() == content
    digest = hashlib.sha256(content).hexdigest()
    assert (info.name, info.bytes, info.sha256) == ("x/y", len(content), digest)
    assert hash_of(tmp_path / "x" / "y", tmp_path) == info


def test_short_writes_are_continued(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "writev", lambda fd, pieces: os.write(fd, b"".join(pieces)[:3]))
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, content: write(fd, content[:3]))
    info = write_new(tmp_path / "x", b"0123456789", tmp_path)
    assert (tmp_path / "x").read_bytes() == b"0123456789"
    assert info.bytes == 10


def test_files_that_exist_are_errors(tmp_path):
    (tmp_path / "x").write_text("old")
    with pytest.raises(FileExistsError):
        HashedFile(tmp_path / "x")
    assert (tmp_path / "x").read_text() == "old"


def test_file_systems_are_synced(tmp_path, disk):
    sync_file_system(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync_file_system(tmp_path / "nowhere")
