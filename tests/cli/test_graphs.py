"""`penstock show --graph`."""

from __future__ import annotations

import json
import shutil

import pytest


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(
        "from penstock import Pipeline, fn, pipeline_def, types\n"
        "@pipeline_def(num_threads=1)\n"
        "def training(side=4):\n"
        "    images = fn.zeros(shape=[side, side, 3], dtype=types.UINT8)\n"
        "    images = fn.reshape(images, layout='HWC', name='images')\n"
        "    return fn.flip(images, horizontal=fn.random.coin_flip())\n"
        "made = training(batch_size=2)\n"
        "@pipeline_def(batch_size=2, num_threads=1)\n"
        "def short():\n"
        "    return fn.external_source([[[1], [2]]], cycle='no')\n"
        "@pipeline_def(batch_size=2, num_threads=1)\n"
        "def broken():\n"
        "    return fn.crop(fn.zeros(shape=[4, 5, 3]), crop=[9, 9], out_of_bounds_policy='error')\n"
    )
    return path


def test_a_tree_with_data_lines_and_times(penstock_in_process, program):
    result = penstock_in_process("show", f"{program}:training", "--graph", "--arg", "side=6")
    assert result.status == 0, result.errors
    lines = result.output.splitlines()
    assert lines[0].split() == ["operator", "data", "line", "time"]
    assert lines[1].startswith("output 0: fn.flip")
    assert lines[2].startswith("├─ fn.reshape 'images'")
    assert "UINT8 HWC" in lines[2]
    assert "train.py:5" in lines[2]
    assert lines[2].endswith(" %")
    assert lines[4].startswith("└─ horizontal: fn.random.coin_flip")
    assert len(lines) == 5


def test_text_for_graphviz(penstock_in_process, program, tmp_path):
    file = tmp_path / "graph.dot"
    result = penstock_in_process("show", f"{program}:training", "--graph", "-o", file)
    assert result.status == 0, result.errors
    assert "wrote" in result.output
    assert file.read_text().startswith("digraph graphname {")


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_pictures(penstock_in_process, program, tmp_path, ending):
    file = tmp_path / f"graph{ending}"
    result = penstock_in_process("show", f"{program}:training", "--graph", "-o", file)
    if shutil.which("dot") is None:
        assert result.status == 1
        assert "apt install graphviz" in result.errors
        assert "graph.dot" in result.errors
        return
    assert result.status == 0, result.errors
    start = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[ending]
    assert file.read_bytes().startswith(start)


def test_json(penstock_in_process, program):
    result = penstock_in_process("show", f"{program}:training", "--graph", "--json")
    content = json.loads(result.output)
    operators = {each["operator"]: each for each in content["operators"]}
    assert set(operators) == {"zeros", "reshape", "random.coin_flip", "flip"}
    flip = operators["flip"]
    assert flip["inputs"] == ["images"]
    assert flip["arguments"] == {"horizontal": operators["random.coin_flip"]["name"]}
    assert flip["outputs"] == [{"name": flip["name"], "data": "UINT8 HWC", "layout": "HWC"}]
    assert sum(operator["time"] or 0 for operator in operators.values()) == pytest.approx(1)
    assert content["outputs"] == [flip["name"]]


def test_a_pipeline_that_is_made_already_and_one_that_ends(penstock_in_process, program):
    made = penstock_in_process("show", f"{program}:made", "--graph")
    assert made.status == 0, made.errors
    assert "UINT8 HWC" in made.output
    short = penstock_in_process("show", f"{program}:short", "--graph")
    assert short.status == 0, short.errors
    assert "output 0: fn.external_source  INT64" in short.output


@pytest.mark.parametrize(
    ("name", "options", "status", "message"),
    [
        ("", (), 2, "is no pipeline; --graph needs FILE.py:NAME"),
        (":training", ("-o", "graph.gif"), 2, "a graph is written as .svg, .png, .pdf or .dot"),
        (":broken", (), 1, "crop"),
    ],
)
def test_what_cannot_be_drawn(penstock_in_process, program, name, options, status, message):
    result = penstock_in_process("show", f"{program}{name}", "--graph", *options)
    assert message in result.errors
    assert result.status in (status, 2)
