"""docs/conditionals.md: its programs run, and its messages are those of errors."""

from __future__ import annotations

import linecache
import re

from penstock.tests.checkout import ROOT

TEXT = (ROOT / "docs" / "conditionals.md").read_text(encoding="utf-8")


def test_the_programs_run(capsys):
    names = {"__name__": "an_example"}
    for number, program in enumerate(re.findall(r"```python\n(.*?)```", TEXT, re.S)):
        file = f"<conditionals {number}>"
        linecache.cache[file] = len(program), None, program.splitlines(keepends=True), file
        exec(compile(program, file, "exec"), names)
    *images, numbers = capsys.readouterr().out.splitlines()
    assert images == [
        "80 (60, 80, 3) uint8",
        "90 (60, 90, 3) uint8",
        "100 (60, 90, 3) uint8",
        "110 (60, 90, 3) uint8",
    ]
    assert numbers == "[ 5 10]"


def test_the_messages_are_in_the_sources():
    messages = re.findall(r"^\| `(.*?)` \| ", TEXT.partition("## Errors")[2], re.MULTILINE)
    assert len(messages) == 6
    folders = ("graph", "conditions")
    files = [file for name in folders for file in (ROOT / "engine" / name).glob("*.py")]
    sources = re.sub(r'"\n\s*f?"|`', "", " ".join(file.read_text("utf-8") for file in files))
    for message in messages:
        for part in re.split(r"Variable 'y' | the else branch", message):
            assert part.strip() in sources, message
