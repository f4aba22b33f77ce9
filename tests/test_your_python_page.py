"""docs/your_python.md: its program runs, as a file of its own and in a test's process."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from penstock.tests.checkout import ROOT, SOURCES

TEXT = (ROOT / "docs" / "your_python.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_program_runs_as_a_file(tmp_path):
    (program,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    assert program.count("\n") <= 40
    (tmp_path / "training.py").write_text(program)
    result = subprocess.run(
        [sys.executable, "-W", "error", str(tmp_path / "training.py")],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(SOURCES), "PATH": ""},
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split("\n") == [f"{epoch} 63 (4000,)" for epoch in range(3)] + [""]
