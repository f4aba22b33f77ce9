"""docs/augmentation.md: its example runs, and its table names operators with their devices."""

from __future__ import annotations

import re
from pathlib import Path

import penstock
from penstock.engine.graph.operator import OPERATORS

PAGE = Path(penstock.__file__).resolve().parent / "docs" / "augmentation.md"
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
