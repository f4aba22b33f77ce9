"""`penstock verify`: equal, different and damaged data sets."""

from __future__ import annotations

import json
import shutil

import pytest

from penstock import datasets


@pytest.fixture
def shards(class_folders, tmp_path):
    datasets.convert(class_folders, tmp_path / "shards", to="webdataset", shuffle_seed=3)
    return tmp_path / "shards"


def test_equal_whatever_format_and_order(penstock_in_process, class_folders, shards):
    result = penstock_in_process("verify", class_folders, shards)
    assert result.status == 0
    assert result.output == f"equal {class_folders} and {shards}: 6 samples\n"
    assert result.errors == ""


def test_differences_are_listed(penstock_in_process, class_folders, shards, tmp_path):
    changed = tmp_path / "changed"
    shutil.copytree(class_folders, changed)
    (changed / "cats" / "0.jpg").write_bytes(b"changed")
    (changed / "dogs" / "1.jpg").unlink()
    (changed / "dogs" / "7.jpg").write_bytes(b"new")
    result = penstock_in_process("verify", changed, shards)
    assert result.status == 1
    lines = result.output.splitlines()
    assert lines[0] == f"not equal {changed}: 6 samples; {shards}: 6 samples"
    assert lines[1:] == [
        f"1 only in {changed}:",
        "  dogs/7",
        f"1 only in {shards}:",
        "  dogs/1",
        "1 with different content:",
        "  cats/0",
    ]
    content = json.loads(penstock_in_process("verify", changed, shards, "--json").output)
    assert content["ok"] is False
    assert content["counts"] == {"only_a": 1, "only_b": 1, "different": 1, "repeated": 0}


def test_damaged_samples_go_to_the_quarantine_list(penstock_in_process, class_folders, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(class_folders, broken)
    (broken / "dogs" / "2.jpg").write_bytes((broken / "dogs" / "2.jpg").read_bytes()[:200])
    assert penstock_in_process("verify", broken).status == 0  # all bytes can be read
    log = tmp_path / "bad.jsonl"
    result = penstock_in_process("verify", broken, "--decode", "--quarantine", log)
    assert result.status == 1
    assert result.output.startswith(f"damaged {broken}: 6 samples\n1 damaged:\n")
    (line,) = log.read_text().splitlines()
    bad = json.loads(line)
    assert bad["index"] == 5
    assert bad["location"].endswith("dogs/2.jpg")
    assert bad["reason"]


def test_a_sound_data_set_has_an_empty_list(penstock_in_process, shards, tmp_path):
    result = penstock_in_process("verify", shards, "--quarantine", tmp_path / "bad")
    assert result.output == f"sound {shards}: 6 samples\n"
    assert (tmp_path / "bad").read_text() == ""


def test_long_lists_are_cut(penstock_in_process, tmp_path):
    for name, count in (("a", 9), ("b", 1)):
        (tmp_path / name / "x").mkdir(parents=True)
        for i in range(count):
            (tmp_path / name / "x" / f"{i}.jpg").write_text("same")
    output = penstock_in_process("verify", tmp_path / "a", tmp_path / "b").output
    assert "8 only in" in output
    assert len(output.splitlines()) == 8
    assert output.endswith("  ...\n")


def test_what_is_left_out_is_listed(penstock_in_process, class_folders, shards, tmp_path):
    class_folders = shutil.copytree(class_folders, tmp_path / "copy")
    for name in ("README.md", "cats/notes.txt", "cats/a.part", ".ipynb_checkpoints/x.jpg"):
        (class_folders / name).parent.mkdir(exist_ok=True)
        (class_folders / name).write_bytes(b"..")
    result = penstock_in_process("verify", class_folders, shards)
    assert result.status == 0
    title = f"left out of {class_folders}  "
    assert result.output.splitlines() == [
        f"equal but for what is left out: {class_folders} and {shards}: 6 samples",
        f"{title}hidden folders with data (1): .ipynb_checkpoints",
        f"{title}files beside the class folders (1): README.md",
        f"{title}files that are no image, sound or video (2): cats/a.part, cats/notes.txt",
    ]
    content = json.loads(penstock_in_process("verify", class_folders, shards, "--json").output)
    assert content["left_out"][0]["files beside the class folders"] == ["README.md"]
    assert content["left_out"][1] == {}


def test_the_format_of_the_first_is_named(penstock_in_process, tmp_path):
    (tmp_path / "texts" / "pos").mkdir(parents=True)
    (tmp_path / "texts" / "pos" / "1.txt").write_text("good")
    named = ("--format", "folder")
    for arguments in (("convert", "--to", "tfrecord"), ("verify",)):
        command = (arguments[0], tmp_path / "texts", tmp_path / "records", *arguments[1:])
        assert penstock_in_process(*command).status == 1
        assert penstock_in_process(*command, *named).status == 0


def test_wrong_usage(penstock_in_process, class_folders, tmp_path):
    result = penstock_in_process("verify", class_folders, tmp_path / "nothing")
    assert result.status == 2
    assert "nothing: there is no such file or folder" in result.errors
    result = penstock_in_process("verify", class_folders, "--quarantine", tmp_path / "no" / "log")
    assert result.status == 2
    assert "no/log: No such file or directory" in result.errors


def test_a_damaged_shard_is_listed_rescued_and_left_out(
    penstock_in_process, class_folders, tmp_path
):
    shards, listed, rescued = (tmp_path / name for name in ("shards", "bad.jsonl", "rescued"))
    datasets.convert(class_folders, shards, to="tfrecord", shard_count=3)
    path = shards / "shard-00001.tfrecord"
    path.write_bytes(path.read_bytes()[:-5])
    result = penstock_in_process("verify", shards, "--quarantine", listed)
    assert result.status == 1
    assert result.output.startswith(f"damaged {shards}: 5 samples\n2 damaged:\n  {path}: record 1 ")
    assert json.loads(listed.read_text().splitlines()[0])["location"] == str(path)

    result = penstock_in_process("inspect", shards)
    assert result.status == 0
    assert f"damaged  {path}: record 1 at offset" in result.output
    content = json.loads(penstock_in_process("inspect", shards, "--json").output)
    assert [bad["location"] for bad in content["bad"]] == [str(path)]

    command = ("convert", shards, rescued, "--to", "webdataset")
    assert penstock_in_process(*command).status == 1
    again = tmp_path / "again.jsonl"
    result = penstock_in_process(*command, "--overwrite", "--skip-bad", "--quarantine", again)
    assert result.status == 0
    assert f"; 1 damaged sample or file left out, the first: {path}: record 1" in result.output
    assert again.read_text() == listed.read_text().splitlines(keepends=True)[0]
    result = penstock_in_process("verify", shards, rescued, "--without", again)
    assert (result.status, result.output) == (0, f"equal {shards} and {rescued}: 5 samples\n")
    result = penstock_in_process("convert", shards, tmp_path / "b", "--to", "lmdb", "--only", again)
    assert result.status == 2
    assert "leave none" in result.errors
    assert penstock_in_process(*command, "--overwrite", "--without", again).status == 0
