"""Class folders with validation, by two ranks of gloo."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import penstock

pytest.importorskip("torch")

# As torchrun starts it: ranks tell of themselves by environment variables.
PROGRAM = """
import json, os, sys
import torch
from torch.nn.functional import cross_entropy
from penstock import fn, pipeline_def, types
from penstock.plugin.pytorch import ClassificationIterator, LastBatchPolicy

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.manual_seed(0)
torch.distributed.init_process_group("gloo", init_method=f"file://{sys.argv[1]}/ranks",
                                     rank=rank, world_size=world)

@pipeline_def(batch_size=4, num_threads=1)
def images(folder, training):
    encoded, labels = fn.readers.file(
        file_root=folder, random_shuffle=training, shard_id=rank, num_shards=world,
        pad_last_batch=True, name="reader")
    decoded = fn.decoders.image(encoded)
    if training:
        decoded = fn.random_resized_crop(decoded, size=(16, 16))
    else:
        decoded = fn.resize(decoded, size=(16, 16))
    decoded = fn.crop_mirror_normalize(decoded, dtype=types.FLOAT, mean=[128] * 3, std=[64] * 3)
    return decoded, labels

def loader(part):
    return ClassificationIterator(images(f"{sys.argv[1]}/{part}", part == "train"),
                                  reader_name="reader", last_batch_policy=LastBatchPolicy.PARTIAL)

net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 16 * 16, 2))
model = torch.nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
train, val = loader("train"), loader("val")
told = {"train": [], "right": [], "losses": []}
for epoch in range(2):
    seen = 0
    for (batch,) in train:
        labels = batch["label"].squeeze(-1).long()
        loss = cross_entropy(model(batch["data"]), labels)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
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
with open(f"{sys.argv[1]}/{rank}.json", "w") as file:
    json.dump(told, file)
"""


def test_class_folders_with_validation_by_two_ranks(photos):
    world = 2
    path = os.pathsep.join([str(Path(penstock.__file__).parent.parent), *filter(None, sys.path)])
    shared = os.environ | {"PYTHONPATH": path, "WORLD_SIZE": str(world), "OMP_NUM_THREADS": "1"}
    ranks = [
        subprocess.Popen(
            [sys.executable, "-W", "error::UserWarning", "-c", PROGRAM, str(photos)],
            env=shared | {"RANK": str(rank)},
        )
        for rank in range(world)
    ]
    try:
        assert [rank.wait(100) for rank in ranks] == [0] * world
    finally:
        for rank in ranks:
            rank.kill()
    for rank in range(world):
        told = json.loads((photos / f"{rank}.json").read_text())
        assert told["train"] == [16 // world] * 2
        assert [total for _, total in told["right"]] == [16, 16]
        assert told["right"][-1][0] >= 14  # dark and bright pictures are told apart
        assert told["losses"][-1] < told["losses"][0]
