import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.listing.listing import list_files

pytestmark = pytest.mark.filterwarnings("ignore:.*left out are")


@pytest.fixture
def tree(tmp_path):
    for name in ("cats/tom.jpg", "cats/notes.txt", "dogs/rex.PNG", "list/files.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def shown(listing):
    """Return what `listing` holds as (path, label) pairs."""
    assert listing.labels.dtype == np.int32
    paths = listing.paths(np.arange(len(listing)))
    return [(os.fsdecode(p), int(k)) for p, k in zip(paths, listing.labels, strict=True)]


def test_class_folders(tree):
    assert shown(list_files(file_root=tree)) == [
        (f"{tree}/cats/tom.jpg", 0),
        (f"{tree}/dogs/rex.PNG", 1),
    ]
    assert shown(list_files(file_root=tree, file_filters="*.txt", dir_filters="[cl]*")) == [
        (f"{tree}/cats/notes.txt", 0),
        (f"{tree}/list/files.txt", 1),
    ]
    assert shown(list_files(file_root=tree, case_sensitive_filter=True)) == [
        (f"{tree}/cats/tom.jpg", 0)
    ]


@pytest.mark.filterwarnings("error")
def test_what_is_left_out_is_said_once(tree):
    for name in (".ipynb_checkpoints/1.jpg", ".git/config", "cats/._tom.jpg", "cats/.DS_Store"):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).touch()
    for name in ("cats/b.raw", "cats/a.heic", "cats/inner/2.jpg", "loose.jpg", "README.md"):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).touch()
    (tree / "cats" / "tom.jpg.penstock-index").touch()
    said = (
        r"hidden folders with data \(1, such as '.ipynb_checkpoints'\), files beside the "
        r"class folders \(1, such as 'loose.jpg'\), hidden files of data "
        r"\(1, such as 'cats/._tom.jpg'\), files of other endings \(3, such as 'cats/b.raw'\), "
        r"folders in class folders \(1, such as 'cats/inner'\)\. `file_filters`"
    )
    with pytest.warns(RuntimeWarning, match=said) as warned:
        listed = list_files(file_root=tree)
    assert len(warned) == 1
    assert [name for name, _ in shown(listed)] == [
        f"{tree}/{name}" for name in ("cats/a.heic", "cats/tom.jpg", "dogs/rex.PNG")
    ]
    assert listed.class_names == ("cats", "dogs")
    with pytest.warns(RuntimeWarning) as warned:
        list_files(file_root=tree, file_filters=["*.jpg"])
    assert "other endings" not in str(warned[0].message)


@pytest.mark.filterwarnings("error")
def test_nothing_is_said_of_plain_class_folders(tmp_path):
    for name in ("cat/1.jpg", "dog/1.PNG", "empty/", "README.md", "labels.txt", ".DS_Store"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).touch()
    assert len(list_files(file_root=tmp_path)) == 2


@pytest.mark.parametrize("root", [str, os.fsencode, lambda path: path, lambda path: f"{path}//"])
def test_a_root_may_be_any_path(tree, root):
    assert list_files(file_root=root(tree)).names[0] == b"cats/tom.jpg"


def test_files_are_numbered_unless_they_have_labels(tree):
    files = ["b.jpg", "/abs/a.jpg", "b.jpg"]
    assert shown(list_files(files=files, file_root=tree)) == [
        (f"{tree}/b.jpg", 0),
        ("/abs/a.jpg", 1),
        (f"{tree}/b.jpg", 2),
    ]
    labels = [7, 0, 2**31 - 1]
    for given in (labels, np.array(labels)):
        assert list_files(files=files, labels=given).labels.tolist() == labels


@pytest.mark.parametrize("name", ["a.jpg", b"\xff\xfe.jpg"])
def test_one_file_needs_no_list(tree, name):
    listing = list_files(files=name, labels=3, file_root=tree)
    assert shown(listing) == [(f"{tree}/{os.fsdecode(name)}", 3)]


