import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.archives.tar_index import ArchiveIndex, FrontIndex, index_archive, split_name
from penstock.readers.storage.damage import Damages
from penstock.readers.storage.opening import open_storage

from ...conftest import kept_index
from ..tars import archive


def test_arrays_and_back(tmp_path):
    files = {"x/1.jpg": b"111", "x/1.a.txt": b"", ".no.jpg": b"", "x/2.txt": b"2", "y/2.txt": b"22"}
    (tmp_path / "a.tar").write_bytes(archive(files))
    index = index_archive(open_storage(tmp_path / "a.tar"))
    again = ArchiveIndex.from_arrays(*index.to_arrays())
    assert len(again) == 3
    assert list(again.keys) == [b"x/1", b"x/2", b"y/2"]
    assert again.firsts.tolist() == [0, 2, 3, 4]
    assert again.extensions_of(0) == ["jpg", "a.txt"]
    for before, after in zip(index.to_arrays(), again.to_arrays(), strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        (b"a.b.c", (b"a", b"b.c"), (b"a.b", b"c")),
        (b"x.y/a", (b"x.y/a", b""), (b"x.y/a", b"")),
        (b"a.", (b"a", b""), (b"a", b"")),
        (b"x/.a.b", (b"x/", b"a.b"), (b"x/.a", b"b")),
    ],
)
def test_names_are_split(name, first, last):
    assert (split_name(name, "first"), split_name(name, "last")) == (first, last)


def test_the_warnings_of_a_scan_come_again_with_an_index_that_was_kept(tmp_path):
    content = archive({"a.jpg": b"1", "b.jpg": b"2"})
    for name, end in {"joined": content, "cut": content[:700]}.items():
        (tmp_path / f"{name}.tar").write_bytes(content + end)
        damages = Damages(leaves_out=True)
        for _ in range(2):
            with pytest.warns(UserWarning, match=rf"{name}\.tar goes on behind the zeros at"):
                index = index_archive(open_storage(tmp_path / f"{name}.tar"), damages=damages)
            assert len(index) == (4 if name == "joined" else 2)
        assert kept_index(tmp_path / f"{name}.tar").exists()
        assert len(damages.found) == 2 * (name == "cut")


@pytest.mark.parametrize("dot", ["first", "last"])
def test_the_index_of_a_front_is_that_of_the_archive(tmp_path, dot):
    files = {f"{n}.{end}": b"." * n for n in range(9) for end in ("a.jpg", "b.txt")[: 1 + n % 2]}
    (tmp_path / "a.tar").write_bytes(archive(files | {".hidden": b""}))
    storage = open_storage(tmp_path / "a.tar")
    whole, front = index_archive(storage, dot), FrontIndex(storage, dot)
    for samples in (2, 1, 5, len(whole) - 1):
        index = front.first(samples)
        assert samples <= len(index) < len(whole)
        assert index.firsts.tolist() == whole.firsts[: len(index) + 1].tolist()
        assert index.offsets.tolist() == whole.offsets[: index.firsts[-1]].tolist()
        assert index.sizes.tolist() == whole.sizes[: index.firsts[-1]].tolist()
        for sample in range(len(index)):
            assert index.keys[sample] == whole.keys[sample]
            assert index.extensions_of(sample) == whole.extensions_of(sample)
    assert front.first(len(whole)) is None


@pytest.mark.parametrize("samples", [1, 9])
@pytest.mark.parametrize("cut", [0, 1024, 2048])
def test_the_walk_of_a_front_goes_on(tmp_path, samples, cut):
    content = archive({f"{n}.jpg": b"." for n in range(9)})
    path = tmp_path / "a.tar"
    path.write_bytes(content[: 9 * 1024 - cut])  # unclosed, and cut off
    front = FrontIndex(open_storage(path), "first")
    with pytest.warns(UserWarning, match="without the blocks of zeros"):
        whole = index_archive(open_storage(path))
    kept_index(path).unlink()
    front.first(samples)
    with pytest.warns(UserWarning, match="without the blocks of zeros"):
        index = index_archive(open_storage(path), front=front)
    assert len(index) == 9 - cut // 1024
    for one, other in zip(index.to_arrays(), whole.to_arrays(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("end", [100, 1124, 2048])
def test_a_front_ends_where_the_archive_is_damaged(tmp_path, end):
    content = bytearray(archive({f"{n}.jpg": b"1" * 300 for n in range(4)}))
    content[end : end + 300] = b"\xff" * 300
    (tmp_path / "a.tar").write_bytes(content)
    front = FrontIndex(open_storage(tmp_path / "a.tar"), "first")
    with pytest.raises(SourceError, match=r"damaged|cut off"):
        front.first(4)
