"""docs/errors.md: each program meets the error that stands below it."""

import re
import shutil

import pytest

from penstock.tests.checkout import ROOT

PAGE = ROOT / "docs" / "errors.md"
CASE = re.compile(r"^## (.+?)\n\n```python\n(.+?)```\n\n```text\n(.+?)```\n\n\S", re.M | re.S)
CASES = CASE.findall(PAGE.read_text(encoding="utf-8"))
BEGINNING = PAGE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]


def test_each_section_is_a_case():
    assert len(CASES) == PAGE.read_text(encoding="utf-8").count("\n## ") > 20


@pytest.mark.parametrize(
    ("program", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_the_program_meets_the_error(program, message, photo_tree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(photo_tree.root, "photos")
    names = {}
    exec(BEGINNING, names)
    with pytest.raises(Exception) as caught:
        exec(compile(program, "train.py", "exec"), names)
    text = f"{type(caught.value).__name__}: {caught.value}\n"
    text += "\n".join(getattr(caught.value, "__notes__", ()))
    assert comparable(text.replace(f"{tmp_path}/", "")) == comparable(message)


def comparable(message):
    """Return a message without line breaks and durations."""
    return re.sub(r"\d\.\d s", "", " ".join(message.split()))
