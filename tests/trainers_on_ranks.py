"""What torchrun starts for test_distributed_page.py: trainers of docs/pytorch.md, and FSDP.

Each rank runs the programs one after the other. "photos" is a folder of 64 images in 8 classes.
"""

from __future__ import annotations

import collections
import re
import sys
from pathlib import Path

import torch
import torch.distributed as dist

TITLES = ("The Trainer of Hugging Face", "Accelerate", "Lightning")


def programs(page):
    """Return the first program of each section, by the section's title."""
    found = {}
    for section in Path(page).read_text(encoding="utf-8").split("\n## "):
        code = re.search(r"```python\n(.*?)```", section, re.DOTALL)
        found[section.partition("\n")[0]] = code and code[1]
    return found


def check_trainer(title, texts):
    """Run a trainer; check that the ranks have divided three epochs, and have one model."""
    loss_of, seen = torch.nn.functional.cross_entropy, []

    def recording(scores, labels, *others, **options):
        seen.extend(labels.tolist())
        return loss_of(scores, labels, *others, **options)

    torch.nn.functional.cross_entropy = recording
    text = texts[title].replace("100)", '100, use_cpu=True, ddp_backend="gloo")')
    text = text.replace("r(max", 'r(accelerator="cpu", devices=2, strategy="ddp", max')
    names = {"__name__": "an_example"}
    exec(texts["# PyTorch"].partition("for epoch in")[0], names)
    exec(text, names)
    torch.nn.functional.cross_entropy = loss_of
    weights = next(names.get("vit", names["model"]).parameters())
    ranks = [None, None]
    dist.all_gather_object(ranks, [collections.Counter(seen), float(weights.sum())])
    assert [records.total() for records, _ in ranks] == [96, 96], title
    assert set((ranks[0][0] + ranks[1][0]).values()) == {24}, title
    assert ranks[0][1] == ranks[1][1], title


def main():
    """Run all programs."""
    pytorch, distributed = sys.argv[1:]
    sys.argv[1:] = ["photos"]  # what the program of FSDP is given
    texts = programs(pytorch)
    for title in TITLES:
        check_trainer(title, texts)
    texts, names = programs(distributed), {}
    (first,) = [text for title, text in texts.items() if title.startswith("# ")]
    exec(first.partition("dist.init")[0], names)
    exec(texts["FSDP"], names)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
