"""Train a classifier on folders with one subfolder of images for each class.

    python examples/train.py photos/train photos/val --epochs 5 --device cuda --save run.pt

The program prints loss and accuracy of each epoch. If `--save` names a file that exists, the
training goes on from there.
"""

import argparse
import os
from typing import Any

import torch
from torch import nn

from penstock import Pipeline, fn, pipeline_def
from penstock.plugin.pytorch import ClassificationIterator


@pipeline_def(batch_size=32, num_threads=4, seed=7)
def photographs(folder: str, training: bool, decoder: str) -> Any:
    """Images of 64x64 pixels, normalized; in training cropped and mirrored at random."""
    encoded, labels = fn.readers.file(file_root=folder, random_shuffle=training, name="photos")
    if training:
        images = fn.decoders.image_random_crop(encoded, device=decoder, random_area=(0.3, 1.0))
    else:
        images = fn.decoders.image(encoded, device=decoder)
    images = fn.resize(images, size=(64, 64))
    mirror = fn.random.coin_flip() if training else 0
    mean, std = [123.7, 116.3, 103.5], [58.4, 57.1, 57.4]
    return fn.crop_mirror_normalize(images, mean=mean, std=std, mirror=mirror), labels


def batches_of(pipeline: Pipeline) -> Any:
    """Return an iterator over pairs of images and labels."""
    return ClassificationIterator(
        pipeline,
        reader_name="photos",
        batch_form="tuple",
        class_labels=True,
        last_batch_policy="partial",
    )


def network(classes: int) -> nn.Module:
    """Return a small convolutional network."""
    layers: list[nn.Module] = []
    for channels, more in ((3, 32), (32, 64), (64, 128)):
        layers += [nn.Conv2d(channels, more, 3, 2, 1), nn.BatchNorm2d(more), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(512, classes))


def main() -> None:
    """Train, and validate after each epoch."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("train")
    parser.add_argument("val")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--save", default="")
    given = parser.parse_args()

    decoder = "mixed" if given.device == "cuda" else "cpu"
    pipeline = photographs(given.train, True, decoder)
    train, val = batches_of(pipeline), batches_of(photographs(given.val, False, decoder))
    classes = pipeline.class_names()["photos"]["label"]
    model = network(len(classes)).to(given.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    first = 0
    if os.path.exists(given.save):
        run = torch.load(given.save)
        model.load_state_dict(run["model"])
        optimizer.load_state_dict(run["optimizer"])
        train.load_state_dict(run["train"])
        first = run["epoch"] + 1

    for epoch in range(first, given.epochs):
        model.train()
        for images, labels in train:
            loss: Any = nn.functional.cross_entropy(model(images), labels.to(given.device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        right = total = 0
        with torch.no_grad():
            for images, labels in val:
                right += (model(images).argmax(1) == labels.to(given.device)).sum().item()
                total += len(labels)
        print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {right / total:.1%}")
        if given.save:
            parts: dict[str, Any] = {"model": model, "optimizer": optimizer, "train": train}
            run = {name: part.state_dict() for name, part in parts.items()}
            torch.save({**run, "epoch": epoch}, given.save)


if __name__ == "__main__":
    main()
