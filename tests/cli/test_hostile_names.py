"""Names, texts and messages out of data sets: none controls a terminal, none ends a command."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import cv2
import numpy as np
import pytest

from penstock.tests.readers import tars

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202e"
COMMANDS = (
    ("inspect", "names.tar"),
    ("inspect", "manifest.json"),
    ("inspect", f"evil{EVIL}"),
    ("inspect", f"none{EVIL}"),
    ("verify", "names.tar", "other.tar"),
    ("verify", "--decode", "names.tar"),
    ("verify", "--decode", "folder"),
    ("verify", "classes"),
    ("show", "folder", "-o", "x.png"),
    ("show", "classes", "-o", f"y{EVIL}.png"),
    ("inspect", "classes", "--png", f"z{EVIL}.png"),
    ("convert", "names.tar", "out", "--to", "folder"),
    ("convert", "folder", f"out{EVIL}", "--to", "webdataset"),
    ("index", "folder"),
    (f"bogus{EVIL}",),
    ("convert", "folder", "out2", f"--to={EVIL}"),
)


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A folder with data sets whose names and texts hold control characters."""
    monkeypatch.chdir(tmp_path)
    key = f"k{EVIL}"
    entries = ((f"{key}.jpg", b"no picture"), (f"{key}.t{EVIL}.txt", f"text {EVIL}".encode()))
    for name in ("names.tar", f"evil{EVIL}"):
        tars.write(
            tmp_path / name, *(tars.entry(each.encode(), content) for each, content in entries)
        )
    tars.write(tmp_path / "other.tar", tars.entry(b"k.txt", b"text"))
    line = {"audio_filepath": f"a{EVIL}.wav", "duration": 1, "text": EVIL}
    (tmp_path / "manifest.json").write_text(json.dumps(line) + "\n")
    picture = cv2.imencode(".png", np.zeros((9, 9, 3), np.uint8))[1].tobytes()
    for folder, name, content in (
        ("folder/c0", f"bad{EVIL}.jpg", b"no picture"),
        (f"classes/c{EVIL}", "a.png", picture),
    ):
        os.makedirs(folder)
        (tmp_path / folder / name).write_bytes(content)


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    "arguments", COMMANDS, ids=lambda each: " ".join(each)[:30].split("\x1b")[0]
)
def test_nothing_controls_the_terminal(penstock_in_process, arguments):
    result = penstock_in_process(*arguments)
    printed = result.output + result.errors
    assert printed
    assert not set(EVIL) - set("]0;owned[2J31m") & set(printed)


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    "arguments", [("inspect", "names.tar"), ("verify", "names.tar", "other.tar")]
)
def test_json_has_names_as_they_are(penstock_in_process, arguments):
    found = json.loads(penstock_in_process(*arguments, "--json").output)
    assert repr(EVIL)[1:-1] in repr(found)


def test_tracebacks_and_warnings_are_harmless(environment):
    program = (
        "import sys, warnings; from penstock.cli.console import guard_terminal; guard_terminal(); "
        f"warnings.warn({EVIL!r}); raise OSError({EVIL!r})"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    assert result.stderr.count("\\x1b]0;owned") >= 2
    assert not {"\x1b", "\x07", "\x9b"} & set(result.stderr)


@pytest.fixture
def no_unicode(tmp_path, monkeypatch):
    """Pictures whose names and classes are no valid Unicode."""
    monkeypatch.chdir(tmp_path)
    picture = cv2.imencode(".jpg", np.zeros((20, 20, 3), np.uint8))[1].tobytes()
    os.makedirs("photos/c0")
    os.makedirs(b"photos/caf\xe9")
    for path in (b"photos/c0/caf\xe9.jpg", b"photos/caf\xe9/a.jpg"):
        with open(path, "wb") as file:
            file.write(picture)
    os.mkdir("coco")
    (tmp_path / "coco" / "a.jpg").write_bytes(picture)
    box = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 9, 9]}
    content = {
        "images": [{"id": 1, "file_name": "a.jpg", "height": 20, "width": 20}],
        "annotations": [box],
        "categories": [{"id": 1, "name": "half of a pair \ud83d"}],
    }
    (tmp_path / "coco" / "instances.json").write_text(json.dumps(content))


@pytest.mark.slow
@pytest.mark.usefixtures("no_unicode")
def test_names_that_are_no_unicode_are_drawn(environment, command):
    for arguments in (
        ("inspect", "photos", "--html", "x.html", "--png", "y.png"),
        ("show", "coco", "-o", "z.png"),
    ):
        result = subprocess.run([*command, *arguments], capture_output=True, env=environment)
        assert result.returncode == 0, (arguments, result.stderr)


@pytest.mark.usefixtures("no_unicode")
def test_a_name_that_is_no_unicode_can_be_left_out(penstock_in_process):
    convert = ("convert", "photos", "out", "--to", "webdataset")
    failed = penstock_in_process(*convert)
    assert failed.status == 2
    condition = failed.errors.partition("leave it out by `where`: ")[2].splitlines()[0]
    assert condition == r"key != 'c0/caf\udce9'"
    assert penstock_in_process(*convert, "--overwrite", "--where", condition).status == 2
    both = rf"{condition} and key != 'caf\udce9/a'"
    assert "selects none" in penstock_in_process(*convert, "--overwrite", "--where", both).errors
