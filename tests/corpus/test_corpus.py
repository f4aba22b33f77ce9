"""The corpus's runner: files that end a judge's process, hold it, or are judged."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from .__main__ import faults
from .media import medium_of
from .runner import judge_files
from .verdicts import Kind


@pytest.mark.parametrize(
    ("name", "medium"),
    [("a.PNG", "images"), ("b.flac", "audio"), ("c.webm", "video"), ("d.txt", None), ("e", None)],
)
def test_medium(name, medium):
    assert medium_of(Path(name)) == medium


def test_agreement_and_refusal(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    encoded = cv2.imencode(".png", pixels)[1].tobytes()
    (tmp_path / "whole.png").write_bytes(encoded)
    (tmp_path / "cut.png").write_bytes(encoded[:60])
    (tmp_path / "notes.txt").write_text("no image")
    run = subprocess.run(
        [sys.executable, "-m", "penstock.tests.corpus", str(tmp_path), "--verbose"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "agree: 'whole.png'" in run.stdout
    assert "refused by all: 'cut.png'" in run.stdout
    assert "2 passed, 0 failed" in run.stdout


def test_crash_and_hang_are_verdicts(tmp_path, monkeypatch):
    crash, hang, whole = tmp_path / "crash.png", tmp_path / "hang.png", tmp_path / "whole.png"
    code = (
        "import ctypes, json, sys, time\n"
        "for line in sys.stdin:\n"
        "    if 'crash.png' in line: ctypes.string_at(0)\n"
        "    if 'hang.png' in line: time.sleep(60)\n"
        "    print(json.dumps(['agree', '']), flush=True)\n"
    )
    monkeypatch.setattr(f"{__package__}.runner.WORKER", [sys.executable, "-c", code])
    verdicts = dict(judge_files([crash, hang, whole], processes=1, seconds=2.0, logs=tmp_path))
    assert verdicts[crash].kind == Kind.CRASH
    assert "exit status -11" in verdicts[crash].detail
    assert verdicts[hang].kind == Kind.HANG
    assert verdicts[whole].kind == Kind.AGREE


def test_faults():
    table = Counter({("images", Kind.AGREE): 99, ("images", Kind.REFUSED_BY_ALL): 900})
    assert faults(table) == []
    table["images", Kind.REFUSED_WITH_REASON] = 1
    assert faults(table) == []
    table["images", Kind.REFUSED_WITH_REASON] = 2
    assert faults(table) == ["2 of 101 readable images are refused"]
    table["audio", Kind.CRASH] = 1
    assert faults(table)[0] == "1 audio: crash"
