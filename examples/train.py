"""Train a classifier on folders with one subfolder of images for each class.

    python examples/train.py photos/train photos/val --epochs 5 --device cuda --save run.pt

The program prints loss and accuracy of each epoch. If `--save` names a file that exists, the
training goes on from there. `torchrun --nproc-per-node 2 examples/train.py ...` trains on two
ranks.
"""

import argparse
import os
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from penstock import Pipeline, fn, pipeline_def
from penstock.plugin.pytorch import ClassificationIterator


def read(path: str, training: bool) -> Any:
    """Return encoded images and their labels."""
    return fn.readers.file(
        file_root=path, random_shuffle=training, pad_last_batch=not training, name="photos"
    )


@pipeline_def(batch_size=32, num_threads=4, seed=7)
def photographs(path: str, training: bool, decoder: str) -> Any:
    """Images of 64x64 pixels, normalized; in training cropped and mirrored at random."""
    encoded, labels = read(path, training)
    if training:
        images = fn.decoders.image_random_crop(encoded, device=decoder, random_area=(0.3, 1.0))
    else:
        images = fn.decoders.image(encoded, device=decoder)
    images = fn.resize(images, size=(64, 64))
    mirror = fn.random.coin_flip() if training else 0
    mean, std = [123.7, 116.3, 103.5], [58.4, 57.1, 57.4]
    return fn.crop_mirror_normalize(images, mean=mean, std=std, mirror=mirror), labels


def batches_of(pipeline: Pipeline, last_batch: str) -> Any:
    """Return an iterator over pairs of images and labels."""
    return ClassificationIterator(
        pipeline,
        reader_name="photos",
        batch_form="tuple",
        class_labels=True,
        last_batch_policy=last_batch,
    )


def network(classes: int) -> nn.Module:
    """Return a small convolutional network."""
    layers: list[nn.Module] = []
    for channels, more in ((3, 32), (32, 64), (64, 128)):
        layers += [nn.Conv2d(channels, more, 3, 2, 1), nn.BatchNorm2d(more), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(512, classes))


def train(
    path: str, val_path: str, classes: int, epochs: int = 5, device: str = "cpu", save: str = ""
) -> None:
    """Train, and validate after each epoch."""
    gpu = int(os.environ.get("LOCAL_RANK", 0)) if device == "cuda" else None
    if gpu is not None:
        torch.cuda.set_device(gpu)
    decoder = "mixed" if device == "cuda" else "cpu"
    batches = batches_of(photographs(path, True, decoder, device_id=gpu), "fill")
    val_batches = batches_of(photographs(val_path, False, decoder, device_id=gpu), "partial")
    model = network(classes).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    parts: dict[str, Any] = {"model": model, "optimizer": optimizer, "batches": batches}
    first = 0
    if os.path.exists(save):
        run = torch.load(save, map_location=device)
        for name, part in parts.items():
            part.load_state_dict(run[name])
        first = run["epoch"] + 1
    parallel = DistributedDataParallel(model) if dist.is_initialized() else model

    for epoch in range(first, epochs):
        model.train()
        sums = torch.zeros(4, device=device)  # of losses, steps, right answers and images
        for images, labels in batches:
            loss: Any = nn.functional.cross_entropy(parallel(images), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sums[:2] += torch.stack([loss.detach(), torch.ones_like(loss)])
        model.eval()
        with torch.no_grad():
            for images, labels in val_batches:
                sums[2] += (model(images).argmax(1) == labels.to(device)).sum()
                sums[3] += len(labels)
        if dist.is_initialized():
            dist.all_reduce(sums)
        if dist.is_initialized() and dist.get_rank():
            continue  # the first rank prints and saves
        losses, steps, right, total = sums.tolist()
        print(f"epoch {epoch}: loss {losses / steps:.3f}, accuracy {right / total:.1%}")
        if save:
            run = {name: part.state_dict() for name, part in parts.items()}
            torch.save({**run, "epoch": epoch}, save)

    batches.close()
    val_batches.close()


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("path", help="where the images of the training are")
    parser.add_argument("val_path", help="where the images of the validation are")
    parser.add_argument("--classes", type=int, required=True)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--save", default="", help="the file in which the run is kept")
    given = parser.parse_args()
    if dist.is_torchelastic_launched():  # by torchrun
        dist.init_process_group()
    train(**vars(given))
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
