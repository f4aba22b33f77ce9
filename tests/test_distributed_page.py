"""docs/distributed.md: torchrun runs its program, and what it says of states and elastic ranks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from penstock import fn, pipeline_def
from penstock.tests.checkout import ROOT
from penstock.tests.two_ranks import run_on_two_ranks

PAGE = ROOT / "docs" / "distributed.md"
PROGRAM, _, STATE, CHANGED, _ = re.findall(
    r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL
)


@pytest.mark.slow
def test_torchrun_runs_the_program(tmp_path, photo_tree):
    torch = pytest.importorskip("torch", reason="the program trains with PyTorch")
    assert len(PROGRAM.splitlines()) <= 40
    (tmp_path / "train.py").write_text(PROGRAM)
    result = run_on_two_ranks(tmp_path, "train.py", str(photo_tree.root))
    for rank in range(2):
        line = f"readers.file: shard {rank} of 2, from torch.distributed"
        assert result.stderr.count(line) == 1
    assert result.stdout.count("the last loss is") == 3  # one rank prints
    saved = torch.load(tmp_path / "saved.pt")
    assert len(str(saved["batches"])) < 600


@pytest.mark.slow
def test_trainers_and_fsdp_divide_the_epochs(tmp_path, photo_tree):
    for library in ("torch", "transformers", "accelerate", "lightning"):
        pytest.importorskip(library)
    (tmp_path / "photos").symlink_to(photo_tree.root)
    script = Path(__file__).with_name("trainers_on_ranks.py")
    libraries = ["accelerate", "lightning", "torch._dynamo", "torch.distributed.fsdp"]
    libraries += ["transformers.trainer", "transformers.models.vit.modeling_vit"]
    pages = str(PAGE.with_name("pytorch.md")), str(PAGE)
    run_on_two_ranks(tmp_path, str(script), *pages, imports=",".join(libraries))
    assert (tmp_path / "fsdp.pt").exists()


def test_states_and_elastic_ranks(photo_tree):
    arrays = pytest.importorskip("penstock.plugin.arrays")

    @pipeline_def(batch_size=2, num_threads=1)
    def names():
        _, labels = fn.readers.file(file_root=str(photo_tree.root), name="photos")
        return labels

    names_of_page = {"batches": arrays.GenericIterator(names(), ["x"], reader_name="photos")}
    batches = names_of_page["batches"]
    exec(compile(STATE + CHANGED, str(PAGE), "exec"), names_of_page)
    joined = arrays.GenericIterator(names(), ["x"], reader_name="photos")
    next(batches)
    state = batches.state_dict()
    names_of_page["changed"](batches, state, 0, 2, joins=False)
    names_of_page["changed"](joined, state, 1, 2, joins=True)
    assert batches.state_dict() == joined.state_dict()
    assert len(batches) == len(joined)
    for run in (batches, joined):
        run.close()
