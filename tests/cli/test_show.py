"""`penstock show`, from pipelines and from data on disk."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from penstock import datasets
from penstock.cli.pictures import tiles

from .terminals import on_terminal


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def test_a_pipeline_s_batch_becomes_a_png(penstock_in_process, pipelines, tmp_path):
    result = penstock_in_process("show", f"{pipelines}:scenes", "-o", tmp_path / "sheet.png")
    assert result.status == 0, result.errors
    sheet = cv2.imread(str(tmp_path / "sheet.png"))
    assert f"sheet.png ({sheet.shape[1]} x {sheet.shape[0]} pixels)" in result.output
    roles = [line.split("  ") for line in result.output.splitlines()[1:7]]
    assert [[cell for cell in row if cell][1].strip() for row in roles] == [
        "image",
        "mask",
        "boxes",
        "labels of the boxes",
        "label",
        "text",
    ]


def test_json_describes_the_outputs(penstock_in_process, pipelines):
    result = penstock_in_process("show", f"{pipelines}:scenes", "--json", "-n", 2)
    content = json.loads(result.output)
    assert content["file"] == "penstock-show.png"
    assert cv2.imread("penstock-show.png") is not None
    image = content["outputs"][0]
    assert (image["shown_as"], image["layout"], image["dtype"]) == ("image", "HWC", "uint8")
    assert image["shapes"] == [[40, 60, 3]] * 2


def test_the_form_of_boxes_can_be_given(penstock_in_process, pipelines):
    sheets = []
    for form in ("auto", "xyXY", "xyWH"):
        assert penstock_in_process("show", f"{pipelines}:scenes", "--boxes", form).status == 0
        sheets.append(cv2.imread("penstock-show.png"))
    assert np.array_equal(sheets[0], sheets[1])
    assert not np.array_equal(sheets[1], sheets[2])


def test_class_folders_are_shown_with_keys_and_names(penstock_in_process, class_folders):
    result = penstock_in_process("show", class_folders, "--side", 64, "--shuffle")
    assert result.status == 0, result.errors
    assert "encoded image" in result.output
    sheet = cv2.imread("penstock-show.png")
    assert sheet.shape[0] > 64
    assert sheet.shape[1] <= 1600


def test_arguments_of_the_function(penstock_in_process, pipelines, class_folders):
    given = ["--arg", f"folder={class_folders}", "--arg", "side=20"]
    result = penstock_in_process("show", f"{pipelines}:photos", *given, "--json")
    assert json.loads(result.output)["outputs"][0]["shapes"] == [[20, 20, 3]] * 16


def test_a_failing_pipeline_ends_with_a_message(penstock_in_process, pipelines):
    result = penstock_in_process("show", f"{pipelines}:failing")
    assert result.status == 1
    first, *notes = result.errors.splitlines()
    assert first.startswith("penstock: error: ")
    assert "ZeroDivisionError" in first
    assert any("external_source" in note for note in notes)
    assert "Traceback" not in result.errors


def test_a_damaged_file_does_not_hide_the_others(penstock_in_process, tmp_path):
    folder = tmp_path / "data" / "cats"
    folder.mkdir(parents=True)
    cv2.imwrite(str(folder / "a.jpg"), np.zeros((9, 9, 3), np.uint8))
    (folder / "b.jpg").write_bytes((folder / "a.jpg").read_bytes()[:100])
    assert penstock_in_process("show", tmp_path / "data").status == 0


def test_loose_files_are_shown_without_labels(penstock_in_process, class_folders):
    result = penstock_in_process("show", class_folders / "cats", "--json")
    content = json.loads(result.output)
    assert [each["name"] for each in content["outputs"]] == ["image"]
    assert content["outputs"][0]["shapes"] == [[48, 64, 3]] * 3
    result = penstock_in_process("show", class_folders / "cats" / "1.jpg", "--json")
    assert json.loads(result.output)["outputs"][0]["shapes"] == [[48, 64, 3]]


def test_paths_without_data(penstock_in_process, tmp_path):
    result = penstock_in_process("show", tmp_path / "nothing")
    assert result.status == 2
    assert "there is no such file or folder" in result.errors
    (tmp_path / "empty").mkdir()
    result = penstock_in_process("show", tmp_path / "empty")
    assert result.status == 1
    assert "is a folder without files of data" in result.errors


def test_options_without_effect_are_refused(penstock_in_process, pipelines, class_folders):
    scenes = f"{pipelines}:scenes"
    for arguments, error in (
        ((scenes, "--split", "val", "--shuffle"), "--shuffle and --split: for a PATH; a pipeline"),
        ((scenes, "--graph", "--boxes", "xyXY"), "--boxes: for a contact sheet, not for --graph"),
        ((class_folders, "--arg", "split=val"), "--arg: for a pipeline, not for a PATH"),
        ((class_folders / "cats", "--split", "val"), "has no split 'val'"),
    ):
        result = penstock_in_process("show", *arguments)
        assert result.status, arguments
        assert error in result.errors


def test_the_file_cannot_be_written(penstock_in_process, class_folders, tmp_path):
    result = penstock_in_process("show", class_folders, "-o", tmp_path / "no" / "sheet.png")
    assert result.status == 2
    assert f"{tmp_path}/no/sheet.png: No such file or directory" in result.errors


@pytest.mark.slow
def test_a_terminal_that_shows_pictures_shows_the_sheet(command, environment, class_folders):
    shown, status = on_terminal(
        [*command, "show", str(class_folders)], environment | {"TERM_PROGRAM": "ghostty"}
    )
    assert status == 0
    assert "\x1b_Ga=T,f=100" in shown
    assert "penstock-show.png" not in shown
    assert "\x1b[1moutput" in shown  # the table's head is bold


def test_a_protocol_can_be_demanded(penstock_in_process, class_folders):
    result = penstock_in_process("show", class_folders, "--terminal", "sixel")
    assert result.output.startswith("\x1bPq")


def drawn_texts(monkeypatch):
    """Return the list that all texts of pictures are added to."""
    texts = []
    draw = tiles.draw_text

    def draw_text(picture, text, *arguments):
        texts.append(text)
        draw(picture, text, *arguments)

    monkeypatch.setattr(tiles, "draw_text", draw_text)
    return texts


def test_labels_of_a_pipeline_have_the_names_of_their_folders(
    penstock_in_process, pipelines, class_folders, monkeypatch
):
    texts = drawn_texts(monkeypatch)
    given = ["--arg", f"folder={class_folders}", "--arg", "side=200", "-n", 6, "--side", 200]
    assert penstock_in_process("show", f"{pipelines}:photos", *given).status == 0
    assert sum("cats (0)" in text for text in texts) == 3
    assert sum("dogs (1)" in text for text in texts) == 3


def test_a_batch_of_one_class_has_the_name_of_the_data_set(
    penstock_in_process, pipelines, class_folders, monkeypatch
):
    texts = drawn_texts(monkeypatch)
    given = ["--arg", f"folder={class_folders}", "--arg", "side=200", "-n", 3, "--side", 200]
    assert penstock_in_process("show", f"{pipelines}:photos", *given).status == 0
    assert sum("cats (0)" in text for text in texts) == 3


def test_a_batch_of_shards_has_the_names_of_the_manifest(
    penstock_in_process, class_folders, tmp_path, monkeypatch
):
    datasets.convert(class_folders, tmp_path / "shards", to="webdataset")
    shard = next((tmp_path / "shards").glob("*.tar"))
    program = tmp_path / "shards.py"
    program.write_text(
        "from penstock import fn, pipeline_def, types\n"
        "@pipeline_def(num_threads=1)\n"
        "def shards():\n"
        "    dtypes = [types.UINT8, types.INT32]\n"
        f"    paths = {str(shard)!r}\n"
        "    image, label = fn.readers.webdataset(paths=paths, ext=['jpg', 'cls'], dtypes=dtypes)\n"
        "    return fn.decoders.image(image), label\n"
    )
    texts = drawn_texts(monkeypatch)
    result = penstock_in_process("show", f"{program}:shards", "-n", 2, "--side", 200)
    assert result.status == 0, result.errors
    assert sum("cats (0)" in text for text in texts) == 2


def test_few_samples_of_class_folders_are_of_all_classes(
    penstock_in_process, class_folders, monkeypatch
):
    texts = drawn_texts(monkeypatch)
    assert penstock_in_process("show", class_folders, "-n", 2, "--side", 200).status == 0
    assert [text for text in texts if text.startswith("#")] == ["#0 cats (0)", "#3 dogs (1)"]


def test_a_url_is_shown(penstock_in_process, class_folders, web):
    for path in class_folders.glob("*/*.jpg"):
        web.objects[f"set/{path.relative_to(class_folders)}"] = path.read_bytes()
    result = penstock_in_process("show", f"{web.url}/set", "-o", "url.png")
    assert result.status == 0, result.errors
    assert cv2.imread("url.png") is not None


def test_a_sheet_is_a_png(penstock_in_process, class_folders):
    result = penstock_in_process("show", class_folders, "-o", "sheet.jpg")
    assert (result.status, "sheet.jpg: a contact sheet is written as .png" in result.errors) == (
        2,
        True,
    )
