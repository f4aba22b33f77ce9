"""Files of every format of data sets, cut at 60 %, are told by `verify` without a manifest."""

import os

import pytest

from penstock import PenstockError, datasets
from penstock.datasets.formats.table import writers
from penstock.testing import made

CONTENT = {"npy": "arrays", "npz": "arrays", "coco": "detections"}
CONTENT |= dict.fromkeys(("nemo", "nemo-tar"), "speech")
CONTENT |= dict.fromkeys(("yolo", "voc", "openimages"), "detections")
LISTS = (".idx", ".lst", ".json")


@pytest.mark.filterwarnings("ignore:.*ends without the blocks of zeros")
@pytest.mark.parametrize("name", writers())
def test_the_largest_file_is_named(tmp_path, name):
    classes = ("a", "b") if name == "folder" else ()
    root = made.write(tmp_path / "set", made.CONTENTS[CONTENT.get(name, "images")](), name, classes)
    (root / "dataset.json").unlink()
    seen = (path for path in root.rglob("*") if path.is_file() and path.name[0] != ".")
    files = [path for path in seen if path.suffix not in LISTS]
    largest = max(files, key=lambda path: path.stat().st_size)
    os.truncate(largest, largest.stat().st_size * 6 // 10)
    try:
        report = datasets.verify(root / "files.lst" if name == "filelist" else root, decode=True)
        assert not report.ok
        text = " ".join(map(str, report.bad))
    except PenstockError as error:
        text = str(error)
    assert largest.name in text