def test_relative_paths_are_resolved_when_the_list_is_made(tree, monkeypatch):
    monkeypatch.chdir(tree)
    by_files, by_root = list_files(files=["cats/tom.jpg"]), list_files(file_root="../" + tree.name)
    monkeypatch.chdir("/")
    assert shown(by_files) == [(f"{tree}/cats/tom.jpg", 0)]
    assert shown(by_root)[0] == (f"{tree}/../{tree.name}/cats/tom.jpg", 0)


def test_paths_of_a_list_file_are_relative_to_it_unless_a_root_is_given(tree, monkeypatch):
    (tree / "list" / "files.txt").write_text("../cats/tom.jpg 4\n/abs/x y.jpg 5\n")
    absolute = ("/abs/x y.jpg", 5)
    path = tree / "list" / "files.txt"
    assert shown(list_files(file_list=path)) == [(f"{tree}/list/../cats/tom.jpg", 4), absolute]
    assert shown(list_files(file_list=path, file_root=tree / "dogs")) == [
        (f"{tree}/dogs/../cats/tom.jpg", 4),
        absolute,
    ]
    monkeypatch.chdir(tree / "list")
    assert shown(list_files(file_list="files.txt"))[0] == (f"{tree}/list/../cats/tom.jpg", 4)


def test_pickles(tree):
    listing = list_files(file_root=tree)
    assert shown(pickle.loads(pickle.dumps(listing))) == shown(listing)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "no files are named: give `file_root`"),
        ({"file_root": ""}, "no files are named"),
        ({"files": ["a"], "file_list": "b"}, "either `files` or `file_list`, not both"),
        ({"file_root": "a", "labels": [1]}, "`labels` belong to `files`"),
        ({"files": []}, "`files` is empty"),
        ({"files": ["a", ""]}, r"`files\[1\]` must be a file's path, got ''"),
        ({"files": ["a\0"]}, r"`files\[0\]` must be a file's path"),
        ({"files": [3]}, r"`files\[0\]` must be a file's path, got 3"),
        ({"files": ["a"], "labels": []}, "each of the 1 `files`, but has 0"),
        ({"files": ["a"], "labels": [1, 2]}, "but has 2"),
        ({"files": ["a"], "labels": [[[1]]]}, "the shape"),
        ({"files": ["a"], "labels": [None]}, "values of type object are neither numbers nor texts"),
        ({"files": ["a", "b"], "labels": [0, 2**31]}, r"`labels\[1\]` is 2147483648; "),
        ({"files": ["a"], "labels": [-(2**31) - 1]}, r"`labels\[0\]` is -2147483649; one label"),
        ({"file_list": ""}, "`file_list` is an empty string"),
        ({"file_root": ".", "file_filters": []}, "`file_filters` is empty"),
        ({"file_root": ".", "dir_filters": []}, "`dir_filters` is empty"),
    ],
)
def test_arguments_that_make_no_sense_raise(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        list_files(**arguments)


def test_nothing_found_raises(tree):
    with pytest.raises(SourceError, match=r"no file matches `file_filters` \['\*\.gif'\]"):
        list_files(file_root=tree, file_filters="*.gif")


IN_A_DELETED_FOLDER = """
import os, sys, tempfile
folder = tempfile.mkdtemp()
os.chdir(folder)
os.rmdir(folder)
from penstock.engine.errors import SourceError
from penstock.readers.listing.listing import list_files
root = sys.argv[1]
print(len(list_files(file_root=root)), len(list_files(files=[f"{root}/cats/tom.jpg"])))
try:
    list_files(files=["tom.jpg"])
except SourceError as error:
    print(error)
"""


def test_absolute_paths_need_no_current_folder(tree):
    done = subprocess.run(
        [sys.executable, "-c", IN_A_DELETED_FOLDER, str(tree)],
        capture_output=True,
        text=True,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))},
        timeout=200,
    )
    counts, message = done.stdout.splitlines()
    assert counts == "2 1"
    assert "relative to the current folder, which was deleted" in message
