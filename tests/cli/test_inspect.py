"""`penstock inspect`: the summary, its forms, and a pipe that closes."""

from __future__ import annotations

import base64
import json
import re
import subprocess

import cv2
import numpy as np
import pytest


def picture_of(data):
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


def test_the_summary(penstock_in_process, class_folders):
    result = penstock_in_process("inspect", class_folders)
    assert result.status == 0, result.errors
    lines = result.output.splitlines()
    assert lines[0] == f"{class_folders}  folder, 6 samples"
    assert any(line.split()[:3] == ["image", "encoded", "jpg"] for line in lines)
    assert any(line.split()[:3] == ["0", "cats", "3"] for line in lines)


def test_json(penstock_in_process, class_folders):
    content = json.loads(penstock_in_process("inspect", class_folders, "--json").output)
    assert content["format"] == "folder"
    assert content["samples"] == content["looked_at"] == 6
    assert content["schema"]["image"] == {"type": "encoded", "extension": "jpg"}
    assert content["labels"] == {"0": 3, "1": 3}
    assert content["classes"] == ["cats", "dogs"]
    assert content["shards"] is None
    assert content["sample"]["key"] == "cats/0"


def test_a_page_and_a_contact_sheet(penstock_in_process, class_folders, tmp_path):
    page, sheet = tmp_path / "page.html", tmp_path / "sheet.png"
    result = penstock_in_process("inspect", class_folders, "--html", page, "--png", sheet, "-n", 4)
    assert result.output.endswith(f"wrote {page}\nwrote {sheet}\n")
    text = page.read_text()
    assert "6 samples" in text
    assert "<td>0 cats</td>" in text
    (encoded,) = re.findall(r"data:image/png;base64,([^']+)'", text)
    assert np.array_equal(picture_of(base64.b64decode(encoded)), cv2.imread(str(sheet)))


def test_names_are_escaped_in_the_page(penstock_in_process, tmp_path):
    folder = tmp_path / "data" / "<script>"
    folder.mkdir(parents=True)
    (folder / "1.txt").write_text("a < b")
    page = tmp_path / "page.html"
    options = ("--html", page, "--format", "folder")
    assert penstock_in_process("inspect", tmp_path / "data", *options).status == 0
    assert "<script>" not in page.read_text()
    assert "&lt;script&gt;" in page.read_text()


def test_bad_input(penstock_in_process, tmp_path, class_folders):
    assert penstock_in_process("inspect", tmp_path / "nothing").status == 2
    (tmp_path / "noise.bin").write_bytes(b"no data set" * 50)
    result = penstock_in_process("inspect", tmp_path / "noise.bin")
    assert result.status == 1
    assert "is no data set of a known format" in result.errors
    result = penstock_in_process("inspect", class_folders, "--format", "tfrecrd")
    assert result.status == 2
    assert "not 'tfrecrd'" in result.errors
    (tmp_path / "cut.tar").write_bytes(b"x" * 511)
    result = penstock_in_process("inspect", tmp_path / "cut.tar", "--format", "webdataset")
    assert result.status == 1
    assert str(tmp_path / "cut.tar") in result.errors
    assert "Traceback" not in result.errors


@pytest.mark.slow
def test_a_pipe_that_closes(command, environment, class_folders):
    """As in `penstock inspect X | head -0`."""
    process = subprocess.Popen(
        [*command, "inspect", str(class_folders)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert errors == b""


def test_what_holds_no_sample_is_named(penstock_in_process, tmp_path):
    (tmp_path / "a" / "deeper").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    for name in ("1.jpg", "2.heic", "2.txt", "Thumbs.db", "notes.db"):
        (tmp_path / "a" / name).write_bytes(b"..")
    for name in ("readme.txt", "x.json", "sound.flac", ".hidden"):
        (tmp_path / name).write_bytes(b"..")
    result = penstock_in_process("inspect", tmp_path)
    beside = "files beside the class folders (3): readme.txt, sound.flac, x.json"
    assert f"left out  {beside}\n" in result.output
    assert "left out  folders in class folders (1): a/deeper\n" in result.output
    assert "left out  classes without samples (1): empty\n" in result.output
    assert "left out  files that are no image, sound or video (1): a/notes.db\n" in result.output
    assert "extensions  jpg (1), heic (1)\n" in result.output
    content = json.loads(penstock_in_process("inspect", tmp_path, "--json").output)
    assert content["left_out"] == {
        "files beside the class folders": ["readme.txt", "sound.flac", "x.json"],
        "folders in class folders": ["a/deeper"],
        "files that are no image, sound or video": ["a/notes.db"],
        "classes without samples": ["empty"],
    }


def test_a_folder_of_loose_files_is_named_as_such(penstock_in_process, tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.jpg").write_bytes(b"..")
    result = penstock_in_process("inspect", tmp_path)
    assert result.status == 1
    assert "3 files of images, sound or video that lie in no class folder" in result.errors
    assert "by fn.readers.file(file_root=..., table=..., columns=[...])" in result.errors


def test_a_table_alone_is_named_as_such(penstock_in_process, tmp_path):
    (tmp_path / "labels.csv").write_text("file,age\na.jpg,3\n")
    for path in (tmp_path, tmp_path / "labels.csv"):
        result = penstock_in_process("inspect", path)
        assert result.status == 1
        assert "by fn.readers.file(file_root=..., table=..., columns=[...])" in result.errors


def test_an_empty_folder_is_named_as_such(penstock_in_process, tmp_path):
    result = penstock_in_process("inspect", tmp_path)
    assert result.status == 1
    assert result.errors.endswith(f"{tmp_path} is a folder without files of data\n")
