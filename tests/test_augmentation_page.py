"""docs/augmentation.md: its example runs, and its table names operators with their devices."""

from __future__ import annotations

import re

import numpy as np

from penstock.engine.graph.operator import OPERATORS
from penstock.tests.checkout import ROOT

PAGE = ROOT / "docs" / "augmentation.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_example_runs_and_prints_the_same_each_time(capsys):
    program = compile(re.search(r"```python\n(.*?)```", TEXT, re.S)[1], str(PAGE), "exec")
    printed = []
    for _ in range(2):
        exec(program, {"__name__": "an_example"})
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert [line[:12] for line in printed[0].splitlines()] == [
        f"(60, {80 + i}, 3) " for i in range(4)
    ]


def test_pairs_stay_together():
    names = {"__name__": "an_example"}
    for program in re.findall(r"```python\n(.*?)```", TEXT, re.S):
        exec(compile(program, str(PAGE), "exec"), names)
    whole = np.repeat(np.arange(80, dtype=np.uint8)[None, :, None] * 3, 60, axis=0)
    names["photographs"] = [np.repeat(whole, 3, axis=2)] * 4
    for define in (names["pairs"], names["pairs_with_a_seed"]):
        with define() as pipe:
            for image, mask in zip(*(output.rows() for output in pipe.run()), strict=True):
                columns = (image[:, :, 0] > 128) == (mask[:, :, 0] > 0)
                assert columns.mean() > 0.9


def test_the_table_names_operators_and_their_devices():
    lines = re.findall(r"^\| (`.*`) \| .* \| (.*) \|$", TEXT, re.MULTILINE)
    assert len(lines) > 10
    for names, devices in lines:
        for name in re.findall(r"`(.*?)`", names):
            found = [OPERATORS[n] for n in OPERATORS if re.fullmatch(name.replace("*", r"\w+"), n)]
            assert found, name
            assert {operator.devices for operator in found} == {
                tuple(devices.lower().split(", "))
            }, name
