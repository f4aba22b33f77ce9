"""docs/damaged.md: a cut shard and a wrong byte are found, left out, and trained around."""

import json
import os
import re
import shlex
from pathlib import Path

import cv2
import numpy as np
import pytest

from penstock import datasets
from penstock.cli.main import run as penstock_run
from penstock.tests.checkout import ROOT

TEXT = (ROOT / "docs" / "damaged.md").read_text("utf-8")
COMMANDS = re.findall(r"^\$ penstock (.+)$", TEXT, flags=re.MULTILINE)
STATUSES = [1, 0, 0, 0]


@pytest.fixture
def shards(tmp_path, monkeypatch):
    """Four shards of five images: the third is cut, and an image of the last has a wrong byte."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    noise = np.random.default_rng(0)
    for number in range(20):
        path = tmp_path / "photos" / "ab"[number // 10] / f"{number:02d}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), noise.integers(0, 255, (40, 40, 3), np.uint8))
    datasets.convert("photos", "shards", to="webdataset", shard_count=4)
    cut, wrong = (Path("shards", f"shard-0000{number}.tar") for number in (2, 3))
    os.truncate(cut, cut.stat().st_size // 2)
    content = wrong.read_bytes()
    wrong.write_bytes(content.replace(b"\xff\xdb", b"\xff\x01", 1))


def test_the_commands(shards):
    statuses = [penstock_run(shlex.split(command)) for command in COMMANDS]
    assert statuses == STATUSES
    found = [json.loads(line) for line in Path("bad.jsonl").read_text().splitlines()]
    assert sum(bad["index"] >= 0 for bad in found) == 1
    assert [len(datasets.open_dataset(name)) for name in ("rescued", "decodable")] == [17, 16]


def test_the_program(shards):
    (program,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    with pytest.warns(RuntimeWarning, match=r"1 file is damaged: .*shard-00002\.tar.* 17 are left"):
        exec(program, {})
    (line,) = Path("log.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert (record["action"], record["samples"]) == ("file read in part", 2)
    assert 0 < record["offset"] < os.path.getsize("shards/shard-00002.tar")
