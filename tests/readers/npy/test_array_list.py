import os
import zipfile

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.listing.listing import list_plain_files
from penstock.readers.npy.array_list import list_arrays
from penstock.readers.storage.damage import Damages

from ...conftest import kept_index
from ..npy_files import arrays_of
from ..tars import archive

pytestmark = pytest.mark.usefixtures("user_cache")


def places(**arguments):
    found = arrays_of(**arguments)
    return [found.where(i) for i in range(len(found))]


def test_a_hundred_thousand_files_are_listed_and_not_looked_at():
    names = [f"/nowhere/{i}.npy" for i in range(100_000)]
    found = arrays_of(files=names)
    assert (len(found), found.members) == (100_000, None)
    assert found.where(77_777) == "/nowhere/77777.npy"


def test_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert places(files=["a.npy", "/b.npy"]) == [f"{tmp_path}/a.npy", "/b.npy"]
    assert places(files=["a.npy"], file_root="x") == [f"{tmp_path}/x/a.npy"]


def test_files_of_a_folder_come_before_those_of_the_folders_in_it(tmp_path):
    for name in ("b/2.npy", "b/1.npy", "a/3.npy", "z.npy", "a/deep/4.npy", "a/x.txt", "b/5.NPY"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    os.symlink("b", tmp_path / "link.npy")
    names = ["z.npy", "a/3.npy", "b/1.npy", "b/2.npy", "link.npy/1.npy", "link.npy/2.npy"]
    assert places(file_root=str(tmp_path)) == [f"{tmp_path}/{name}" for name in names]
    (tmp_path / "link.npy").unlink()
    assert places(file_root=str(tmp_path), file_filter="*.NPY") == [f"{tmp_path}/b/5.NPY"]


def test_members(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.ZIP", "w") as stored:
        for name in ("x/b.npy", "a.npy", "c.txt"):
            stored.writestr(name, b"content")
    (tmp_path / "b.tar").write_bytes(archive({"y.npy": b"1", "z.txt": b""}))
    files = [str(tmp_path / name) for name in ("b.tar", "c.npy", "a.ZIP")]
    assert places(files=files) == [
        f"{tmp_path}/b.tar, member 'y.npy'",
        f"{tmp_path}/c.npy",
        f"{tmp_path}/a.ZIP, member 'x/b.npy'",
        f"{tmp_path}/a.ZIP, member 'a.npy'",
    ]
    assert places(files=files[2:], member_filter="b*") == [f"{tmp_path}/a.ZIP, member 'x/b.npy'"]


def test_indexes_of_archives_are_kept_until_they_change(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, x=1)
    assert len(places(files=[str(path)])) == 1
    index = kept_index(path)
    written = index.read_bytes()
    assert len(places(files=[str(path)])) == 1
    np.savez(path, x=1, y=2)
    assert len(places(files=[str(path)])) == 2
    assert index.read_bytes() != written


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ArgumentError, "needs file_root, files or file_list"),
        ({"files": []}, SourceError, "files names no file"),
        ({"files": [""]}, ArgumentError, "must be a file's path"),
        ({"files": ["a"], "file_list": "b"}, ArgumentError, "not both"),
        ({"file_list": "none.txt"}, SourceError, "none.txt' cannot be read"),
        ({"file_root": "none"}, SourceError, "cannot be listed"),
        ({"file_root": "."}, SourceError, "names no file"),
        ({"files": ["none.npz"]}, FileNotFoundError, "none.npz"),
        ({"files": ["empty.zip"]}, SourceError, "no zip archive"),
        ({"files": ["empty.tar"]}, SourceError, "cut off"),
    ],
)
def test_what_holds_no_arrays(tmp_path, monkeypatch, arguments, error, message):
    monkeypatch.chdir(tmp_path)
    for name in ("empty.zip", "empty.tar"):
        (tmp_path / name).touch()
    with pytest.raises(error, match=message):
        places(**arguments)


def test_archives_that_are_damaged_are_left_out(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    np.savez(tmp_path / "b.npz", x=np.arange(4))
    np.savez(tmp_path / "c.npz", x=np.arange(5))
    np.save(tmp_path / "d.npy", np.arange(6))
    (tmp_path / "b.npz").write_bytes((tmp_path / "b.npz").read_bytes()[:-9])
    (tmp_path / "e.tar").write_bytes(archive({"x.npy": b"1"})[:600])
    paths = [
        str(tmp_path / name) for name in ("a.npz", "b.npz", "c.npz", "d.npy", "e.tar", "f.npz")
    ]
    listing = list_plain_files("fn.readers.numpy", files=paths)
    with pytest.raises(OSError, match=r"f\.npz"):
        list_arrays(listing)
    damages = Damages(leaves_out=True)
    found = list_arrays(listing, damages=damages)
    assert [damage.name for damage in damages.found] == [paths[5], paths[1], paths[4]]
    assert [found.where(i).rpartition("/")[2] for i in range(len(found))] == [
        "a.npz, member 'x.npy'",
        "c.npz, member 'x.npy'",
        "d.npy",
    ]
