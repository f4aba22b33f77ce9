"""docs/pytorch.md: its programs run, and a run that breaks off goes on with the same samples."""

from __future__ import annotations

import os
import re

import pytest

import penstock
from penstock.tests.checkout import ROOT

os.environ["HF_HUB_OFFLINE"] = "1"
torch = pytest.importorskip("torch")

PAGE = ROOT / "docs" / "pytorch.md"
SECTIONS = PAGE.read_text(encoding="utf-8").split("\n## ")
STEPS = 12  # 3 epochs of 64 photographs in batches of 16

pytestmark = [
    pytest.mark.filterwarnings("ignore:Starting from v1.9.0, `tensorboardX` has been removed"),
    pytest.mark.filterwarnings("ignore:The 'train_dataloader' does not have many workers"),
    pytest.mark.filterwarnings(r"ignore:.fit\(ckpt_path=.last.\) is set, but there is no last"),
    pytest.mark.filterwarnings("ignore:Checkpoint directory .* exists and is not empty"),
    pytest.mark.filterwarnings("ignore:The number of training batches .4. is smaller than"),
    # Lightning walks through trees in a way that PyTorch calls deprecated.
    pytest.mark.filterwarnings(r"ignore:`isinstance\(treespec, LeafSpec\)` is:FutureWarning"),
]


class PowerFailureError(Exception):
    """Ends a run in the middle of a step."""


def programs(title):
    """Return the programs of a section; the first one is the text before all headings."""
    (section,) = [text for text in SECTIONS if text.startswith(title)]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


@pytest.fixture
def run(photo_tree, tmp_path, monkeypatch, pipelines):
    """Runs programs where "photos" is a class folder, and returns the labels of each step."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").symlink_to(photo_tree.root)
    own, loss_of = penstock.Pipeline.build, torch.nn.functional.cross_entropy

    def build(pipeline):
        pipelines.append(pipeline)
        own(pipeline)

    monkeypatch.setattr(penstock.Pipeline, "build", build)

    def run(*texts, breaks_in=None):
        seen = []

        def recording(scores, labels, *others, **options):
            if len(seen) == breaks_in:
                raise PowerFailureError
            assert (labels.dtype, labels.ndim) == (torch.int64, 1)
            seen.append(labels.tolist())
            return loss_of(scores, labels, *others, **options)

        monkeypatch.setattr(torch.nn.functional, "cross_entropy", recording)
        names = {"__name__": "an_example"}
        try:
            for text in texts:
                exec(compile(text, "pytorch.md", "exec"), names)
        except PowerFailureError:
            assert breaks_in is not None
        return seen, names

    return run


def definitions():
    """Return the first program without its loop."""
    return programs("# PyTorch")[0].partition("for epoch in")[0]


@pytest.mark.slow
def test_the_first_program_trains(run, capsys):
    (program,) = programs("# PyTorch")
    assert len(program.splitlines()) <= 40
    seen, names = run(program)
    assert len(seen) == STEPS
    assert len(capsys.readouterr().out.splitlines()) == 3
    image = names["batch"]["image"]
    assert image.is_contiguous(memory_format=torch.channels_last)


def test_loaders(run):
    pytest.importorskip("torchdata")
    of_pytorch, of_torchdata = programs("DataLoader")
    _, names = run(definitions(), of_pytorch)
    assert len(list(names["loader"])) == 4
    _, names = run(definitions(), of_torchdata)
    assert names["saved"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "library"),
    [
        ("Lightning", "lightning"),
        ("Accelerate", "accelerate"),
        ("The Trainer of Hugging Face", "transformers"),
        ("Ignite", "ignite"),
    ],
)
def test_a_trainer_goes_on_in_the_middle_of_an_epoch(run, tmp_path, title, library):
    pytest.importorskip(library)
    (program,) = programs(title)
    assert len(program.splitlines()) <= 40
    program = re.sub(r"\b100\b", "3", program)  # steps between two checkpoints
    before, _ = run(definitions(), program, breaks_in=7)
    assert len(before) == 7
    assert {"runs", "state"} & {path.name for path in tmp_path.iterdir()}
    saved_after = 4 + 3 if library == "accelerate" else 6  # Accelerate's loop counts in the epoch
    resumed, _ = run(definitions(), program)
    assert len(resumed) == STEPS - saved_after
    names = run(definitions())[1]
    unbroken = [batch["label"].tolist() for _ in range(3) for batch in names["batches"]]
    assert before == unbroken[:7]
    assert resumed == unbroken[saved_after:]
