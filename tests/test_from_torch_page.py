"""docs/from_torch.md: both programs run, and hand out batches of one kind."""

import re
from pathlib import Path

import pytest

from penstock.tests.checkout import ROOT

from .torchvision_library import load_torchvision

PAGE = ROOT / "docs" / "from_torch.md"
BEFORE, AFTER = re.findall(r"```python\n(.+?)```", PAGE.read_text(encoding="utf-8"), re.S)

pytest.importorskip("torch", reason="PyTorch is not installed")


def batches_of(program):
    definitions, _, loop = program.partition("for epoch in range(2):")
    names, batches = {}, []
    exec(compile(definitions, "page.py", "exec"), names)
    names["step"] = lambda *batch: batches.append(batch)
    exec(compile(f"for epoch in range(2):{loop}", "page.py", "exec"), names)
    kinds = [[(tuple(tensor.shape), str(tensor.dtype)) for tensor in batch] for batch in batches]
    return kinds, sorted(label for _, labels in batches for label in labels.tolist())


@pytest.mark.slow
def test_the_new_program_hands_out_what_the_old_one_did(photo_tree, tmp_path, monkeypatch):
    load_torchvision()
    monkeypatch.chdir(tmp_path)
    Path("photos").symlink_to(photo_tree.root)
    # Workers would be processes that start slowly.
    before = BEFORE.replace("num_workers=2", "num_workers=0")
    kinds, labels = batches_of(before)
    assert kinds[0] == [((16, 3, 224, 224), "torch.float32"), ((16,), "torch.int64")]
    assert batches_of(AFTER) == (kinds, labels)
