"""Which names in a folder are data."""

import pytest

from penstock.readers.listing.folder_rule import (
    describes_data,
    is_beside_data,
    is_hidden,
    visible_filter,
)


@pytest.mark.parametrize(
    "name",
    [
        *(".DS_Store", "._photo.jpg", ".ipynb_checkpoints", ".git", "Thumbs.db", "THUMBS.DB"),
        *("desktop.ini", "__MACOSX", "@eaDir", "$RECYCLE.BIN", "lost+found", "Icon\r"),
        *("System Volume Information", "__pycache__"),
    ],
)
def test_names_of_desktops_and_file_systems_are_hidden(name):
    assert is_hidden(name)
    assert is_hidden(name.encode())
    assert is_beside_data(name)
    assert not visible_filter(["*"], case_sensitive=False)(name.encode())
    assert visible_filter(
        [name.replace("$", "[$]") if name[0] != "$" else name, "*"], case_sensitive=False
    )(name.encode())


@pytest.mark.parametrize(
    "name", ["_DSC1.jpg", "_background_noise_", "thumbs.dbf", "a.DS_Store", "lost+found.jpg"]
)
def test_other_names_are_not_hidden(name):
    assert not is_hidden(name)
    assert visible_filter(["*"], case_sensitive=True)(name.encode())


def test_files_beside_data():
    marks = ["_SUCCESS", "_metadata", "_common_metadata", "dataset.json", "a.tar.penstock-index"]
    assert all(map(is_beside_data, marks))
    assert not any(map(is_beside_data, ["part-00000", "_part.parquet", "a.json", "README"]))
    described = ["label_map.pbtxt", "README", "LICENSE", "dataset_info.json", "labels.TXT", "a.idx"]
    assert all(map(describes_data, described))
    assert not any(map(describes_data, ["part-00000", "a.tfrecord", "a.tfrecord-00000-of-00005"]))
