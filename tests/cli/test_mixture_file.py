"""Commands on a file that lists the sources of a mixture."""

import json

import cv2
import pytest

from penstock.cli.target import parse_target

from ..readers.energon_sets import prepared

yaml = pytest.importorskip("yaml")


@pytest.fixture
def file(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        prepared(tmp_path / name)
    blend = [{"path": "one", "weight": 3}, {"path": "two", "weight": 1}]
    file = tmp_path / "all.yaml"
    file.write_text(yaml.safe_dump({"splits": {"train": {"blend": blend}}}))
    return file


def test_inspect_tells_shares_samples_and_epochs(penstock_in_process, file):
    result = penstock_in_process("inspect", file)
    assert result.status == 0, result.errors
    first, _, *rows = result.output.splitlines()
    assert first == f"{file}  2 sources of 24 samples an epoch"
    assert [row.split() for row in rows] == [
        ["one", "6", "0.7500", "18", "3.00"],
        ["two", "6", "0.2500", "6", "1.00"],
    ]
    content = json.loads(penstock_in_process("inspect", file, "--json").output)
    assert content["one"] == {"samples": 6, "share": 0.75, "samples_of_epoch": 18, "epochs": 3}


def test_inspect_of_a_split_that_is_not_there(penstock_in_process, file):
    result = penstock_in_process("inspect", file, "--split", "test")
    assert result.status == 2
    assert "has no split 'test'" in result.errors


def test_inspect_of_speech(penstock_in_process, tmp_path):
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(tmp_path / "a.wav", [0.0] * 800, 8000)
    entry = {"audio_filepath": str(tmp_path / "a.wav"), "duration": 0.1, "text": "a"}
    (tmp_path / "a.json").write_text(json.dumps(entry))
    source = {"type": "nemo", "manifest_filepath": str(tmp_path / "a.json")}
    (tmp_path / "cfg.yml").write_text(yaml.safe_dump([source]))
    result = penstock_in_process("inspect", tmp_path / "cfg.yml")
    assert result.status == 0, result.errors
    assert "1 sources of 1 samples an epoch" in result.output


def test_show_and_bench_take_it_as_a_pipeline(penstock_in_process, file, tmp_path):
    sheet = tmp_path / "sheet.png"
    result = penstock_in_process("show", file, "--arg", "ext=['jpg']", "-o", sheet)
    assert result.status == 0, result.errors
    assert cv2.imread(str(sheet)) is not None
    assert str(parse_target(str(file))) == str(file)
    result = penstock_in_process("show", file, "--split", "val")
    assert "--split: for a PATH; a pipeline takes arguments as --arg NAME=VALUE" in result.errors
    result = penstock_in_process("inspect", file, "--html", tmp_path / "page.html")
    assert "--html: for a data set, not for a file of a mixture" in result.errors
    result = penstock_in_process("show", file)
    assert "the argument 'ext' must be given" in result.errors
    result = penstock_in_process("bench", file, "--arg", "ext=['jpg']", "--seconds", 0.2, "--json")
    assert result.status == 0, result.errors
    assert json.loads(result.output)["samples"]


def test_another_yaml_file_is_no_mixture(penstock_in_process, tmp_path):
    file = tmp_path / "data.yaml"
    file.write_text("names: [cat]")
    assert parse_target(str(file)) == str(file)
    file.write_text("{")
    assert "is damaged" in penstock_in_process("inspect", file).errors
