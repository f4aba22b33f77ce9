"""Class folders with validation, by two ranks of gloo."""

import json
import os
import subprocess
import sys

import pytest

from penstock.tests.checkout import SOURCES

pytest.importorskip("torch")

WORLD = 2
# Two ranks, as torchrun starts them; a fork saves the import of PyTorch by each of them.
PROGRAM = """
import json, os, sys
import torch
from torch.nn.functional import cross_entropy
from penstock import fn, pipeline_def, types
from penstock.plugin.pytorch import ClassificationIterator, LastBatchPolicy

folder, world = sys.argv[1], int(sys.argv[2])
children = []
for rank in range(world):
    children.append(os.fork())
    if not children[-1]:
        break
else:
    sys.exit(any(os.waitpid(child, 0)[1] for child in children))

torch.manual_seed(0)
torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/ranks",
                                     rank=rank, world_size=world)

@pipeline_def(batch_size=4, num_threads=1)
def images(root, training):
    encoded, labels = fn.readers.file(
        file_root=root, random_shuffle=training, shard_id=rank, num_shards=world,
        pad_last_batch=True, name="reader")
    decoded = fn.decoders.image(encoded)
    if training:
        decoded = fn.random_resized_crop(decoded, size=(16, 16))
    else:
        decoded = fn.resize(decoded, size=(16, 16))
    decoded = fn.crop_mirror_normalize(decoded, dtype=types.FLOAT, mean=[128] * 3, std=[64] * 3)
    return decoded, labels

def loader(part):
    return ClassificationIterator(images(f"{folder}/{part}", part == "train"),
                                  reader_name="reader", last_batch_policy=LastBatchPolicy.PARTIAL)

net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 16 * 16, 2))
train, val = loader("train"), loader("val")
told = {"train": [], "right": [], "losses": []}
for epoch in range(2):
    seen = 0
    for (batch,) in train:
        labels = batch["label"].squeeze(-1).long()
        loss = cross_entropy(net(batch["data"]), labels)
        net.zero_grad()
        loss.backward()
        with torch.no_grad():  # torch.optim would take seconds to import
            for each in net.parameters():
                torch.distributed.all_reduce(each.grad)
                each -= 1e-3 / world * each.grad
        told["losses"].append(loss.item())
        seen += len(labels)
    right = torch.zeros(2)
    with torch.no_grad():
        for (batch,) in val:
            labels = batch["label"].squeeze(-1).long()
            right += torch.tensor([(net(batch["data"]).argmax(1) == labels).sum(), len(labels)])
    torch.distributed.all_reduce(right)
    told["train"].append(seen)
    told["right"].append(right.tolist())
torch.distributed.destroy_process_group()
with open(f"{folder}/{rank}.json", "w") as file:
    json.dump(told, file)
os._exit(0)  # the end of PyTorch takes a while
"""


@pytest.mark.slow
def test_class_folders_with_validation_by_two_ranks(photos):
    path = os.pathsep.join([str(SOURCES), *filter(None, sys.path)])
    subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", PROGRAM, str(photos), str(WORLD)],
        env=os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        timeout=200,
        check=True,
    )
    for rank in range(WORLD):
        told = json.loads((photos / f"{rank}.json").read_text())
        assert told["train"] == [16 // WORLD] * 2
        assert [total for _, total in told["right"]] == [16, 16]
        assert told["right"][-1][0] >= 14  # dark and bright pictures are told apart
        assert told["losses"][-1] < told["losses"][0]
