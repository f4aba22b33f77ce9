import os

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.listing.list_file import read_list_file
from penstock.readers.listing.listing import list_plain_files


@pytest.fixture
def read(tmp_path):
    def read(text: bytes):
        path = tmp_path / "list.txt"
        path.write_bytes(text)
        names, labels = read_list_file(os.fsencode(path))
        assert labels.dtype == np.int32
        return list(zip(names, labels.tolist(), strict=True))

    return read


@pytest.mark.parametrize(
    ("text", "files"),
    [
        (b"a.jpg 3\nb.jpg 1\n", [(b"a.jpg", 3), (b"b.jpg", 1)]),
        (b"a.jpg 3", [(b"a.jpg", 3)]),
        (b"a.jpg\t3\r\nb.jpg \t 4  \r\n", [(b"a.jpg", 3), (b"b.jpg", 4)]),
        (b"\n \t\na.jpg 3\n\n", [(b"a.jpg", 3)]),
        (b"one cat.jpg 3\nx\ty.jpg 4\n", [(b"one cat.jpg", 3), (b"x\ty.jpg", 4)]),
        (b" lead.jpg 3\n", [(b" lead.jpg", 3)]),
        (b"12 5\n", [(b"12", 5)]),
        (b"a.jpg 007\n", [(b"a.jpg", 7)]),
        (b"a.jpg 2147483647\n", [(b"a.jpg", 2**31 - 1)]),
        (b"\xff.jpg 1\n", [(b"\xff.jpg", 1)]),
        (b"\xef\xbb\xbfa.jpg 1\n", [(b"a.jpg", 1)]),
    ],
)
def test_lines(read, text, files):
    assert read(text) == files


@pytest.mark.parametrize(
    "line",
    [
        *(b"a.jpg -1", b"a.jpg +1", b"a.jpg", b"12", b" 12", b"a.jpg3", b"a.jpg 1.5", b"a.jpg cat"),
        *(b"a.jpg 2147483648", b"a.jpg 1_0", b"a.jpg " + b"9" * 5000, "a.jpg ٣".encode()),
        *(b"a\0.jpg 3", "a.jpg 3".encode("utf-16-le")),
    ],
)
def test_a_wrong_line_is_named(read, tmp_path, line):
    with pytest.raises(SourceError) as caught:
        read(b"fine.jpg 0\n\n" + line + b"\n")
    message = str(caught.value)
    assert f"{tmp_path / 'list.txt'}, line 3: expected a path, white space and a label" in message
    assert "0 to 2147483647" in message
    assert len(message) < 600


def test_the_wrong_line_is_shown(read):
    with pytest.raises(SourceError, match=r"got 'dog\.jpg -1'"):
        read(b"dog.jpg -1\n")


@pytest.mark.parametrize("text", [b"", b"\n\n  \n"])
def test_a_list_without_files_raises(read, text):
    with pytest.raises(SourceError, match=r"list\.txt' names no file: each line must hold a path"):
        read(text)


def test_a_list_that_cannot_be_read_raises(tmp_path):
    with pytest.raises(SourceError, match=r"`file_list` '.*/none\.txt' cannot be read: No such"):
        read_list_file(os.fsencode(tmp_path / "none.txt"))
    with pytest.raises(SourceError, match="cannot be read: Is a directory"):
        read_list_file(os.fsencode(tmp_path))


@pytest.mark.parametrize(
    "name",
    [
        *("/etc/hostname", "file:///etc/hostname", "a/../../secret"),
        *("zip://a.jpg::file:///a.zip", "simplecache::file:///etc/hostname", "tar://a"),
        *("dir://a", "a/b::file:///etc/hostname", "LOCAL:///etc/hostname", "filecache://a"),
    ],
)
def test_a_list_behind_a_url_names_no_local_file(web, name):
    web.objects["list.txt"] = f"a.jpg 1\n{name} 2\n".encode()
    with pytest.raises(SourceError, match=r"list.txt, line 2: a list behind a URL may not name"):
        read_list_file(f"{web.url}/list.txt".encode())
    with pytest.raises(SourceError, match="a list behind a URL may not name the local file"):
        list_plain_files("fn.readers.numpy", file_list=f"{web.url}/list.txt")
