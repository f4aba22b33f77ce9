from __future__ import annotations

import os

import pytest

from penstock.cli.probes.finding import Context, Finding
from penstock.cli.probes.sample import sample_file, sample_size
from penstock.cli.probes.storage import file_system

MIB = 1 << 20
QUICK = {"limit": 60, "tick": lambda name: None}


def folder(free):
    return Finding("file system", "ok", values={"file_type": "folder", "free": free})


@pytest.mark.parametrize(
    ("free", "size"),
    [(0, 0), (4 * MIB - 1, 0), (4 * MIB, MIB), (11 * MIB, 2 * MIB), (1 << 50, 256 * MIB)],
)
def test_how_much_is_written(free, size):
    assert sample_size(free) == size


def test_a_file_is_made_and_removed(tmp_path):
    with sample_file(str(tmp_path), folder(16 * MIB), **QUICK) as sample:
        assert sample.reason == ""
        assert os.listdir(tmp_path) == [os.path.basename(sample.path)]
        assert os.path.getsize(sample.path) == 4 * MIB
    assert os.listdir(tmp_path) == []


def test_an_exception_removes_the_file(tmp_path):
    with pytest.raises(KeyboardInterrupt), sample_file(str(tmp_path), folder(16 * MIB), **QUICK):
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_too_little_space(tmp_path):
    with sample_file(str(tmp_path), folder(3 * MIB), **QUICK) as sample:
        assert sample.path is None
        assert sample.reason == f"only 3 MiB are free in {tmp_path}"
    assert os.listdir(tmp_path) == []


def test_a_folder_in_which_nothing_can_be_written():
    with sample_file("/sys", folder(1 << 40), **QUICK) as sample:
        assert sample.path is None
        assert sample.reason.startswith("no file can be written in /sys: ")


def test_a_file_of_the_user_is_read_and_left_alone(tmp_path):
    path = tmp_path / "mine"
    for size, reason in ((MIB, ""), (MIB - 1, "the file has less than 1 MiB")):
        path.write_bytes(bytes(size))
        disk = file_system(Context(str(path)))
        with sample_file(str(path), disk, **QUICK) as sample:
            assert (sample.path, sample.reason) == (str(path), reason)
        assert path.stat().st_size == size


def test_a_disk_that_gave_no_answer_is_not_touched(tmp_path):
    silent = Finding("file system", "broken", "gave no answer within 10 s")
    with sample_file(str(tmp_path), silent, **QUICK) as sample:
        assert sample.reason == f"{tmp_path}: gave no answer within 10 s"
