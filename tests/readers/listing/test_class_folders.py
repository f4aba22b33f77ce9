import os

import pytest

from penstock.engine.errors import SourceError
from penstock.readers.listing.class_folders import ClassFolders


@pytest.fixture
def found(tmp_path):
    """List what lies below tmp_path/root."""
    (tmp_path / "root").mkdir()

    def found(file_filters=("*.jpg",), dir_filters=None, *, case_sensitive=False):
        root = os.fsencode(tmp_path / "root") + b"/"
        folders = ClassFolders(root, file_filters, dir_filters, case_sensitive=case_sensitive)
        names, labels = folders.list_files()
        return list(zip(names, labels.tolist(), strict=True))

    return found


@pytest.fixture
def put(tmp_path):
    """Create files, and folders where the name ends in a slash, below tmp_path/root."""

    def put(*names):
        for name in names:
            path = os.path.join(os.fsencode(tmp_path / "root"), os.fsencode(name))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if not path.endswith(b"/"):
                with open(path, "wb"):
                    pass

    return put


def test_names_are_in_the_order_of_their_bytes(found, put):
    put("b/2.jpg", "b/10.jpg", "b/1.jpg", "B/x.jpg", "é/x.jpg", "b/É.jpg", "b/_.jpg", b"b/\xff.jpg")
    assert found() == [
        (b"B/x.jpg", 0),
        (b"b/1.jpg", 1),
        (b"b/10.jpg", 1),
        (b"b/2.jpg", 1),
        (b"b/_.jpg", 1),
        ("b/É.jpg".encode(), 1),
        (b"b/\xff.jpg", 1),
        ("é/x.jpg".encode(), 2),
    ]


def test_a_folder_without_matching_files_keeps_its_number(found, put):
    put("a/1.jpg", "b/", "c/notes.txt", "d/2.jpg")
    assert found() == [(b"a/1.jpg", 0), (b"d/2.jpg", 3)]


def test_only_one_level_is_read_and_only_files(found, put):
    put("top.jpg", "a/deeper/1.jpg", "a/folder.jpg/2.jpg", "a/3.jpg")
    assert found() == [(b"a/3.jpg", 0)]


def test_a_root_one_level_too_high_is_named(found, put):
    put("train/cat/1.jpg", "train/dog/2.jpg", "test/cat/3.jpg")
    message = r"3 folders, such as 'test/cat', lie in these: .* name .* such as 'test'"
    with pytest.raises(SourceError, match=message):
        found()


def test_hidden_names_are_no_classes_and_no_files(found, put):
    put(".ipynb_checkpoints/x.jpg", "__MACOSX/y.jpg", "@eaDir/z.jpg", "lost+found/")
    put("a/1.jpg", "a/._1.jpg", "a/Thumbs.db", "a/desktop.ini", "a/.DS_Store", "_noise_/_2.jpg")
    for filters in (["*.jpg"], ["*"]):
        assert found(filters) == [(b"_noise_/_2.jpg", 0), (b"a/1.jpg", 1)]


def test_a_filter_that_spells_the_dot_finds_hidden_names(found, put):
    put(".h/.x.jpg", "a/1.jpg")
    assert found([".x*", "*"], [".h", "a"]) == [(b".h/.x.jpg", 0), (b"a/1.jpg", 1)]


def test_folders_filtered_out_have_no_number(found, put):
    put("a/1.jpg", "B/2.jpg", "b/3.jpg", "c/4.jpg")
    assert found(dir_filters=["b", "c", "[c-d]"]) == [
        (b"B/2.jpg", 0),
        (b"b/3.jpg", 1),
        (b"c/4.jpg", 2),
    ]
    assert found(dir_filters=["b"], case_sensitive=True) == [(b"b/3.jpg", 0)]


def test_links_are_followed_and_loops_harmless(found, put, tmp_path):
    put("a/1.jpg", "loops/")
    root = tmp_path / "root"
    (root / "b").symlink_to(root / "a")
    (root / "a" / "link.jpg").symlink_to("1.jpg")
    (root / "loops" / "up").symlink_to("..")
    (root / "up").symlink_to(root)
    assert found() == [
        (b"a/1.jpg", 0),
        (b"a/link.jpg", 0),
        (b"b/1.jpg", 1),
        (b"b/link.jpg", 1),
    ]


def test_pipes_are_no_files(found, put, tmp_path):
    put("a/1.jpg")
    os.mkfifo(tmp_path / "root" / "a" / "pipe.jpg")
    assert found() == [(b"a/1.jpg", 0)]


@pytest.mark.parametrize("target", ["nowhere", "gone"])
def test_a_link_to_nowhere_that_may_be_a_class_raises(found, put, tmp_path, target):
    put("a/1.jpg")
    (tmp_path / "root" / "gone").symlink_to(target)
    with pytest.raises(SourceError, match=r"the link '.*/root/gone' leads nowhere .*dir_filters"):
        found()
    assert found(dir_filters=["a"]) == [(b"a/1.jpg", 0)]


def test_a_root_that_cannot_be_listed_is_named(put, tmp_path):
    put("file.jpg")
    for name, reason in (("none", "No such file"), ("file.jpg", "Not a directory")):
        root = os.fsencode(tmp_path / "root" / name) + b"/"
        with pytest.raises(SourceError, match=rf"{name}/' cannot be listed: {reason}.*each class"):
            ClassFolders(root, ["*"], None, case_sensitive=False).list_files()


def test_a_class_folder_that_may_not_be_listed_is_named(found, put, tmp_path):
    put("a/1.jpg")
    (tmp_path / "root" / "a").chmod(0)
    if os.access(tmp_path / "root" / "a", os.R_OK):
        pytest.skip("this user may list any folder")
    with pytest.raises(SourceError, match=r"class folder '.*/a' cannot be listed: Permission"):
        found()


def test_nothing_found_says_what_was_looked_for_and_where(found, put, tmp_path):
    root = tmp_path / "root"
    with pytest.raises(SourceError, match=rf"{root}/' holds no folder; it must hold one folder"):
        found()
    put("cats/a.txt", "dogs/")
    with pytest.raises(
        SourceError, match=r"no file matches `file_filters` \['\*\.gif'\] in the 2 class folders"
    ):
        found(["*.gif"])
    with pytest.raises(SourceError, match=r"holds no folder that matches `dir_filters` \['x'\]"):
        found(dir_filters=["x"])
    put("loose.jpg")
    with pytest.raises(SourceError, match=r"1 files, such as 'loose\.jpg', lie in `file_root` it"):
        found()
