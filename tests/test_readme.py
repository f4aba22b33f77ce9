"""README.md: its program trains as the page says, and the page is short."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.tests.examples import ROOT
from penstock.tests.packages import PAGES, commands_of

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_page_is_short_and_its_links_lead_to_files():
    assert len(TEXT.splitlines()) <= 90
    links = re.findall(r"\]\(([\w/.]+)(?:#[\w-]+)?\)", TEXT)
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).is_file()] == []
    for command in ("make demo", "make test", "examples/make_data.py"):
        assert command in TEXT


def test_the_start_page_has_the_same_commands_of_installation():  # `make pythons` runs them
    readme, start = (commands_of(ROOT / page) for page in PAGES)
    assert readme == start
    assert [command[:2] for command in readme] == [["install", "torch"], ["install", "."]]


def test_the_program_trains(tmp_path, monkeypatch, capsys):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    monkeypatch.chdir(tmp_path)
    make_data = [sys.executable, str(ROOT / "examples" / "make_data.py"), "data"]
    subprocess.run([*make_data, "--only", "photos"], check=True)
    (program,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    (printed,) = re.findall(r"```text\n(.*?)```", TEXT, re.S)
    assert len([line for line in program.splitlines() if line.strip()]) <= 23
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # else threads of a busy machine wait for each other
    torch.manual_seed(1)
    try:
        exec(compile(program, "README.md", "exec"), {"__name__": "__main__"})
    finally:
        torch.set_num_threads(threads)
    form = r"epoch (\d+): (\d+)% right\n"
    found, said = (re.findall(form, text) for text in (capsys.readouterr().out, printed))
    assert re.sub(form, "", printed) == ""
    assert [epoch for epoch, _ in found] == [epoch for epoch, _ in said]
    # The order of the photos is drawn anew.
    assert [float(right) for _, right in found] == pytest.approx(
        [float(right) for _, right in said], abs=10
    )
    assert Path("data/photos/train").is_dir()
