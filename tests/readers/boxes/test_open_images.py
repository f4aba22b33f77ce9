"""Data sets of Open Images."""

import pytest

from penstock.engine.errors import ArgumentError, DecodeError, PenstockError
from penstock.readers.boxes.opening import open_box_set

from .sets import CSV_HEAD, put

ROWS = (
    "a,xclick,/m/01,1,0.25,0.75,0.1,0.5,0,1,0,0,0\n"
    "gone,xclick,/m/02,1,0,1,0,1,0,0,0,0,0\n"
    "a,xclick,/m/02,1,0,1,0,1,-1,0,1,0,0\n"
)
TREE = {
    "class-descriptions-boxable.csv": '/m/02,"Cat, big"\n/m/01,Dog\n',
    "train-annotations-bbox.csv": CSV_HEAD + ROWS,
    "train/a.jpg": (10, 20),
    "train/background.jpg": (10, 20),
}


def read(boxes):
    return boxes.read(range(len(boxes)), [(10, 20)] * len(boxes))


def test_the_order_of_the_columns_is_x_x_y_y(tmp_path):
    boxes = open_box_set(put(tmp_path, TREE), {})
    first, second = read(boxes)
    assert first.boxes.tolist() == [[5, 1, 10, 4], [0, 0, 20, 10]]
    assert second.boxes.shape == (0, 4)  # an image without rows has no objects
    assert first.crowds.tolist() == [False, True]
    assert first.flags["truncated"].tolist() == [1, 0]
    assert first.flags["occluded"].tolist() == [0, -1]


def test_classes_have_the_order_of_their_file(tmp_path):
    boxes = open_box_set(put(tmp_path, TREE), {})
    assert boxes.classes == ("", "Cat, big", "Dog")
    assert read(boxes)[0].labels.tolist() == [2, 1]
    (tmp_path / "class-descriptions-boxable.csv").unlink()
    assert open_box_set(tmp_path, {}).classes == ("", "/m/01", "/m/02")


def test_images_that_are_not_there_are_listed(tmp_path):
    boxes = open_box_set(put(tmp_path, TREE), {})
    assert list(boxes.left_out.values()) == [["gone"]]
    assert {"Source", "Confidence"} == {*boxes.unread}


def test_splits(tmp_path):
    files = {"validation-annotations-bbox.csv": CSV_HEAD, "validation/v.jpg": (10, 20)}
    root = put(tmp_path, TREE | files)
    with pytest.raises(ArgumentError, match=r"train, validation.*train-annotations-bbox\.csv'"):
        open_box_set(root, {})
    assert open_box_set(root, {}, "validation").images == ["v.jpg"]
    assert open_box_set(root / "train-annotations-bbox.csv", {}).images[0] == "a.jpg"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ImageID,LabelName\na,b\n", "has no column XMax, XMin, YMax, YMin"),
        (CSV_HEAD + "a,x,/m/01,1,left,1,0,1,0,0,0,0,0\n", "XMin holds texts"),
        (CSV_HEAD + "a,x,/m/01\n", r"train-annotations-bbox\.csv: CSV parse error"),
        (CSV_HEAD + "a,x,/m/01,1,0.9,0.1,0,1,0,0,0,0,0\n", "ends before it begins"),
        (CSV_HEAD + "a,x,/m/77,1,0.1,0.9,0,1,0,0,0,0,0\n", "'/m/77' is no class of"),
    ],
)
def test_damaged_tables_are_named(tmp_path, text, said):
    root = put(tmp_path, TREE | {"train-annotations-bbox.csv": text})
    with pytest.raises(PenstockError, match=said):
        read(open_box_set(root, {}))
    assert issubclass(DecodeError, PenstockError)
