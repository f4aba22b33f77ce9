"""Headers of tar archives, written: what `tarfile` and `tar` read back."""

from __future__ import annotations

import io
import tarfile

import pytest

from penstock.readers.archives.tar import parse_header
from penstock.readers.archives.tar_headers import CLOSING, header_of, padding

NAMES = ["a.txt", "x/" * 49 + "ab", "n" * 101, "n" * 500, "straße/日本.jpg"]


@pytest.mark.parametrize("name", NAMES)
def test_names_come_back(name):
    content = b"content"
    archive = header_of(name.encode(), len(content)) + content + padding(len(content)) + CLOSING
    with tarfile.open(fileobj=io.BytesIO(archive)) as read:
        (member,) = read.getmembers()
        assert (member.name, member.mode) == (name, 0o644)
        assert read.extractfile(member).read() == content


def test_sizes_beyond_the_octal_digits_come_back():
    headers = header_of(b"x", 8**11)
    with tarfile.open(fileobj=io.BytesIO(headers + CLOSING)) as read:
        assert read.next().size == 8**11
    assert parse_header(headers[-512:]).size == 8**11 - 1
